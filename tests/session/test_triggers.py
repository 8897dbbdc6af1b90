from pathlib import Path

import pytest

import overture
from overture import Resources, Session, SessionError
from overture.model.tool import Tool
from overture.session.change_session import unregister_tools
from overture.session.hooks import DiscoverEvent
from overture.session.session import get_parts
from overture.testing.snapshots_and_sessions import ProjectSession
from tests.contract.session.worlds import SKILL, project, session


def triggers(live: Session) -> list[str]:
    """The triggers of the last turn."""
    return [trigger.name for trigger in live.record[-1].triggers]


def active(live: Session) -> list[str]:
    """The active tools."""
    return [tool.name for tool in live.prompt.state.tools]


def test_the_first_turn_says_that_it_is_the_start() -> None:
    """The record of the first turn names the start, and every block as added."""
    live = session()
    entry = live.turn("Go").entry
    assert triggers(live) == ["start"]
    assert {block.how for block in entry.changed} == {"added"}


def test_setting_tools_takes_the_order_of_the_names() -> None:
    """The active tools stand in the caller's order, in the prompt and in the turn, whatever it was before."""
    live = session("pi")
    live.turn("Go")
    live.set_tools(["grep", "write", "bash", "read"])
    turn = live.turn("On")
    assert active(live) == ["grep", "write", "bash", "read"]
    assert [tool.name for tool in turn.tools] == active(live)
    assert [line.split(":")[0] for line in turn.prompt.text.splitlines() if line.startswith("- ")][:4] == [
        "- grep", "- write", "- bash", "- read"
    ]  # fmt: skip
    assert triggers(live) == ["tools"]
    assert [block.name for block in turn.entry.changed] == ["base"]
    assert turn.entry.changed[0].because == ("tools",)


def test_tools_that_come_after_a_set_come_last() -> None:
    """What is registered after `set_tools` stands behind the caller's list, and comes back to that place."""
    live = session("pi")
    live.register(Tool("mcp_a"), Tool("mcp_b"))
    live.set_tools(["write", "read"])
    live.register(Tool("mcp_b"))
    assert active(live) == ["write", "read", "mcp_b"]
    live.register(Tool("mcp_a"), Tool("new"))
    assert active(live) == ["write", "read", "mcp_a", "mcp_b", "new"]
    unregister_tools(get_parts(live), ["read"])
    live.register(Tool("read"))
    assert active(live) == ["write", "read", "mcp_a", "mcp_b", "new"]


def test_unknown_tools_are_reported() -> None:
    """A name that is not registered stays inactive and is reported with the nearest that is."""
    live = session("pi")
    live.turn("Go")
    live.set_tools(["read", "bahs", "read"])
    entry = live.turn("On").entry
    assert active(live) == ["read"]
    assert [note.code for note in entry.diagnostics] == ["tool-unknown", "tool-duplicate"]
    assert "'bash'" in entry.diagnostics[0].message


def test_setting_the_same_tools_triggers_nothing() -> None:
    """The same tools in the same order rebuild nothing."""
    live = session("pi")
    first = live.turn("Go")
    live.set_tools(["read", "bash", "edit", "write"])
    assert live.turn("On").prompt is first.prompt
    assert triggers(live) == []


def test_a_tool_registered_later_appears() -> None:
    """A tool that is registered after the start is active, in the prompt and in the turn's tools."""
    live = session("pi")
    live.turn("Go")
    live.register({"name": "deploy", "description": "Deploy.", "snippet": "Ship it"})
    turn = live.turn("On")
    assert "- deploy: Ship it" in turn.prompt.text
    assert turn.tools[-1].name == "deploy"
    assert triggers(live) == ["registry"]


def test_churn_does_not_reorder_the_others() -> None:
    """A tool that goes and comes back finds its place again: the prompt has its old bytes."""
    live = session("pi")
    live.register(Tool("mcp_a"), Tool("mcp_b"), Tool("mcp_c"))
    before = live.turn("Go").prompt
    unregister_tools(get_parts(live), ["mcp_b"])
    assert active(live)[-2:] == ["mcp_a", "mcp_c"]
    live.turn("On")
    live.register(Tool("mcp_b"))
    assert live.turn("On").prompt.text == before.text


def test_a_tool_given_twice_counts_once() -> None:
    """A list with duplicates gives each tool once, the last definition, and a report."""
    live = session("pi", tools=[Tool("read"), "bash", {"name": "read", "snippet": "Other"}])
    entry = live.turn("Go").entry
    assert active(live) == ["read", "bash"]
    assert "- read: Other" in live.prompt.text
    assert [note.code for note in entry.diagnostics] == ["tool-duplicate", "tool-schema"]


def test_a_reload_reads_what_changed_and_no_more() -> None:
    """A reload finds what came, went and changed; unchanged files are not read again."""
    world = project()
    world.files["/p/.sf/SYSTEM.md"] = b"Base."
    live = session("pi", world)
    live.turn("Go")
    world.files["/p/.sf/SYSTEM.md"] = b"Another base."
    world.reads.clear()
    live.reload()
    assert "Another base." in live.turn("On").prompt.text
    assert world.reads == ["/p/.sf/SYSTEM.md"]
    assert triggers(live) == ["reload"]


def test_without_a_trigger_files_are_not_looked_at() -> None:
    """A file that changed is in the prompt after a reload, a refresh or a report of the change, not before."""
    world = project()
    live = session(world=world)
    first = live.turn("Go")
    world.files["/p/AGENTS.md"] = b"Use blanks."
    assert live.turn("On").prompt is first.prompt
    live.refresh("/p/AGENTS.md")
    assert "Use blanks." in live.turn("On").prompt.text
    assert [(t.name, t.reason) for t in live.record[-1].triggers] == [("file", "/p/AGENTS.md")]


def test_a_refresh_finds_what_changed() -> None:
    """Who does not watch asks: only the changed file is read."""
    world = project()
    live = session(world=world)
    live.turn("Go")
    world.files["/p/AGENTS.md"] = b"Use blanks."
    world.reads.clear()
    live.refresh()
    assert "Use blanks." in live.prompt.text
    assert world.reads == ["/p/AGENTS.md"]


def test_configuration_is_settled_again_when_it_changes() -> None:
    """A changed overture.toml counts without a reload being asked for."""
    world = project()
    live = session(world=world)
    assert "Use tabs." in live.turn("Go").prompt.text
    world.files["/p/overture.toml"] = b"[features.context]\nenabled = false\n"
    live.refresh("/p/overture.toml")
    assert "Use tabs." not in live.turn("On").prompt.text


def test_a_broken_configuration_stops_no_running_session() -> None:
    """With a configuration that can't be read the session goes on with what it knows, and reports it."""
    world = project()
    live = session(world=world)
    first = live.turn("Go")
    world.files["/p/overture.toml"] = b"recipe = "
    live.reload()
    turn = live.turn("On")
    assert turn.prompt is first.prompt
    assert [note.code for note in turn.entry.diagnostics] == ["reload-failed"]
    assert "overture.toml" in turn.entry.diagnostics[0].message


def test_resources_are_added() -> None:
    """Skills, context and templates from elsewhere are found; what was known is not read again."""
    world = project()
    world.files["/x/skills/tow/SKILL.md"] = SKILL.format("tow").encode()
    world.files["/x/RULES.md"] = b"Be kind."
    world.files["/x/prompts/ship.md"] = b"Ship $1."
    live = session(world=world)
    live.turn("Go")
    world.reads.clear()
    live.add_resources(skills=["/x/skills"], context=["/x/RULES.md"], prompts=["/x/prompts"])
    turn = live.turn("/ship it")
    assert sorted(world.reads) == ["/x/RULES.md", "/x/prompts/ship.md", "/x/skills/tow/SKILL.md"]
    assert "**tow**" in turn.prompt.text
    assert "Be kind." in turn.prompt.text
    assert turn.messages[-1].text == "Ship it."
    assert triggers(live) == ["resources"]


def test_a_hook_may_know_of_more_resources() -> None:
    """`resources_discover` is asked at the start and at a reload, and what it adds is discovered."""
    world = project()
    world.files["/x/tow/SKILL.md"] = SKILL.format("tow").encode()
    live = session(world=world)
    asked: list[str] = []

    @live.hook("resources_discover")
    def more(event: DiscoverEvent) -> Resources:
        asked.append(event.reason)
        return Resources(skills=("/x",))

    assert "**tow**" in live.turn("Go").prompt.text
    live.reload()
    live.turn("On")
    assert asked == ["start", "reload"]


def test_another_model_is_another_prompt() -> None:
    """A change of the model rebuilds what says the model."""
    live = session("moltis", state={"runtime": {"model": "m1"}})
    first = live.turn("Go")
    live.update(runtime={"model": "m2", "provider": "acme"})
    turn = live.turn("On")
    assert turn.prompt.text != first.prompt.text
    assert triggers(live) == ["model"]
    assert turn.entry.changed[0].because == ("runtime",)


def test_a_field_may_be_given_in_the_middle() -> None:
    """A field that is given later counts from the next turn on, and an unknown one is an error."""
    live = session("house")
    live.turn("Go")
    live.update(task={"id": 1, "title": "Moor the ferry"})
    assert "Moor the ferry" in live.turn("On").prompt.text
    assert triggers(live) == ["state"]
    with pytest.raises(overture.StateError, match="task"):
        live.update(tsak=1)
    with pytest.raises(SessionError, match="register"):
        live.update(tools=[])


@pytest.mark.parametrize(("mode", "live"), [("live", True), ("frozen", False), (None, True)])
def test_memories_are_live_or_frozen(mode: str | None, live: bool) -> None:
    """The caller says whether memories follow their file; else the recipe does: house follows them."""
    world = project()
    world.files["/p/.agents/memories.json"] = b'["Ada prefers tabs"]'
    held = session("house", world, memories=mode)
    assert "Ada prefers tabs" in held.turn("Go").prompt.text
    world.files["/p/.agents/memories.json"] = b'["Ada prefers blanks"]'
    held.reload()
    assert ("Ada prefers blanks" in held.turn("On").prompt.text) is live
    assert ("Ada prefers tabs" in held.prompt.text) is not live


def test_a_recipe_that_is_edited_is_read_again(overture_session: ProjectSession, tmp_path: Path) -> None:
    """A recipe in a .toml file is read again by a reload, and when its change is noticed."""
    recipe = tmp_path / "mine.toml"
    recipe.write_text('[[sections]]\nname = "a"\ntext = "One."\n')
    live = overture_session(str(recipe))
    assert live.turn("Go").prompt.text == "One."
    recipe.write_text('[[sections]]\nname = "a"\ntext = "Two."\n')
    live.reload()
    assert live.turn("On").prompt.text == "Two."
    recipe.write_text('[[sections]]\nname = "a"\ntext = "Three."\n')
    live.refresh(str(recipe))
    assert live.turn("On").prompt.text == "Three."


def test_registered_tools_survive_a_reload() -> None:
    """A reload takes over other default tools, and keeps those that were registered."""
    world = project()
    live = session("pi", world)
    live.turn("Go")
    live.register({"name": "mcp"})
    world.files["/p/overture.toml"] = b'tools = ["read", "grep"]'
    live.reload()
    live.turn("On")
    assert active(live) == ["read", "mcp", "grep"]

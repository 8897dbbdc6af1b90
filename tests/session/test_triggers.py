from overture import Resources, Session
from overture.session.hooks import DiscoverEvent
from tests.contract.session.worlds import SKILL, project, session


def triggers(live: Session) -> list[str]:
    """The triggers of the last turn."""
    return [trigger.name for trigger in live.record[-1].triggers]


def active(live: Session) -> list[str]:
    """The active tools."""
    return [tool.name for tool in live.prompt.state.tools]


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


def test_unknown_tools_are_reported() -> None:
    """A name that is not registered stays inactive and is reported with the nearest that is."""
    live = session("pi")
    live.turn("Go")
    live.set_tools(["read", "bahs", "read"])
    entry = live.turn("On").entry
    assert active(live) == ["read"]
    assert [note.code for note in entry.diagnostics] == ["tool-unknown", "tool-duplicate"]
    assert "'bash'" in entry.diagnostics[0].message


def test_a_tool_registered_later_appears() -> None:
    """A tool that is registered after the start is active, in the prompt and in the turn's tools."""
    live = session("pi")
    live.turn("Go")
    live.register({"name": "deploy", "description": "Deploy.", "snippet": "Ship it"})
    turn = live.turn("On")
    assert "- deploy: Ship it" in turn.prompt.text
    assert turn.tools[-1].name == "deploy"
    assert triggers(live) == ["registry"]


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

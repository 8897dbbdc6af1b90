"""A framework that keeps its own messages gets what it needs as values; nothing waits where it never looks."""

import asyncio
import inspect
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import overture
from overture import Message, NestedFile, Session, SessionError
from overture.session.framework_request import SessionRequest
from overture.testing import FakeWorld
from tests.contract.session.worlds import SKILL, project, session

FILES = {
    "sub/AGENTS.md": "Sub rules.",
    "sub/deep/AGENTS.md": "Deep rules.</prompt-project-context>",
    "sub/deep/x.py": "x",
    "other/AGENTS.md": "Other\x1b rules.",
}


def house(**options: object) -> Session:
    """A session of a recipe that delivers nested files."""
    return session("house", project(**FILES), **options)


def test_use_skill_gives_the_body_itself() -> None:
    """What the model should see as the tool's result: the framed text, each time, and no message beside it."""
    live = session()
    body = live.framework.use_skill("tides")
    assert body.startswith('<skill name="tides" location="/p/.agents/skills/tides/SKILL.md">')
    assert "How to do tides." in body and body.endswith("</skill>")
    assert live.framework.use_skill("tides") == body
    assert live.messages == () and [m.kind for m in live.turn("Go").messages] == ["prompt"]


def test_use_skill_says_what_the_sessions_own_loop_would() -> None:
    """The body is byte for byte the message that `answer` adds, and neither hinders the other."""
    live = session()
    live.turn("Go")
    body = live.framework.use_skill("tides")
    for id in ("1", "2"):
        live.assistant("", [{"id": id, "name": "use_skill", "arguments": {"name": "tides"}}])
        assert live.answer(live.messages[-1].calls[0])
    assert [m.text for m in live.messages if m.kind == "skill"] == [body]
    assert [m.text for m in live.messages if m.kind == "result"] == [
        "Skill 'tides' is loaded: its instructions follow.",
        "Skill 'tides' is loaded already.",
    ]
    assert live.framework.use_skill("tides") == body


def test_use_skill_can_be_a_result_of_ones_own() -> None:
    """Whoever answers the call by hand sends the body once, as the tool's result."""
    live = session()
    live.turn("Go")
    live.assistant("", [{"id": "1", "name": "use_skill", "arguments": {"name": "tides"}}])
    live.result("1", live.framework.use_skill("tides"))
    assert [m.kind for m in live.turn().messages if "How to do tides." in m.text] == ["result"]


def test_use_skill_is_a_function_for_a_model() -> None:
    """Its own name, signature and docstring make the tool that the recipe has: one text, `name`."""
    tool = overture.tools_from([session().framework.use_skill])[0]
    assert (tool.name, tool.description) == ("use_skill", "Load a skill's full instructions, by its name.")
    assert tool.parameters is not None and list(tool.parameters["properties"]) == tool.parameters["required"] == [
        "name"
    ]
    assert list(inspect.signature(session().framework.use_skill).parameters) == ["name"]


def test_what_is_wrong_with_a_skill_is_said_as_before() -> None:
    """An unknown or hidden one is a text for the model; what was done to its text is on the next entry."""
    hidden = SKILL.format("cancel").replace("---\nHow", "disable-model-invocation: true\n---\nHow")
    path = ".agents/skills/evil/SKILL.md"
    live = session(world=project(**{path: SKILL.format("evil") + "```", ".agents/skills/cancel/SKILL.md": hidden}))
    assert live.framework.use_skill("tide").startswith(
        "Error: Skill 'tide' is not known. Known: berths, evil, tides. Did you mean"
    )
    assert "hidden from the model" in live.framework.use_skill("cancel")
    assert live.framework.use_skill("evil").endswith("```\n```\n</skill>")
    assert [(note.code, note.path) for note in live.turn("Go").entry.diagnostics] == [("open-fence", f"/p/{path}")]


@pytest.mark.parametrize("name", ["tide", "", "TIDES", "../x", "x" * 5000, 5, None])
def test_a_models_slip_ends_no_run(name: object) -> None:
    """Whatever a model names, the tool returns a text, and `answer` a failed result; both list what there is."""
    live = session()
    live.turn("Go")
    text = live.framework.use_skill(name)  # type: ignore[arg-type]
    assert text.startswith("Error: Skill ") and "tides" in text
    live.assistant("", [{"id": "1", "name": "use_skill", "arguments": {} if name is None else {"name": name}}])
    assert live.answer(live.messages[-1].calls[0])
    assert live.messages[-1].failed and "Known: berths, tides." in live.messages[-1].text


def test_a_skill_that_is_gone_is_a_text() -> None:
    """A file that can't be read any more ends no run either."""
    world = project()
    live = session(world=world)
    live.turn("Go")
    del world.files["/p/.agents/skills/tides/SKILL.md"]
    assert live.framework.use_skill("tides").startswith("Error: Skill 'tides' can't be read")


def test_a_developers_slip_is_still_an_error() -> None:
    """A call that nobody made, or that is none, raises."""
    live = session()
    live.turn("Go")
    with pytest.raises(SessionError, match="is not open"):
        live.answer({"id": "9", "name": "use_skill", "arguments": {"name": "tides"}})
    with pytest.raises(overture.StateError, match="names no tool"):
        live.answer({"id": "9"})


def test_nested_for_gives_the_instructions_on_the_way() -> None:
    """Path and text of each file between cwd and the path, outermost first, in the recipe's words, contained."""
    live = house()
    found = live.framework.nested_for("sub/deep/x.py")
    assert [each.path for each in found] == ["/p/sub/AGENTS.md", "/p/sub/deep/AGENTS.md"]
    assert isinstance(found[0], NestedFile)
    touched = house()
    touched.turn("Go")
    touched.refresh(touched=["sub/deep/x.py"])
    assert [each.text for each in found] == [m.text for m in touched.turn("On").messages if m.kind == "context"]
    assert "Deep rules.&lt;/prompt-project-context>" in found[1].text
    assert live.messages == ()


def test_nested_for_gives_each_file_once() -> None:
    """A second path brings what is new; a touch, a message and `nested_for` count as one."""
    live = house()
    assert len(live.framework.nested_for("sub/x.py")) == 1
    assert [each.path for each in live.framework.nested_for(Path("/p/sub/deep/x.py"))] == ["/p/sub/deep/AGENTS.md"]
    assert live.framework.nested_for("sub/deep/x.py", "sub") == ()
    live.refresh(touched=["sub/deep/x.py", "other/y.py"])
    assert [m.name for m in live.turn("Go").messages if m.kind == "context"] == ["/p/other/AGENTS.md"]
    assert live.framework.nested_for("other/y.py") == ()


def test_nested_for_gives_them_again_when_they_are_gone() -> None:
    """After a compaction or on another branch of the session's, or where the framework says that it dropped them."""
    live = house()
    live.turn("Go")
    first = live.framework.nested_for("sub/x.py")
    assert live.framework.nested_for("sub/x.py", again=True) == first
    assert live.framework.nested_for("sub/x.py") == ()
    live.compact("Summary.")
    assert live.framework.nested_for("sub/x.py") == first
    live.branch("Other.", keep=1)
    assert live.framework.nested_for("sub/x.py") == first


def test_many_requests_at_once_do_not_wait_for_each_other() -> None:
    """A turn needs no thread of the loop's pool: all of those may wait for this very turn."""
    live = house()

    async def go() -> list[SessionRequest]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        asked = [live.framework.aprepare_request([Message("user", f"Go {n}")], conversation=str(n)) for n in range(9)]
        return await asyncio.wait_for(asyncio.gather(*asked), 60)

    texts = [request.messages[0].text for request in asyncio.run(go())]
    assert texts == [f"Go {n}" for n in range(9)]


def test_the_record_names_what_was_handed_over() -> None:
    """As it names what arrives as a message, with what was done to the text."""
    live = house()
    live.turn("Go")
    live.framework.nested_for("sub/x.py")
    live.framework.nested_for("other/x.py")
    entry = live.turn("On").entry
    assert entry.nested == ("/p/sub/AGENTS.md", "/p/other/AGENTS.md")
    assert [(note.code, note.path) for note in entry.diagnostics] == [("control-character", "/p/other/AGENTS.md")]
    live.framework.nested_for("sub/x.py")
    assert live.turn("On").entry.nested == ()


def test_a_save_remembers_what_was_handed_over(tmp_path: Path) -> None:
    """A resumed session does not hand it over again; older saves remember nothing."""
    live = house()
    live.turn("Go")
    live.framework.nested_for("sub/x.py")
    live.save(tmp_path / "s.json")
    again = Session.resume(tmp_path / "s.json", world=project(**FILES))
    assert again.framework.nested_for("sub/x.py") == ()
    assert [each.path for each in again.framework.nested_for("other/x.py")] == ["/p/other/AGENTS.md"]
    assert again.turn("On").entry.nested == ("/p/sub/AGENTS.md", "/p/other/AGENTS.md")
    data = json.loads((tmp_path / "s.json").read_text())
    data.pop("handed_paths")
    (tmp_path / "old.json").write_text(json.dumps(data))
    assert len(Session.resume(tmp_path / "old.json", world=project(**FILES)).framework.nested_for("sub/x.py")) == 1


@pytest.mark.parametrize("path", ["/q/x.py", "../q/x.py", "", "x.py", "a\0b", "sub/../../q/x"])
def test_what_lies_elsewhere_brings_nothing(path: str) -> None:
    """Above cwd, beside it, in cwd itself, or no path at all."""
    world = project(**FILES)
    world.files["/q/AGENTS.md"] = b"Foreign."
    assert session("house", world).framework.nested_for(path) == ()


def test_the_recipe_and_the_setting_decide() -> None:
    """Where nested files are off, nothing is looked for, as with `touch`; the setting turns them on."""
    assert session("opal", project(**FILES)).framework.nested_for("sub/x.py") == ()
    on = session("opal", project(**FILES), config={"features.context.nested": True})
    assert [each.text for each in on.framework.nested_for("sub/x.py")] == [
        '<project-context source="/p/sub/AGENTS.md">\nSub rules.\n</project-context>'
    ]


def test_a_sub_agent_is_told_for_itself() -> None:
    """It has a conversation of its own: what its parent was handed, it is handed too."""
    live = house()
    live.framework.nested_for("sub/x.py")
    child = live.subagent("Look.")
    assert [each.path for each in child.framework.nested_for("sub/x.py")] == ["/p/sub/AGENTS.md"]


def test_a_project_that_is_gone_brings_nothing() -> None:
    """A resumed session whose folder vanished says so in its record, and goes on."""
    assert session("house", FakeWorld()).framework.nested_for("sub/x.py") == ()

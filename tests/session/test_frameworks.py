"""A framework that keeps its own messages gets what it needs as values; nothing waits where it never looks."""

import json
from pathlib import Path

import pytest

from overture import NestedFile, Session
from tests.contract.session.worlds import project, session

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


def test_the_recipe_and_the_setting_decide() -> None:
    """Where nested files are off, nothing is looked for, as with `touch`; the setting turns them on."""
    assert session("opal", project(**FILES)).framework.nested_for("sub/x.py") == ()
    on = session("opal", project(**FILES), config={"features.context.nested": True})
    assert [each.text for each in on.framework.nested_for("sub/x.py")] == [
        '<project-context source="/p/sub/AGENTS.md">\nSub rules.\n</project-context>'
    ]

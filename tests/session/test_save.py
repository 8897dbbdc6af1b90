import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import overture
from overture import Change, Message, Session, SessionError
from overture.session.save_and_resume import VERSION, read_save, write_save
from overture.testing import FakeWorld
from tests.contract.providers.sendable import PROVIDERS
from tests.contract.session.worlds import project, session


def turns(live: Session) -> list[Any]:
    """Two further turns: prompts, messages and tools as they go out, to whomever."""
    taken = [live.turn(), live.turn("Next")]
    return [([turn.render(provider) for provider in PROVIDERS], turn.messages, turn.prompt.text) for turn in taken]


@pytest.mark.parametrize("recipe", ["opal", "pi", "moltis", "nova", "house"])
def test_a_resumed_session_has_the_same_bytes(recipe: str, tmp_path: Path) -> None:
    """Saved in the middle of a turn and resumed, it sends what it would have sent, whatever became of the files."""
    world = project(**{"sub/AGENTS.md": "Nested."})
    live = session(recipe, world, state={"memories": ["tabs"]})
    if recipe != "nova":
        live.hook("before_agent_start", lambda _: Change.append("Hooked."), name="h")
    live.turn("Go")
    world.files["/p/AGENTS.md"] = b"Use blanks."
    live.refresh()
    live.turn("On")
    live.register({"name": "deploy", "parameters": {"type": "object"}})
    live.send_message("queued", when="next")
    live.add(Message.shell("!!private", "x \ud83d"))
    live.assistant("Hm.", [{"id": "1", "name": "deploy", "arguments": {"to": "x"}}])
    live.result("1", "ok")
    live.save(tmp_path / "s.json")
    again = Session.resume(tmp_path / "s.json", world=FakeWorld(cwd="/elsewhere"))
    if recipe != "nova":
        again.hook("before_agent_start", lambda _: Change.append("Hooked."), name="h")
    assert again.messages == live.messages
    assert turns(again) == turns(live)


def test_a_resumed_session_offers_the_same_tools(tmp_path: Path) -> None:
    """The tool that loads skills keeps its schema when the prompt is made anew after a resume."""
    live = session("opal")
    live.turn("Go")
    live.save(tmp_path / "s.json")
    again = Session.resume(tmp_path / "s.json", world=project())
    for one in (live, again):
        one.update(channel="cli")
    assert again.turn("On").to_openai() == live.turn("On").to_openai()
    assert "name" in next(t for t in again.prompt.state.tools if t.name == "use_skill").parameters["properties"]  # type: ignore[index]


def test_a_resumed_session_whose_files_are_gone(tmp_path: Path) -> None:
    """It goes on with what it had; what needs the files is reported, and a reload keeps what was known."""
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "AGENTS.md").write_text("Use tabs.")
    live = Session("opal", cwd=folder, home=tmp_path, root=folder)
    before = live.turn("Go").prompt.text
    live.save(tmp_path / "s.json")
    (folder / "AGENTS.md").unlink()
    folder.rmdir()
    again = Session.resume(tmp_path / "s.json")
    turn = again.turn("On")
    assert turn.prompt.text == before
    assert [t.name for t in turn.entry.triggers] == ["resume"]
    again.refresh(touched=[str(folder / "sub/x.py")])
    assert [n.code for n in again.turn("On").entry.diagnostics] == ["project-gone"]
    again.reload()
    turn = again.turn("On")
    assert turn.prompt.text == before
    assert [n.code for n in turn.entry.diagnostics] == ["reload-failed"]


def test_a_sub_agent_can_be_saved(tmp_path: Path) -> None:
    """A resumed sub-agent is still one."""
    child = session().subagent("Count.", tools=["read_file"], prompt="You count.")
    child.save(tmp_path / "s.json")
    again = Session.resume(tmp_path / "s.json", world=project())
    assert again.turn().to_openai() == child.turn().to_openai()
    with pytest.raises(SessionError, match="max_depth"):
        again.subagent("Deeper.")


def test_a_recipe_of_ones_own_is_given_again(tmp_path: Path) -> None:
    """A recipe that has no name to be found by is handed to resume, as the error says; a wrong name is just that."""
    mine = overture.Recipe("mine", (overture.section("a")(lambda: "Mine."),))
    live = session(mine)
    live.turn("Go")
    live.save(tmp_path / "s.json")
    with pytest.raises(overture.RecipeError, match=r"'mine' is not known.*Session.resume\(path, recipe=…\)"):
        Session.resume(tmp_path / "s.json", world=project())
    with pytest.raises(overture.RecipeError, match=r"Did you mean 'opal'\?$"):
        Session.resume(tmp_path / "s.json", recipe="opla", world=project())
    assert Session.resume(tmp_path / "s.json", recipe=mine, world=project()).turn("On").prompt.text == "Mine."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[]", "version 'list'"),
        ('{"version": 99}', "version 99"),
        ('{"version": 1, "recipe": "opal", "state": {}, "given": {}}', "version 1"),  # keys of an earlier checkout
        ('{"version": 2}', "recipe"),
    ],
)
def test_a_bad_save_is_an_error(text: str, said: str, tmp_path: Path) -> None:
    """What is no save of this version is an error with the path and the reason."""
    (tmp_path / "s.json").write_text(text)
    with pytest.raises(SessionError, match=said):
        Session.resume(tmp_path / "s.json")
    with pytest.raises(SessionError, match="no such file"):
        Session.resume(tmp_path / "absent.json")


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("state", "\ud800", "half of a surrogate pair outside a string"),
        ("messages", ["\ud800"], "half of a surrogate pair outside a string"),
        ("program", {"active": {"gone": True}}, "active names the tool 'gone', which it does not contain"),
        ("options", {"keep": -1}, "keep: it must be at least 0"),
        ("options", {"keep": 10**30}, "keep: "),
        ("number", 10**30, "number: "),
        ("options", {"hook_limit": -1}, "hook_limit: it must be at least 0"),
        ("recipe", "\ud800", "is not known"),
        ("program", {"fields": {"memories": "\ud800"}}, "memories"),
        ("state", [], "state: expected an object, got a list"),
        ("cuts", [{"block": "skills", "steps": "x"}], r"cuts\[0\].steps: expected a whole number"),
    ],
)
def test_an_edited_save_is_an_error(field: str, value: Any, said: str, tmp_path: Path) -> None:
    """A save that somebody edited, and that no longer fits together, is one line."""
    live = session()
    live.turn("Go")
    live.save(tmp_path / "s.json")
    data = json.loads((tmp_path / "s.json").read_text())
    (tmp_path / "s.json").write_text(json.dumps({**data, field: value}))
    with pytest.raises(overture.OvertureError, match=said) as caught:
        Session.resume(tmp_path / "s.json", world=project())
    assert "\n" not in str(caught.value)


def test_what_json_can_not_hold_is_an_error(tmp_path: Path) -> None:
    """The error says what can't be saved, and the old save stays."""
    live = session()
    live.turn("Go")
    live.save(tmp_path / "s.json")
    before = (tmp_path / "s.json").read_bytes()
    live.add(overture.Message("user", blocks=({"x": object()},)))
    with pytest.raises(SessionError, match="JSON"):
        live.save(tmp_path / "s.json")
    assert (tmp_path / "s.json").read_bytes() == before
    assert os.listdir(tmp_path) == ["s.json"]


def test_a_save_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    """A folder in the way, or none there, is an error; no temporary file stays."""
    (tmp_path / "s.json").mkdir()
    with pytest.raises(SessionError, match="is unchanged"):
        write_save(str(tmp_path / "s.json"), b"{}")
    with pytest.raises(SessionError, match="no such file"):
        write_save(str(tmp_path / "absent/s.json"), b"{}")
    assert os.listdir(tmp_path) == ["s.json"]


SAVER = """
import sys
from overture import Session
from overture.testing import FakeWorld
live = Session("opal", world=FakeWorld({"/p/AGENTS.md": "x" * 200_000}))
live.turn("Go")
live.save(sys.argv[1])
print("ready", flush=True)
while True:
    live.turn("On " * 1000)
    live.save(sys.argv[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_process_killed_while_saving_leaves_a_whole_save(tmp_path: Path) -> None:
    """Killed at any moment, the file is a whole save, old or new, and can be resumed."""
    path = tmp_path / "s.json"
    numbers = []
    for _ in range(6):
        process = subprocess.Popen([sys.executable, "-c", SAVER, str(path)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        first = path.stat().st_ino
        while path.stat().st_ino == first:
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        numbers.append(read_save(str(path)).number)
        assert json.loads(path.read_bytes())["version"] == VERSION
    assert all(number > 1 for number in numbers)
    assert Session.resume(path, world=project()).turn("On").number == numbers[-1] + 1

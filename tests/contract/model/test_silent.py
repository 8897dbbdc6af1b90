"""`silent`, as Nova's document calls it, is `background`."""

import json
from pathlib import Path
from typing import Any

import pytest

import overture
from overture import StateError
from overture.testing import FakeWorld, make_state

from ..cli.run import read_stdout, run

BOTH = "silent: it is an alias of background, and they differ (silent True, background False); keep one of them."


@pytest.mark.parametrize("silent", [True, False])
def test_it_is_read_as_background_and_written_so(silent: bool) -> None:
    """The state has one field; its JSON form has one name for it."""
    state = overture.State.from_dict({"silent": silent})
    assert state.background is silent
    assert state.to_dict() == ({"background": True} if silent else {})
    assert state == overture.State.from_dict({"background": silent})


def test_both_are_fine_where_they_agree() -> None:
    """Twice the same is no contradiction, and what the caller handed over is left as it was."""
    given = {"silent": True, "background": True}
    assert overture.State.from_dict(given).background is True
    assert given == {"silent": True, "background": True}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"silent": True, "background": False}, BOTH),
        ({"silent": "yes"}, "silent: expected true or false, got text ('yes')."),
        ({"silent": None}, "silent: expected true or false, got null."),
        ({"agent": {"silent": True}}, "agent: unknown key 'silent'."),
    ],
)
def test_what_does_not_fit_is_one_line_that_names_it(given: dict[str, Any], message: str) -> None:
    """The error speaks of the key that the caller wrote."""
    with pytest.raises(StateError) as error:
        overture.State.from_dict(given)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("given", [None, 5, [], "silent"])
def test_what_is_no_object_is_one_line_too(given: Any) -> None:
    """A state that is none is an error of ours, whatever it is."""
    with pytest.raises(StateError, match="expected an object"):
        overture.State.from_dict(given)


def test_a_copy_takes_it() -> None:
    """`replace` knows it too."""
    assert make_state().replace(silent=True).background is True
    with pytest.raises(StateError, match="they differ"):
        make_state().replace(silent=True, background=False)


def test_build_takes_a_plain_object() -> None:
    """The prompt of a silent run is that of one in the background."""
    fields = {"now": "2026-03-07T08:55:05-06:00"}
    assert overture.build("nova", {**fields, "silent": True}).text.endswith("</Background>")


def test_a_session_takes_it_at_any_time() -> None:
    """Given at the start or later, taken back, and kept in a save."""
    session = overture.Session("nova", state={"silent": True}, world=FakeWorld())
    assert "<Background>" in session.turn("Hello").prompt.text
    session.update(silent=False)
    assert "<Background>" not in session.turn("And now?").prompt.text
    session.update(silent=True)
    assert "<Background>" in session.turn("And now?").prompt.text


def test_a_save_keeps_it(tmp_path: Path) -> None:
    """A session that is resumed is as silent as it was."""
    session = overture.Session("nova", state={"silent": True}, world=FakeWorld())
    session.turn("Hello")
    session.save(str(tmp_path / "save.json"))
    again = overture.Session.resume(str(tmp_path / "save.json"), world=FakeWorld())
    assert "<Background>" in again.turn("And now?").prompt.text


def test_the_command_line_takes_it(tmp_path: Path) -> None:
    """In --state and with --set, which wins over --state by either name."""
    state = tmp_path / "state.json"
    state.write_text(json.dumps({"silent": True, "now": "2026-03-07T08:55:05-06:00"}))
    base = ("build", "nova", "--no-discover", "--state", str(state))
    assert run(*base).stdout.endswith("</Background>\n")
    assert "<Background>" not in run(*base, "--set", "silent=false").stdout
    assert "<Background>" not in run(*base, "--set", "background=false").stdout
    found = run("build", "nova", "--cwd", str(tmp_path), "--home", str(tmp_path), "--set", "silent=true")
    assert found.stdout.endswith("</Background>\n")


def test_the_schema_allows_it() -> None:
    """`overture schema` knows the name, and says what it is."""
    properties = json.loads(read_stdout("schema", "state"))["$defs"]["State"]["properties"]
    assert properties["silent"]["type"] == "boolean"
    assert "background" in properties["silent"]["description"]

"""Names that a program or a provider chooses show what they hold, on one line, in each view of the tap."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from overture.tap.recorded_call import CallPiece, CallUsage
from overture.tap.store.store import open_store
from tests.contract.cli.run import run
from tests.tap.store.made_calls import make_call, make_run

NAME = "gpt\u202e5\x1b[31m\nnext\u200b"
HIDDEN = ("\u202e", "\u200b", "\x1b", "\x07")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with a call whose names are hostile: model, tool, heading, first words, error, and why it stopped."""
    path = tmp_path / "calls.sqlite"
    made = make_call("c0", f"{NAME} asks", usage=CallUsage(10, output=5), stop=NAME, error=f"{NAME}: no")
    pieces = (CallPiece("tool", NAME, "{}"), CallPiece("system", "system", f"# {NAME}\x07\n\ntext"), *made.pieces[2:])
    with open_store(path) as store:
        store.add_run(replace(make_run(), command=(NAME,), program=NAME))
        store.add(replace(made, model=NAME, pieces=pieces))
    return path


@pytest.mark.parametrize("words", [("report",), ("report", "--markdown"), ("list",), ("show",)], ids=" ".join)
def test_a_view_shows_what_a_name_holds(path: Path, words: tuple[str, ...]) -> None:
    """No direction turns round, nothing is invisible, and no line begins with the rest of a name."""
    done = run("tap", *words, "--store", str(path))
    shown = done.stdout + done.stderr
    assert done.returncode == 0 and "\\u{202E}5" in shown
    assert not [char for char in HIDDEN if char in shown]
    assert not [line for line in shown.splitlines() if line.startswith("next")]

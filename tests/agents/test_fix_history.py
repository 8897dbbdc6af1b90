"""What `overture agents --fix` remembers: a fix that was killed, or ran beside another, is undone all the same."""

import os
import subprocess
from pathlib import Path

import pytest

from overture.agents.advice.possible_changes import AgentChange
from overture.agents.agent_project import resolve_in_folder
from overture.agents.fix_agents import (
    FixHistory,
    find_history_path,
    read_history,
    record_fix,
    write_changes,
    write_history,
)
from tests.contract.cli.forked import OVERTURE

from .test_fix import everything, fix
from .test_fix import place as place


@pytest.mark.parametrize("written", [0, 1, 2, 3])
def test_a_fix_that_was_killed_is_undone(place: Path, written: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The record is there before any file: undo takes back what was written, and the fix before stays undoable."""
    first = everything(place)
    assert fix(place, "claude-code", "--yes")[0] == 0
    before = everything(place)
    changes = [
        AgentChange(str(place / "CLAUDE.md"), "import", "", (place / "CLAUDE.md").read_text(), "@X.md\n"),
        AgentChange(str(place / "new/X.md"), "file", "", None, "@AGENTS.md\n"),
        AgentChange(str(place / "new/Y.md"), "link", "", None, None, "X.md"),
    ]
    monkeypatch.setenv("XDG_STATE_HOME", str(place.parent / "home/state"))
    base = resolve_in_folder(place, place.parent / "home")
    path, record = find_history_path(base, str(place)), record_fix(changes, "noon")
    write_history(path, FixHistory(str(place), (*read_history(path, str(place)).fixes, record)))
    assert write_changes(changes[:written], record, str(place)) is None

    code, out, err = fix(place, "--undo")
    restored = f"Restored {written} file{'s' * (written > 1)} to the state before noon.\n"
    unchanged = "All files of the last fix are as they were before noon.\n"
    assert (code, out) == (0, restored if written else unchanged), err
    assert everything(place) == before
    assert fix(place, "--undo")[0] == 0
    assert everything(place) == first


def test_fixes_at_the_same_time_wait_for_each_other(place: Path) -> None:
    """One of them writes, the others see it: each record that is stored undoes something."""
    before = everything(place)
    home = place.parent / "home"
    environment = {**os.environ, "HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
    words: list[str | Path] = [OVERTURE, "agents", "--fix", "claude-code", "gemini-cli", "--yes"]
    running = [
        subprocess.Popen(words, cwd=place, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(3)
    ]
    codes = [process.wait(60) for process in running]
    assert 0 in codes
    assert fix(place, "--undo")[0] == 0
    assert everything(place) == before
    assert fix(place, "--undo")[1] == "Nothing to undo here.\n"


def test_what_an_undo_left_half_done_is_undone_next_time(place: Path) -> None:
    """A file that is as it was before the fix, by hand or by git, is no reason to refuse the others."""
    before = everything(place)
    assert fix(place, "claude-code", "gemini-cli", "--yes")[0] == 0
    (place / "CLAUDE.md").write_text("Be brief.\n")
    code, out, err = fix(place, "--undo")
    assert (code, out.startswith("Restored 1 file to the state before ")) == (0, True), err
    assert everything(place) == before


def test_without_a_place_for_the_history_nothing_is_written(place: Path) -> None:
    """What could not be undone is not done; the error says so."""
    before = everything(place)
    (place.parent / "home/state").write_text("no folder")
    code, _, err = fix(place, "claude-code", "--yes")
    assert code == 2 and "cause: Nothing was changed: without the history, it could not be undone" in err
    assert everything(place) == before

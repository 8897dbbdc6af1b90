"""What `overture agents --fix` remembers: a fix that was killed, or ran beside another, is undone all the same."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from overture.agents.fix.fix_agents import write_plan
from overture.agents.fix.history import (
    FixHistory,
    find_history_path,
    read_history,
    record_fix,
    write_changes,
    write_history,
)
from overture.agents.fix.plan import plan_fix
from overture.agents.fix.simulate import Change
from overture.agents.table import open_agents_in
from overture.errors import ConfigError
from overture.terminal.confirm_changes import find_change_refusal
from tests.contract.cli.forked import OVERTURE, SOURCE

from .test_fix import everything, fix
from .test_fix import place as place


def change(path: Path, before: str | None, after: str | None, target: str | None = None) -> Change:
    """A change of a file, or a link."""
    kind = "link" if target else "import"
    return Change(str(path), kind, str(path.parent), path.name, "", target, after, before)  # type: ignore[arg-type]


@pytest.mark.parametrize("written", [0, 1, 2, 3, 4])
def test_a_fix_that_was_killed_is_undone(place: Path, written: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The record is there before any file: undo takes back what was written, and the fix before stays undoable."""
    (place / "pkg").mkdir()
    (place / "pkg/CLAUDE.md").write_text("@AGENTS.md\n")
    first = everything(place)
    assert fix(place, "claude-code", "--yes")[0] == 0
    before = everything(place)
    changes = [
        change(place / "CLAUDE.md", (place / "CLAUDE.md").read_text(), "@X.md\n"),
        change(place / "new/X.md", None, "@AGENTS.md\n"),
        change(place / "new/Y.md", None, None, "X.md"),
        change(place / "pkg/CLAUDE.md", "@AGENTS.md\n", None, "AGENTS.md"),
    ]
    monkeypatch.setenv("XDG_STATE_HOME", str(place.parent / "home/state"))
    base = open_agents_in(place, place.parent / "home")
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


def test_fixes_are_undone_one_after_the_other(place: Path) -> None:
    """The last one first."""
    first = everything(place)
    fix(place, "claude-code", "--yes")
    second = everything(place)
    fix(place, "gemini-cli", "--yes")
    assert everything(place) not in (first, second)
    fix(place, "--undo")
    assert everything(place) == second
    fix(place, "--undo")
    assert everything(place) == first


def test_undo_refuses_where_a_file_was_changed_since(place: Path) -> None:
    """Nothing is touched, and the file is named."""
    fix(place, "claude-code", "gemini-cli", "--yes")
    (place / "CLAUDE.md").write_text("@AGENTS.md\n\nBe brief. And kind.\n")
    before = everything(place)
    code, _, err = fix(place, "--undo")
    assert code == 2
    assert f"error: {place}/CLAUDE.md: it has changed since" in err
    assert everything(place) == before


def test_what_fails_half_way_is_taken_back(place: Path) -> None:
    """The first file is as it was, and no folder is left behind."""
    before = everything(place)
    text = (place / "CLAUDE.md").read_text()
    changes = [
        change(place / "CLAUDE.md", text, "@AGENTS.md\n"),
        change(place / "new/X.md", None, "@AGENTS.md\n"),
        change(place / "AGENTS.md/X.md", None, "@AGENTS.md\n"),
    ]
    failed = write_changes(changes, record_fix(changes, "now"), str(place))
    assert failed is not None and failed[0] == str(place / "AGENTS.md/X.md")
    assert everything(place) == before


def test_a_file_that_changed_after_it_was_shown_is_not_written(place: Path) -> None:
    """Whoever agreed saw another text."""
    base = open_agents_in(place, place.parent / "home")
    plan = plan_fix(base, ["claude-code"])
    (place / "CLAUDE.md").write_text("Something new.\n")
    with pytest.raises(ConfigError, match="it has changed"):
        write_plan(plan, base, ("claude-code",))
    assert (place / "CLAUDE.md").read_text() == "Something new.\n"


def test_a_new_file_never_takes_the_place_of_another(place: Path) -> None:
    """Something that came to be there meanwhile stays."""
    before, new = everything(place), change(place / "CLAUDE.md", None, "@AGENTS.md\n")
    assert find_change_refusal(new.path, new.before, str(place)) == "the file exists now"
    assert write_changes([new], record_fix([new], "now"), str(place)) is not None
    assert everything(place) == before


def test_a_link_on_the_way_leads_nowhere(place: Path) -> None:
    """A folder of the project that is a link out of it is not written into."""
    (place.parent / "elsewhere").mkdir()
    (place / ".gemini").symlink_to(place.parent / "elsewhere")
    refusal = find_change_refusal(str(place / ".gemini/settings.json"), None, str(place))
    assert refusal == "its path goes through a symlink that leaves the project"


def test_a_folder_that_may_not_be_written_to_is_refused() -> None:
    """It is named before anything is written."""
    with tempfile.TemporaryDirectory() as name:
        Path(name, "CLAUDE.md").write_text("Be brief.\n")
        Path(name).chmod(0o555)
        child = os.fork()
        if child == 0:  # root may write everywhere, so somebody else looks
            if os.geteuid() == 0:
                os.setuid(65534)
            refusal = find_change_refusal(f"{name}/CLAUDE.md", "Be brief.\n", name)
            os._exit(refusal != f"the folder {name} is not writable")
        assert os.waitpid(child, 0)[1] == 0
        Path(name).chmod(0o755)


def test_fixes_at_the_same_time_wait_for_each_other(place: Path) -> None:
    """One of them writes, the others see it: each record that is stored undoes something."""
    before = everything(place)
    home = place.parent / "home"
    environment = {**os.environ, "HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "PYTHONPATH": str(SOURCE)}
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
    (place / "CLAUDE.md").write_bytes(before["CLAUDE.md"])  # type: ignore[arg-type]
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

"""`overture agents --fix`: shows, asks, writes, never over another text, and takes it back byte for byte."""

import json
import os
import pty
import tempfile
import threading
from pathlib import Path

import pytest

from overture.agents.advice.plan_changes import plan_in_folder
from overture.agents.advice.possible_changes import AgentChange
from overture.agents.agent_project import resolve_in_folder
from overture.agents.fix_agents import record_fix, write_changes, write_plan
from overture.agents.make_reports import report_agents
from overture.errors import ConfigError
from overture.terminal.confirm_changes import find_change_refusal
from tests.contract.cli.forked import run_between
from tests.contract.cli.run import run
from tests.contract.discovery.disk import put

RULES = "# Rules\n\nUse tabs.\n"
WITH_COMMENTS = '{\n  // mine\n  "theme": "dark", // at night\n}\n'


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A repository with an AGENTS.md, and a CLAUDE.md that says something else."""
    (tmp_path / "home").mkdir()
    (tmp_path / "p/.git").mkdir(parents=True)
    (tmp_path / "p/AGENTS.md").write_text(RULES)
    (tmp_path / "p/CLAUDE.md").write_text("Be brief.\n")
    return tmp_path / "p"


def fix(place: Path, *words: str) -> tuple[int, str, str]:
    """Run it there: its exit code and what it wrote."""
    home = place.parent / "home"
    done = run("agents", "--fix", *words, cwd=place, HOME=str(home), XDG_STATE_HOME=str(home / "state"))
    return done.returncode, done.stdout, done.stderr


def everything(place: Path) -> dict[str, bytes | str]:
    """All that lies there."""
    found: dict[str, bytes | str] = {}
    for path in sorted(place.rglob("*")):
        name = str(path.relative_to(place))
        found[name] = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else "folder"
    return found


def test_it_only_shows_where_nobody_can_agree(place: Path) -> None:
    """Without a terminal and without --yes: a diff, who is helped, exit code 1, and no file is touched."""
    before = everything(place)
    code, out, err = fix(place, "claude-code", "gemini-cli")
    assert code == 1
    assert "for Claude Code\n--- a/CLAUDE.md\n+++ b/CLAUDE.md\n" in out
    assert "+@AGENTS.md" in out
    first, hint = err.splitlines()
    assert first == "note: Would change 2 files: CLAUDE.md, .gemini/settings.json"
    assert hint == "hint: `overture agents --fix claude-code gemini-cli --yes` writes them"
    assert everything(place) == before


def test_with_yes_it_writes_and_then_finds_nothing_to_do(place: Path) -> None:
    """Each agent's report shows the text loaded; a second fix writes nothing; undo restores every byte."""
    before = everything(place)
    assert fix(place, "claude-code", "gemini-cli", "--yes")[0] == 0
    assert (place / "CLAUDE.md").read_text() == "@AGENTS.md\n\nBe brief.\n"
    for report in report_agents(["claude-code", "gemini-cli"], cwd=place, home=place.parent / "home"):
        assert f"{place}/AGENTS.md" in [file.path for file in report.of("loaded")], report.name
    code, out, _ = fix(place, "claude-code", "gemini-cli")
    assert (code, out) == (0, "All of them get the same instructions at the start: nothing to fix.\n")

    code, out, _ = fix(place, "--undo")
    assert code == 0
    assert out.startswith("Restored 2 files to the state before ")
    assert everything(place) == before
    assert fix(place, "--undo")[:2] == (1, "Nothing to undo here.\n")


def test_fixes_are_undone_one_after_the_other(place: Path) -> None:
    """The last one first; also line ends, permissions and links are as they were."""
    (place / "CLAUDE.md").write_bytes(b"Be brief.\r\nSay why.\r\n")
    (place / "CLAUDE.md").chmod(0o640)
    first = everything(place)
    fix(place, "claude-code", "--yes")
    assert (place / "CLAUDE.md").read_bytes() == b"@AGENTS.md\r\n\r\nBe brief.\r\nSay why.\r\n"
    second = everything(place)
    fix(place, "gemini-cli", "--yes")
    fix(place, "--undo")
    assert everything(place) == second
    fix(place, "--undo")
    assert everything(place) == first
    assert (place / "CLAUDE.md").stat().st_mode & 0o777 == 0o640


def test_undo_refuses_where_a_file_was_changed_since(place: Path) -> None:
    """Nothing is touched, and the file is named."""
    fix(place, "claude-code", "gemini-cli", "--yes")
    (place / "CLAUDE.md").write_text("@AGENTS.md\n\nBe brief. And kind.\n")
    before = everything(place)
    code, _, err = fix(place, "--undo")
    assert code == 2
    assert f"error: {place}/CLAUDE.md: it has changed since" in err
    assert everything(place) == before


@pytest.mark.parametrize(("answer", "written"), [(b"y\n", True), (b"n\n", False), (b"\n", False)])
def test_it_asks_on_a_terminal(place: Path, answer: bytes, written: bool) -> None:
    """Yes writes; anything else does not."""
    ours, theirs = pty.openpty()
    os.write(ours, answer)
    reader = threading.Thread(target=_drain, args=(ours,))
    reader.start()
    environment = {"HOME": str(place.parent / "home"), "TERM": "xterm"}
    run_between(("agents", "--fix", "claude-code"), [theirs, theirs, theirs], place, environment)
    os.close(theirs)
    reader.join(20)
    os.close(ours)
    assert (place / "CLAUDE.md").read_text().startswith("@AGENTS.md") is written


def _drain(terminal: int) -> None:
    while True:
        try:
            if not os.read(terminal, 65536):
                return
        except OSError:
            return


def test_comments_in_settings_stay(place: Path) -> None:
    """Only the key is added; comments and commas are as they were."""
    (place / "CLAUDE.md").unlink()
    (place / ".gemini").mkdir()
    (place / ".gemini/settings.json").write_text(WITH_COMMENTS)
    assert fix(place, "gemini-cli", "codex", "--yes")[0] == 0
    text = (place / ".gemini/settings.json").read_text()
    assert text.startswith(WITH_COMMENTS.removesuffix("}\n").rstrip())
    assert '"fileName": [' in text


def test_broken_settings_are_left_alone_and_said(place: Path) -> None:
    """What to set is said with the reason; nothing else is wrong with the run."""
    (place / "CLAUDE.md").unlink()
    (place / "GEMINI.md").symlink_to("nowhere.md")
    (place / ".gemini").mkdir()
    (place / ".gemini/settings.json").write_text('{"context": ')
    code, out, _ = fix(place, "gemini-cli", "--yes")
    assert code == 0
    assert "set `context.fileName` in .gemini/settings.json to" in out
    assert "invalid JSON" in out
    assert (place / ".gemini/settings.json").read_text() == '{"context": '


def test_a_folder_that_may_not_be_written_to_is_refused() -> None:
    """It is named before anything is written."""
    with tempfile.TemporaryDirectory() as name:
        Path(name, "CLAUDE.md").write_text("Be brief.\n")
        Path(name).chmod(0o555)
        child = os.fork()
        if child == 0:  # root may write everywhere, so somebody else looks
            if os.geteuid() == 0:
                os.setuid(65534)
            change = AgentChange(f"{name}/CLAUDE.md", "import", "", "Be brief.\n", "@AGENTS.md\n")
            os._exit(find_change_refusal(change.path, change.before, name) != f"the folder {name} is not writable")
        assert os.waitpid(child, 0)[1] == 0
        Path(name).chmod(0o755)


def test_what_fails_half_way_is_taken_back(place: Path) -> None:
    """The first file is as it was, and no folder is left behind."""
    before = everything(place)
    changes = [
        AgentChange(str(place / "CLAUDE.md"), "import", "", "Be brief.\n", "@AGENTS.md\n"),
        AgentChange(str(place / "new/X.md"), "file", "", None, "@AGENTS.md\n"),
        AgentChange(str(place / "AGENTS.md/X.md"), "file", "", None, "@AGENTS.md\n"),
    ]
    failed = write_changes(changes, record_fix(changes, "now"), str(place))
    assert failed is not None
    assert failed[0] == str(place / "AGENTS.md/X.md")
    assert everything(place) == before


def test_a_file_that_changed_after_it_was_shown_is_not_written(place: Path) -> None:
    """Whoever agreed saw another text."""
    base = resolve_in_folder(place, place.parent / "home")
    plan = plan_in_folder(base, ["claude-code"])
    (place / "CLAUDE.md").write_text("Something new.\n")
    with pytest.raises(ConfigError, match="it has changed"):
        write_plan(plan, base, ("claude-code",))
    assert (place / "CLAUDE.md").read_text() == "Something new.\n"


def test_a_new_file_never_takes_the_place_of_another(place: Path) -> None:
    """Something that came to lie there meanwhile stays."""
    change = AgentChange(str(place / "CLAUDE.md"), "file", "", None, "@AGENTS.md\n")
    assert find_change_refusal(change.path, change.before, str(place)) == "the file exists now"
    assert write_changes([change], record_fix([change], "now"), str(place)) is not None
    assert (place / "CLAUDE.md").read_text() == "Be brief.\n"


def test_a_link_on_the_way_leads_nowhere(place: Path) -> None:
    """A folder of the project that is a link out of it is not written into."""
    (place.parent / "elsewhere").mkdir()
    (place / ".gemini").symlink_to(place.parent / "elsewhere")
    change = AgentChange(str(place / ".gemini/settings.json"), "setting", "", None, "{}\n")
    assert (
        find_change_refusal(change.path, change.before, str(place))
        == "its path goes through a symlink that leaves the project"
    )


def test_no_second_name_that_differs_only_in_case(place: Path) -> None:
    """A checkout on macOS or Windows would lose one of the two: another name is taken."""
    (place / "CLAUDE.md").write_text("@AGENTS.md\n")
    put(place / "bay/AGENTS.md", "Mind the bay.\n")
    put(place / "bay/claude.md", "Something else.\n")
    assert fix(place, "claude-code", "codex", "--yes")[0] == 0
    made = sorted(path.relative_to(place).as_posix() for path in (place / "bay").rglob("*.md"))
    assert made == ["bay/.claude/CLAUDE.md", "bay/AGENTS.md", "bay/claude.md"]


def test_as_json_the_changes_are_data(place: Path) -> None:
    """Paths, texts and agents, and what has to be done by hand."""
    code, out, _ = fix(place, "codex", "claude-code", "--json")
    told = json.loads(out)
    assert code == 1
    assert [(each["path"], each["helps"]) for each in told["changes"]] == [(f"{place}/CLAUDE.md", ["claude-code"])]
    assert told["by_hand"][0]["agents"] == ["codex"]


def test_a_folder_of_skills_is_linked_and_unlinked(place: Path) -> None:
    """The agent that misses the skills lists them afterwards, and all is as before once it is undone."""
    (place / "CLAUDE.md").unlink()
    (place / ".agents/skills/tides").mkdir(parents=True)
    (place / ".agents/skills/tides/SKILL.md").write_text("---\nname: tides\ndescription: Reads tides.\n---\nSteps.\n")
    before, names = everything(place), ("claude-code", "codex", "cursor")
    code, out, _ = fix(place, *names, "--yes")
    assert (code, "for Claude Code\n+ .claude/skills -> ../.agents/skills\n" in out) == (0, True)
    (report,) = report_agents(["claude-code"], cwd=place, home=place.parent / "home")
    assert [file.path for file in report.of("loaded") if file.kind == "skill"]
    assert "nothing to fix" in fix(place, *names)[1]
    assert fix(place, "--undo")[0] == 0
    assert everything(place) == before

"""`overture agents --fix`: what it changes and what it never does; it shows, asks, writes, and takes it back."""

import json
import os
import pty
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.contract.cli.forked import run_between
from tests.contract.cli.run import run
from tests.contract.discovery.disk import put

RULES = "# Rules\n\nUse tabs in all files of this project.\n"
NOTES = "Be brief when you answer people.\n"
WITH_COMMENTS = '{\n  // mine\n  "theme": "dark", // at night\n}\n'
SKILL = "---\nname: {0}\ndescription: Reads the {0} table.\n---\nSteps.\n"
LINE = "Keep to the plan of the harbour, and say so whenever you do not do it.\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A repository with an AGENTS.md, and a CLAUDE.md that says something else."""
    (tmp_path / "home").mkdir()
    (tmp_path / "p").mkdir()
    subprocess.run(["git", "init", "-q", tmp_path / "p"], check=True)
    put(tmp_path / "p/AGENTS.md", RULES)
    put(tmp_path / "p/CLAUDE.md", NOTES)
    put(tmp_path / "p/overture.toml", 'agents = ["claude-code", "codex", "gemini-cli"]\n')
    return tmp_path / "p"


def agents(place: Path, *words: str) -> tuple[int, str, str]:
    """Run `overture agents` there: its exit code and what it wrote."""
    home = place.parent / "home"
    done = run("agents", *words, cwd=place, HOME=str(home), XDG_STATE_HOME=str(home / "state"))
    return done.returncode, done.stdout, done.stderr


def fix(place: Path, *words: str) -> tuple[int, str, str]:
    """The same with `--fix`."""
    return agents(place, "--fix", *words)


def plan(place: Path, *names: str) -> Any:
    """What `--fix --json` says."""
    return json.loads(fix(place, *names, "--json")[1])


def planned(place: Path, *names: str) -> dict[str, str]:
    """By path, the target of each link, or the new text."""
    return {
        str(Path(each["path"]).relative_to(place)): each["target"] or each["after"]
        for each in plan(place, *names)["changes"]
    }


def uses(place: Path) -> list[dict[str, Any]]:
    """The table: what each of all agents does with each file, from each start."""
    files = json.loads(agents(place, "--files", "--all", "--json")[1])["files"]
    return [{"path": file["path"], **use} for file in files for use in file["uses"]]


def gets(place: Path, agent: str, path: str, start: str = ".") -> str:
    """What an agent does with a file."""
    return str(
        next(use["how"] for use in uses(place) if (use["agent"], use["path"], use["start"]) == (agent, path, start))
    )


def everything(place: Path) -> dict[str, bytes | str]:
    """All that is there, but what git stores."""
    found: dict[str, bytes | str] = {}
    for path in sorted(place.rglob("*")):
        if ".git" not in path.relative_to(place).parts:
            name = str(path.relative_to(place))
            found[name] = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else "folder"
    return found


# What it changes


@pytest.mark.slow
def test_a_file_that_another_hides_gets_a_link_in_every_folder(place: Path) -> None:
    """As most repositories do it: one link a folder, however many; then nothing is left, also in the table."""
    (place / "CLAUDE.md").unlink()
    (place / "CLAUDE.md").symlink_to("AGENTS.md")
    for number in range(101):
        put(place / f"pkg/p{number}/AGENTS.md", f"Rules of package {number} for everybody.\n")
    told = json.loads(fix(place, "claude-code", "codex", "--yes", "--json")[1])
    assert ([each["target"] for each in told["changes"]], told["folders"]["handled"]) == (["AGENTS.md"] * 101, 101)
    assert (place / "pkg/p100/CLAUDE.md").readlink() == Path("AGENTS.md")
    assert fix(place, "claude-code", "codex")[:2] == (0, "Nothing to fix here.\n")


def test_one_setting_is_less_than_many_links(place: Path) -> None:
    """Gemini CLI reads other names once its settings have them; comments in them stay."""
    put(place / "a/AGENTS.md", "Rules of the first package.\n")
    put(place / ".gemini/settings.json", WITH_COMMENTS)
    (place / "CLAUDE.md").unlink()
    [(path, text)] = planned(place, "gemini-cli").items()
    assert path == ".gemini/settings.json"
    assert all(comment in text for comment in ("// mine", "// at night"))
    assert fix(place, "gemini-cli", "--yes")[0] == 0
    assert gets(place, "gemini-cli", "AGENTS.md") == "loaded"
    assert fix(place, "gemini-cli")[1] == "Nothing to fix here.\n"


def test_broken_settings_are_left_alone(place: Path) -> None:
    """A link does the same."""
    (place / "CLAUDE.md").unlink()
    put(place / ".gemini/settings.json", '{"context": ')
    put(place / "a/AGENTS.md", "Rules of the first package.\n")
    assert planned(place, "gemini-cli") == {"GEMINI.md": "AGENTS.md", "a/GEMINI.md": "AGENTS.md"}


def test_a_file_without_its_companion_gets_it(place: Path) -> None:
    """Codex and Cursor read no CLAUDE.md below, so AGENTS.md leads to it."""
    put(place / "a/CLAUDE.md", "Rules of the first package.\n")
    (place / "CLAUDE.md").unlink()
    (place / "CLAUDE.md").symlink_to("AGENTS.md")
    changes = plan(place, "claude-code", "codex", "cursor")["changes"]
    assert [(each["kind"], each["target"], each["agents"]) for each in changes] == [
        ("link", "CLAUDE.md", ["codex", "cursor"])
    ]


def test_a_text_that_is_paid_twice_is_paid_once(place: Path) -> None:
    """A file that only imports becomes a link: Copilot CLI reads a file once, whatever its names."""
    put(place / "CLAUDE.md", "@AGENTS.md\n")
    before = everything(place)
    assert [use["times"] for use in uses(place) if use["agent"] == "copilot-cli" and use.get("times")] == [2]
    assert fix(place, "claude-code", "copilot-cli", "--yes")[0] == 0
    assert (place / "CLAUDE.md").readlink() == Path("AGENTS.md")
    assert not [use for use in uses(place) if use["agent"] == "copilot-cli" and use.get("times")]
    assert gets(place, "claude-code", "CLAUDE.md") == "loaded"
    assert fix(place, "--undo")[0] == 0
    assert everything(place) == before


def test_text_of_a_person_is_not_deleted_for_it(place: Path) -> None:
    """A CLAUDE.md that says more than its import stays; what to do is said."""
    put(place / "CLAUDE.md", f"{NOTES}\n@AGENTS.md\n")
    code, out, _ = fix(place, "claude-code", "copilot-cli")
    assert code == 0
    assert "reaches Copilot CLI twice" in out and "make CLAUDE.md a symlink to AGENTS.md" in out
    assert planned(place, "claude-code", "copilot-cli") == {}


def test_skills_reach_all_agents_that_lack_them(place: Path) -> None:
    """One link for all skills, or one for each that is missing beside those that are there."""
    for name in ("tides", "moorings", "berths"):
        put(place / f".agents/skills/{name}/SKILL.md", SKILL.format(name))
    assert planned(place, "claude-code", "codex", "cursor")[".claude/skills"] == "../.agents/skills"
    (place / ".claude/skills").mkdir(parents=True)
    (place / ".claude/skills/tides").symlink_to("../../.agents/skills/tides")
    made = planned(place, "claude-code", "codex", "cursor")
    assert {path: target for path, target in made.items() if "skills" in path} == {
        f".claude/skills/{name}": f"../../.agents/skills/{name}" for name in ("berths", "moorings")
    }
    fix(place, "claude-code", "codex", "cursor", "--yes")
    for name in ("tides", "moorings", "berths"):
        listed = [use for use in uses(place) if use["agent"] == "claude-code" and f"/{name}/" in use["path"]]
        assert [use["how"] for use in listed].count("listed") == 1


# What it never does


def test_an_agent_in_use_that_is_not_named_gets_nothing_twice(place: Path) -> None:
    """Copilot CLI follows the import in CLAUDE.md and reads AGENTS.md too, so Claude Code gets it another way."""
    (place / "overture.toml").unlink()
    assert "CLAUDE.md" not in planned(place, "claude-code")
    assert fix(place, "claude-code", "--yes")[0] == 0
    assert not [use for use in uses(place) if use["agent"] == "copilot-cli" and use.get("times")]
    assert gets(place, "claude-code", ".claude/CLAUDE.md") == "loaded"


def test_what_only_a_person_can_decide_is_said(place: Path) -> None:
    """Codex has no imports: what CLAUDE.md says beside AGENTS.md has to be moved."""
    put(place / "CLAUDE.md", "".join(f"Note {number} is for all who work here.\n" for number in range(5)))
    code, out, _ = fix(place, "codex", "claude-code", "--yes")
    assert code == 0
    assert "- Codex does not get CLAUDE.md: move what is meant for all into a file that all read" in out
    assert "Handled: 1 folder. Left to do by hand: 1 folder." in out
    [advice] = plan(place, "codex", "claude-code")["by_hand"]
    assert (advice["code"], advice["agents"]) == ("move", ["codex"])


def test_no_setting_is_written_that_the_agent_ignores(place: Path) -> None:
    """Codex reads a project's settings only where its user trusts it: what to do is said, and nothing is claimed."""
    put(place / "AGENTS.md", LINE * 600)
    (place / "CLAUDE.md").unlink()
    code, out, _ = fix(place, "codex", "--yes")
    assert code == 0 and not (place / ".codex").exists()
    assert "Codex loads" in out and "shorten AGENTS.md" in out
    assert "`project_doc_max_bytes = 43008` in ~/.codex/config.toml" in out
    put(place / ".codex/config.toml", "project_doc_max_bytes = 200000\n")
    assert gets(place, "codex", "AGENTS.md") == "truncated"


def test_no_old_name_is_written_and_no_agent_gets_a_text_twice(place: Path) -> None:
    """Only a file of Copilot's is there: nobody gets .cursorrules, and Crush nothing twice that it read once."""
    (place / "AGENTS.md").unlink()
    (place / "CLAUDE.md").unlink()
    put(place / ".github/copilot-instructions.md", RULES)
    put(place / ".crush/crush.json", "{}\n")
    put(place / ".cursor/rules/a.mdc", "---\nalwaysApply: true\n---\nName routes in English.\n")
    before = {(use["agent"], use["start"]) for use in uses(place) if use["how"] == "loaded"}
    fix(place, "--yes")
    assert not (place / ".cursorrules").exists()
    after = [use for use in uses(place) if use["how"] == "loaded"]
    assert before <= {(use["agent"], use["start"]) for use in after}
    texts = [(place / use["path"]).resolve() for use in after if use["agent"] == "crush"]
    assert len(texts) == len(set(texts))


def test_what_git_ignores_is_not_written(place: Path) -> None:
    """Somebody may generate it, and nobody else would get it."""
    put(place / "a/AGENTS.md", "Rules of the first package.\n")
    put(place / ".gitignore", "/a/CLAUDE.md\n/a/.claude/\n")
    told = plan(place, "claude-code")
    assert [Path(each["path"]).name for each in told["changes"]] == ["CLAUDE.md"]
    assert "ignored" in {each["code"] for each in told["refused"]}
    assert told["folders"] == {"handled": 1, "left": 1}


def test_no_second_name_that_differs_only_in_case(place: Path) -> None:
    """A checkout on macOS or Windows would lose one of the two: another name is taken."""
    put(place / "CLAUDE.md", "@AGENTS.md\n")
    put(place / "bay/AGENTS.md", "Mind the bay, and all that is in it.\n")
    put(place / "bay/claude.md", "Something else.\n")
    assert fix(place, "claude-code", "codex", "--yes")[0] == 0
    made = sorted(path.relative_to(place).as_posix() for path in (place / "bay").rglob("*.md"))
    assert made == ["bay/.claude/CLAUDE.md", "bay/AGENTS.md", "bay/claude.md"]


def test_what_only_this_user_has_does_not_count(place: Path) -> None:
    """A fix is for everybody who works on the project: a setting of one hides nothing."""
    (place / "CLAUDE.md").unlink()
    put(place.parent / "home/.gemini/settings.json", '{"context": {"fileName": ["AGENTS.md"]}}')
    assert planned(place, "gemini-cli") == {"GEMINI.md": "AGENTS.md"}


@pytest.mark.parametrize("name", ["agents.md", ".claude/agents/r.md"])
def test_no_fix_is_promised_for_a_file_that_none_is_for(place: Path, name: str) -> None:
    """A file in another case, and a sub-agent: nothing here makes more agents load them."""
    (place / "AGENTS.md").rename(place / "old.md")
    put(place / name, "---\nname: r\ndescription: Reads.\n---\nWords.\n")
    (place / "old.md").rename(place / "AGENTS.md") if name != "agents.md" else None
    assert "--fix" not in agents(place, "--why", name)[1]


# Showing, asking, writing


def test_it_only_shows_where_nobody_can_agree(place: Path) -> None:
    """Without a terminal and without --yes: a diff, who is helped, exit code 1, and no file is touched."""
    before = everything(place)
    code, out, err = fix(place, "claude-code", "gemini-cli")
    assert code == 1
    assert "for Claude Code\n--- a/CLAUDE.md\n+++ b/CLAUDE.md\n" in out and "+@AGENTS.md" in out
    assert "for Gemini CLI\n+ GEMINI.md -> AGENTS.md\n" in out
    assert err.splitlines() == [
        "note: Would change 2 files: CLAUDE.md, GEMINI.md",
        "hint: `overture agents --fix claude-code gemini-cli --yes` writes them",
    ]
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


def test_with_yes_it_writes_and_undo_restores_every_byte(place: Path) -> None:
    """Also line ends and permissions; then there is nothing to undo."""
    (place / "CLAUDE.md").write_bytes(b"Be brief.\r\nSay why.\r\n")
    (place / "CLAUDE.md").chmod(0o640)
    before = everything(place)
    assert fix(place, "claude-code", "gemini-cli", "--yes")[0] == 0
    assert (place / "CLAUDE.md").read_bytes() == b"@AGENTS.md\r\n\r\nBe brief.\r\nSay why.\r\n"
    assert (gets(place, "claude-code", "AGENTS.md"), gets(place, "gemini-cli", "GEMINI.md")) == ("loaded", "loaded")
    code, out, _ = fix(place, "--undo")
    assert code == 0 and out.startswith("Restored 2 files to the state before ")
    assert everything(place) == before
    assert (place / "CLAUDE.md").stat().st_mode & 0o777 == 0o640
    assert fix(place, "--undo")[:2] == (1, "Nothing to undo here.\n")


@pytest.mark.parametrize(
    ("files", "words"), [({}, "No agent is set up here."), ({"CLAUDE.md": ""}, "Nothing to fix here.")]
)
def test_where_all_is_well_nothing_is_written(tmp_path: Path, files: dict[str, str], words: str) -> None:
    """No file, or an empty one."""
    (tmp_path / "home").mkdir()
    for name, text in {".git/HEAD": "", **files}.items():
        put(tmp_path / "p" / name, text)
    code, out, _ = fix(tmp_path / "p")
    assert code == 0 and out.startswith(words)

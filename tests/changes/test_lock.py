"""`overture lock`: what agents get is locked, the same for everybody, and no change of it goes unseen."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.contract.cli.run import assert_refused, run
from tests.contract.discovery.disk import link, put, put_skill
from tests.contract.discovery.repository import git


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A repository in which nothing is committed or locked yet; in home somebody keeps words of their own."""
    top = tmp_path / "p"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    put(tmp_path / "home/.codex/AGENTS.md", "Mine alone.\n")
    put(tmp_path / "home/.claude/CLAUDE.md", "Mine too.\n")
    put(top / "AGENTS.md", "# Rules\n\nUse tabs.\n")
    put(top / "CLAUDE.md", "Read this.\n\n@docs/style.md\n")
    put(top / "docs/style.md", "Short functions.\n")
    put_skill(top / ".agents/skills/pdf")
    put(top / "api/AGENTS.md", "Use spaces.\n")
    put(top / ".gitignore", "CLAUDE.local.md\n.claude/settings.local.json\n")
    return top


def lock(top: Path, *words: str | Path) -> "subprocess.CompletedProcess[str]":
    return run("lock", *words, "--cwd", top, HOME=str(top.parent / "home"))


def locked(top: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((top / "overture.lock").read_text("utf-8"))
    return data


def moved(top: Path) -> str:
    """What the check says is not as locked."""
    done = lock(top, "--check")
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stderr.endswith("hint: If that is intended, run `overture lock` and commit `overture.lock`\n")
    return done.stdout


def test_what_is_locked(here: Path) -> None:
    """Each agent in use has, from each folder in which it may start, the files that it gets, and their tokens."""
    done = lock(here)
    assert (done.returncode, done.stderr) == (0, "")
    data = locked(here)
    assert list(data["agents"]) == ["claude-code", "codex", "copilot-cli", "cursor"]
    assert set(data["agents"]["codex"]) == {".", "api"}
    assert set(data["agents"]["codex"]["."]) == {"AGENTS.md", ".agents/skills/pdf/SKILL.md"}
    assert set(data["agents"]["codex"]["api"]) == {"AGENTS.md", "api/AGENTS.md"}
    assert data["agents"]["codex"]["."]["AGENTS.md"]["how"] == "loaded"
    assert "docs/style.md" in data["agents"]["claude-code"]["."]
    assert set(data["files"]) >= {"AGENTS.md", "CLAUDE.md", "api/AGENTS.md", "docs/style.md"}
    text = (here / "overture.lock").read_text("utf-8")
    for word in ("Use tabs", "Mine", str(here.parent), "/project", "home"):
        assert word not in text
    assert lock(here, "--check").returncode == 0


def test_the_same_bytes_everywhere(here: Path, tmp_path: Path) -> None:
    """Another checkout, with other line ends, another home, zone and environment, has the same lock."""
    lock(here)
    git(here, "add", "-A")
    git(here, "commit", "-qm", "First")
    other = tmp_path / "somewhere/else"
    git(here, "worktree", "add", "-q", "--detach", other)
    put(other / "AGENTS.md", "# Rules\r\n\r\nUse tabs.\r\n")
    put(other.parent / "AGENTS.md", "Above the project.\n")

    def lock_there(*words: str) -> int:
        theirs = {"TZ": "Asia/Tokyo", "CODEX_HOME": str(here), "OVERTURE_RECIPE": "ptc", "HOME": str(tmp_path)}
        return run("lock", *words, cwd=other, **theirs).returncode

    assert lock_there("--check") == 0
    (other / "overture.lock").unlink()
    assert lock_there() == 0
    assert (other / "overture.lock").read_bytes() == (here / "overture.lock").read_bytes()


def test_what_git_ignores_does_not_count(here: Path) -> None:
    """Neither a file of one person, nor settings that would hide another."""
    lock(here)
    put(here / "CLAUDE.local.md", "Mine alone.\n")
    put(here / ".claude/settings.local.json", '{"claudeMdExcludes": ["**/CLAUDE.md"]}')
    assert lock(here, "--check").returncode == 0


def test_each_kind_of_change_has_a_plain_line(here: Path) -> None:
    """Text, a new file, one that is gone, and one that is cut now since another grew."""
    lock(here)
    put(here / "AGENTS.md", "# Rules\n\nUse tabs. Ask before you merge.\n")
    assert "codex, copilot-cli, cursor: AGENTS.md changed (6 → 11 tokens)\n" in moved(here)
    put_skill(here / ".agents/skills/moor")
    assert ".agents/skills/moor/SKILL.md listed now" in moved(here)
    shutil.rmtree(here / ".agents/skills")
    assert ".agents/skills/pdf/SKILL.md no longer listed" in moved(here)
    put(here / "AGENTS.md", "Use tabs.\n" * 3276)
    said = moved(here)
    assert "codex: api/AGENTS.md truncated" in said or "codex: api/AGENTS.md no longer loaded" in said
    assert lock(here).returncode == 0
    assert lock(here, "--check").returncode == 0


def test_the_check_as_data(here: Path) -> None:
    """Agents with an equal change are named together, with the folders in which they are started."""
    lock(here)
    put(here / "api/AGENTS.md", "Use blanks.\n")
    done = lock(here, "--check", "--json")
    assert (done.returncode, done.stderr) == (1, "")
    data = json.loads(done.stdout)
    assert data["same"] is False
    codex = next(each for each in data["changes"] if "codex" in each["subjects"])
    assert (codex["path"], codex["change"], codex["starts"]) == ("api/AGENTS.md", "text", ["api"])


def test_an_agent_that_comes_into_use(here: Path) -> None:
    """GEMINI.md sets up another agent: that is one line."""
    lock(here)
    put(here / "GEMINI.md", "Be brief.\n")
    assert "gemini-cli: in use now\n" in moved(here)


def test_named_agents_and_recipes_stay(here: Path) -> None:
    """What was named is checked and updated without names; a recipe has its sections, and no agent is in use then."""
    assert lock(here, "codex", "opal").returncode == 0
    data = locked(here)
    assert (list(data["agents"]), list(data["recipes"])) == (["codex"], ["opal"])
    assert data["recipes"]["opal"]["fingerprint"].startswith("sha256:")
    put(here / "AGENTS.md", "# Rules\n\nUse blanks.\n")
    assert "opal: project-context changed" in moved(here)
    assert lock(here).returncode == 0
    assert locked(here)["subjects"] == ["codex", "opal"]
    assert lock(here, "--check").returncode == 0


def test_the_recipe_of_the_project(here: Path) -> None:
    """Without names, the recipe of overture.toml is locked, by the path of its file."""
    put(here / "overture.toml", 'recipe = "desk.toml"\n')
    put(here / "desk.toml", 'name = "desk"\n[[sections]]\nname = "words"\nfile = "words.md"\n')
    put(here / "words.md", "Answer letters.\n")
    assert lock(here).returncode == 0
    assert (locked(here)["agents"], list(locked(here)["recipes"])) == ({}, ["desk.toml"])
    put(here / "words.md", "Answer no letters.\n")
    assert "desk.toml: words changed" in moved(here)


def test_a_folder_of_the_lock(here: Path) -> None:
    """--cwd names where agents start; the check goes on from there, wherever it is run."""
    assert run("lock", "opal", "--cwd", here / "api").returncode == 0
    assert locked(here)["cwd"] == "api"
    assert run("lock", "--check", cwd=here / "docs").returncode == 0
    put(here / "api/AGENTS.md", "Use blanks.\n")
    assert run("lock", "--check", cwd=here).returncode == 1


def test_a_second_run_writes_nothing(here: Path) -> None:
    """The file stays the same one, with its permissions, where nothing moved."""
    lock(here)
    os.chmod(here / "overture.lock", 0o640)
    before = (here / "overture.lock").stat()
    assert "overture.lock is unchanged" in lock(here).stdout
    after = (here / "overture.lock").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    put(here / "AGENTS.md", "Use blanks.\n")
    lock(here)
    assert (here / "overture.lock").stat().st_mode & 0o777 == 0o640


def test_no_lock_and_no_repository(here: Path, tmp_path: Path) -> None:
    """Both are one line that says what to do."""
    assert_refused(lock(here, "--check"), "No `overture.lock` here", "`overture lock` writes it")
    (tmp_path / "q").mkdir()
    assert_refused(run("lock", "--cwd", tmp_path / "q"), "Not a git repository")


BROKEN = {
    "half": lambda text: text[: len(text) // 2],
    "a conflict": lambda text: text.replace('"how"', '<<<<<<< HEAD\n"how"\n=======\n', 1),
    "a number for a text": lambda text: text.replace('"cwd": "."', '"cwd": 7', 1),
    "an unknown key": lambda text: text.replace('"cwd": ".",', '"cwd": ".", "more": 1,', 1),
    "a very deep one": lambda text: text.replace('"agents": {', '"agents": ' + "[" * 100_000, 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_lock_is_refused_and_written_again(here: Path, how: str) -> None:
    """The check exits with 2; `overture lock` writes it of what is in use."""
    lock(here)
    text = (here / "overture.lock").read_text("utf-8")
    put(here / "overture.lock", BROKEN[how](text))
    assert_refused(lock(here, "--check"), "overture.lock'", "`overture lock` writes it again")
    assert lock(here).returncode == 0
    assert (here / "overture.lock").read_text("utf-8") == text


@pytest.mark.slow
@pytest.mark.parametrize("words", [["--check"], []], ids=" ".join)
@pytest.mark.parametrize(
    ("text", "said"),
    [('{"overture_lock": 2, "all": "new"}', "Update Overture"), ('{"lockfileVersion": 3}', "Move it away")],
)
def test_what_is_not_ours_is_left_alone(here: Path, words: list[str], text: str, said: str) -> None:
    """A newer lock, or another program's file."""
    put(here / "overture.lock", text)
    assert_refused(lock(here, *words), said)
    assert (here / "overture.lock").read_text("utf-8") == text


@pytest.mark.slow
@pytest.mark.parametrize("words", [["--check"], []], ids=" ".join)
def test_a_folder_or_a_link_that_leaves_the_project_is_refused(here: Path, words: list[str]) -> None:
    """Nothing is written to where a link leads."""
    (here / "overture.lock").mkdir()
    assert_refused(lock(here, *words), "overture.lock'", "directory")
    (here / "overture.lock").rmdir()
    put(here.parent / "theirs", "{}")
    link(here / "overture.lock", here.parent / "theirs")
    assert_refused(lock(here, *words), "leads out of the project")
    assert (here.parent / "theirs").read_text("utf-8") == "{}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("AGENTS.md", "api/AGENTS.md"),
        (".agents/skills/crane/SKILL.md", ".agents/skills/moor/SKILL.md"),  # neighbours in the lock
        ("CLAUDE.md", ".agents/skills/zebra/SKILL.md"),  # a new file at the end
    ],
)
def test_branches_that_change_different_files_merge(here: Path, ours: str, theirs: str) -> None:
    """git merges both locks without a conflict, and the result is what `overture lock` would write."""
    for name in ("crane", "moor", "pdf"):
        put_skill(here / f".agents/skills/{name}")

    def commit(path: str = "") -> None:
        if path:
            name = Path(path).parent.name
            put(
                here / path,
                f"---\nname: {name}\ndescription: Much more.\n---\n" if "SKILL" in path else f"Now {path}.\n",
            )
        assert lock(here).returncode == 0
        git(here, "add", "-A")
        git(here, "commit", "-qm", "A change")

    commit()
    git(here, "checkout", "-qb", "theirs")
    commit(theirs)
    git(here, "checkout", "-q", "main")
    commit(ours)
    git(here, "merge", "-q", "-m", "Merge", "theirs")
    assert lock(here, "--check").returncode == 0


def test_a_recipe_that_is_gone_is_an_error_by_its_own_path(here: Path) -> None:
    """The message names the file as it is called here."""
    put(here / "desk.toml", 'name = "desk"\n[[sections]]\nname = "words"\ntext = "Hi."\n')
    assert run("lock", "desk.toml", cwd=here).returncode == 0
    (here / "desk.toml").unlink()
    done = lock(here, "--check")
    assert_refused(done, "desk.toml")
    assert "/project" not in done.stderr

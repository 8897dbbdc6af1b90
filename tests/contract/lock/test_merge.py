"""`overture.lock` through `git merge`: branches that change different files merge, others are told apart and fixed."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ..cli.run import assert_refused, run
from ..discovery.disk import put

pytestmark = pytest.mark.slow


RECIPES = ("codex", "claude-code", "house", "opal")
SKILL = "---\nname: {0}\ndescription: Knows all about {0}.\n---\n"
BASE = {
    "AGENTS.md": "Use tabs.\n",
    "CLAUDE.md": "Ask first.\n",
    "api/AGENTS.md": "Use spaces.\n",
    **{f".agents/skills/{name}/SKILL.md": SKILL.format(name) for name in ("crane", "moor", "tide")},
}


def git(top: Path, *words: str) -> subprocess.CompletedProcess[str]:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *who, "-C", top, *words], capture_output=True, text=True, check=False)


def lock(top: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return run("lock", *words, "--cwd", top / "api", "--home", top.parent / "home")


def commit(top: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        put(top / name, text)
    done = lock(top, *(() if (top / "overture.lock").exists() else (*RECIPES, "--tokenizer", "estimate")))
    assert done.returncode == 0, done.stderr
    git(top, "add", "-A")
    assert git(top, "commit", "-qm", "A change").returncode == 0


@pytest.fixture
def branches(tmp_path: Path) -> Callable[[dict[str, str], dict[str, str]], tuple[Path, int]]:
    """Two branches of a locked project, each with a change and its lock; the second is merged into the first."""

    def merge(ours: dict[str, str], theirs: dict[str, str]) -> tuple[Path, int]:
        top = tmp_path / "p"
        (tmp_path / "home").mkdir()
        top.mkdir()
        git(top, "init", "-q", "-b", "main")
        commit(top, BASE)
        git(top, "checkout", "-qb", "theirs")
        commit(top, theirs)
        git(top, "checkout", "-q", "main")
        commit(top, ours)
        return top, git(top, "merge", "-q", "-m", "Merge", "theirs").returncode

    return merge


def change(name: str) -> str:
    """Another text for a file; of a skill, another description."""
    return SKILL.format(name.split("/")[2]).replace("all", "much more") if "SKILL" in name else f"Now {name}.\n"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("AGENTS.md", "api/AGENTS.md"),  # one section says both
        (".agents/skills/crane/SKILL.md", ".agents/skills/moor/SKILL.md"),  # neighbours in the lock
        ("AGENTS.md", ".agents/skills/tide/SKILL.md"),
        ("CLAUDE.md", ".agents/skills/zebra/SKILL.md"),  # a new file at the end
    ],
)
def test_branches_that_change_different_files_merge(
    branches: Callable[[dict[str, str], dict[str, str]], tuple[Path, int]], ours: str, theirs: str
) -> None:
    """git merges both locks without a conflict, and the result is what `overture lock` would write."""
    texts = [change(name) for name in (ours, theirs)]
    top, code = branches({ours: texts[0]}, {theirs: texts[1]})
    assert code == 0, git(top, "diff").stdout
    done = lock(top, "--check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_branches_that_change_one_file_conflict_and_are_fixed(
    branches: Callable[[dict[str, str], dict[str, str]], tuple[Path, int]],
) -> None:
    """A conflict is called one, with its line; a broken file is called broken; `overture lock` fixes both."""
    top, code = branches({"AGENTS.md": "Use blanks.\n"}, {"AGENTS.md": "Use both.\n"})
    assert code == 1
    put(top / "AGENTS.md", "Use what you like.\n")
    assert_refused(lock(top, "--check"), "overture.lock:", "merge conflict markers", "`overture lock`")
    assert lock(top).returncode == 0
    assert lock(top, "--check").stdout.count("unchanged") == len(RECIPES)
    text = (top / "overture.lock").read_text(encoding="utf-8")
    put(top / "overture.lock", text[:-20])
    assert_refused(lock(top, "--check"), "overture.lock' is invalid", "`overture lock` writes it again")

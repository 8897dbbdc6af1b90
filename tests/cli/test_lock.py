"""`overture lock`: what prompts are made of is locked, the same for everybody, and no change of it goes unseen."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overture.known_agents import AGENTS
from overture.recipes import BUILTIN
from tests.contract.cli.run import run
from tests.contract.discovery.disk import link, put, put_skill
from tests.contract.effort import examples

EVERYBODY = (*BUILTIN, *AGENTS)
SOME = ("claude-code", "codex", "gemini-cli", "house", "nova", "pi")


def project(top: Path) -> Path:
    """A project with something for everybody: a repository in which nothing is committed yet."""
    subprocess.run(["git", "init", "-q", top], check=True)
    put(top / "AGENTS.md", "# Rules\n\nUse tabs.\n")
    put(top / "CLAUDE.md", "Read this.\n\n@docs/style.md\n")
    put(top / "docs/style.md", "Short functions.\n")
    put(top / "GEMINI.md", "Be brief.\n")
    put(top / ".github/copilot-instructions.md", "Be kind.\n")
    put(top / ".cursor/rules/all.mdc", "---\nalwaysApply: true\n---\nBe quick.\n")
    put(top / ".sf/SYSTEM.md", "You are a pilot.\n")
    put(top / "agent.json", '{"name": "Nova", "identity": "A harbour master.", "role": "Books berths."}')
    put(top / "memories.json", '["The quay is closed on Sundays."]')
    put_skill(top / ".agents/skills/pdf")
    put_skill(top / ".claude/skills/tides")
    put(top / "services/api/AGENTS.md", "Use spaces.\n")
    put(top / ".gitignore", "CLAUDE.local.md\n.claude/settings.local.json\n")
    return top


def settled(folder: Path) -> Path:
    """The project, and beside it a home in which somebody keeps words of their own."""
    put(folder / "home/.codex/AGENTS.md", "Mine alone.\n")
    put(folder / "home/.claude/CLAUDE.md", "Mine too.\n")
    put(folder / "home/.config/overture/overture.toml", 'recipe = "pi"\n')
    return project(folder / "p")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A project in which nothing is locked."""
    return settled(tmp_path)


@pytest.fixture(scope="module")
def everybodys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that is locked for all recipes and all agents; nobody changes it."""
    top = settled(tmp_path_factory.mktemp("everybody"))
    assert lock(top, *EVERYBODY)[0] == 0
    assert set(locked(top)) == set(EVERYBODY)
    return top


def lock(top: Path, *words: str | Path, home: Path | None = None, **environment: str) -> tuple[int, str]:
    """Exit code and words of a run; only what is not as locked is said on standard error."""
    done = run("lock", *words, "--cwd", top, "--home", home or top.parent / "home", cwd=None, **environment)
    moved = r"(error: (1 prompt differs|\d+ prompts differ) from the lock\nhint: If that is intended, run .+\n)?"
    moved += r"(error: .+ not in the lock\nhint: To add (it|them), run .+\n)?"
    assert bool(done.stderr) == bool(done.returncode and "--json" not in words), done.stderr
    assert re.fullmatch(moved, done.stderr), done.stderr
    return done.returncode, done.stdout


def locked(top: Path) -> dict[str, Any]:
    """The prompts of a lock, by recipe."""
    data = json.loads((top / "overture.lock").read_text(encoding="utf-8"))
    return {prompt["recipe"]: prompt for prompt in data["prompts"]}


@pytest.mark.slow
def test_what_is_locked_is_as_locked_here_and_in_other_checkouts(everybodys: Path, tmp_path: Path) -> None:
    """All recipes and agents: the check is 0, also in another folder, home, zone and kind of checkout."""
    assert lock(everybodys, "--check")[0] == 0
    other, empty, theirs = elsewhere(everybodys, tmp_path)
    assert lock(other, "--check", home=empty, **theirs)[0] == 0


def elsewhere(top: Path, folder: Path) -> tuple[Path, Path, dict[str, str]]:
    """Another person's worktree of the same project, their home, and their environment."""
    other = folder / "somewhere/else/entirely"
    shutil.copytree(top, other)
    shutil.rmtree(other / ".git")
    put(other / ".git", "gitdir: /nowhere/.git/worktrees/else\n")
    put(other.parent / "AGENTS.md", "Above the project.\n")
    (folder / "empty").mkdir()
    theirs = {"TZ": "Asia/Tokyo", "HOSTNAME": "other", "OVERTURE_RECIPE": "ptc", "CODEX_HOME": str(top)}
    return other, folder / "empty", theirs


@pytest.mark.slow
def test_a_lock_holds_no_text_no_path_and_no_clock(here: Path) -> None:
    """What prompts say, where the checkout lies and when it was made stand nowhere in it; home is left out by name."""
    code, out = lock(here, *SOME)
    text = (here / "overture.lock").read_text(encoding="utf-8")
    assert code == 0
    for word in ("Use tabs", "pilot", "Mine", str(here), str(here.parent), "/project", "20:", "2000-"):
        assert word not in text
    assert "~/.codex/AGENTS.md (under home)" in out
    assert "~/.claude/CLAUDE.md (under home)" in out


FILES = ("AGENTS.md", "CLAUDE.md", "docs/style.md", "GEMINI.md", "agent.json", "memories.json", ".sf/SYSTEM.md",
         ".agents/skills/pdf/SKILL.md", ".claude/skills/tides/SKILL.md")  # fmt: skip


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A locked project for the law below, which leaves it as it was."""
    top = project(tmp_path_factory.mktemp("shared") / "p")
    (top.parent / "home").mkdir()
    assert lock(top, *SOME)[0] == 0
    return top


@pytest.mark.slow
@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=st.sampled_from(FILES), at=st.integers(0, 1000), char=st.sampled_from("azAZ09"))
def test_any_changed_byte_of_a_file_that_is_read_is_seen_and_named(shared: Path, path: str, at: int, char: str) -> None:
    """Whichever byte of whichever file: the check is 1, and each prompt that the file is in names it."""
    data = (shared / path).read_bytes()
    spots = [index for index, byte in enumerate(data) if chr(byte).isalnum() and chr(byte) != char]
    spot = spots[at % len(spots)]
    readers = [name for name, prompt in locked(shared).items() if path in [file["path"] for file in prompt["files"]]]
    assert readers
    (shared / path).write_bytes(data[:spot] + char.encode() + data[spot + 1 :])
    try:
        done = run("lock", "--check", "--json", *readers, "--cwd", shared, "--home", shared.parent / "home")
        assert done.returncode == 1, done.stderr
        for prompt in json.loads(done.stdout)["prompts"]:
            assert path in [change["path"] for change in prompt["changes"]], prompt
    finally:
        (shared / path).write_bytes(data)


def moved(here: Path, change: Callable[[Path], object], *recipes: str) -> str:
    """What the check says after a change; locked again, it says nothing of it any more."""
    lock(here, *recipes)
    change(here)
    code, out = lock(here, "--check")
    assert code == 1
    assert lock(here)[0] == 0
    assert lock(here, "--check")[0] == 0
    return out


def test_a_changed_file_is_named_with_its_tokens(here: Path) -> None:
    """How many more the file has."""
    out = moved(here, lambda top: put(top / "AGENTS.md", "# Rules\n\nUse tabs. Ask before you merge.\n"), "codex")
    assert "codex: AGENTS.md changed (+5 tokens)\n" in out


@pytest.mark.slow
def test_a_skill_that_is_added_removed_or_changed_is_called_by_its_name(here: Path) -> None:
    """`skills: added moor`; one whose text changed below its description says when that is read."""
    assert "codex: skills: added moor (+" in moved(here, lambda top: put_skill(top / ".agents/skills/moor"), "codex")
    said = moved(here, lambda top: put_skill(top / ".agents/skills/moor", body="Moor it.\n"), "codex")
    assert "codex: skills: changed moor: only the part loaded on demand (+0 tokens" in said
    gone = moved(here, lambda top: shutil.rmtree(top / ".agents/skills/moor"), "codex")
    assert "codex: skills: removed moor: the file was removed (-" in gone


@pytest.mark.slow
def test_a_file_beyond_a_limit_is_said_to_be_cut(here: Path) -> None:
    """A file that did not change may be cut now, since another one grew."""
    put(here / "services/api/AGENTS.md", "Use spaces.\n" * 100)
    api = here / "services/api"
    assert run("lock", "codex", "--cwd", api, "--home", here.parent / "home").returncode == 0
    assert {file["said"] for file in locked(here)["codex"]["files"]} == {"whole"}
    put(here / "AGENTS.md", "Use tabs.\n" * 3200)
    code, out = lock(here, "--check")
    assert code == 1
    assert "codex in services/api: services/api/AGENTS.md cut: it is truncated now" in out


@pytest.mark.slow
def test_files_that_git_ignores_are_left_out(here: Path) -> None:
    """CLAUDE.local.md is one person's: with it or without, the lock is the same, and the command names it."""
    lock(here, "claude-code")
    before = (here / "overture.lock").read_bytes()
    put(here / "CLAUDE.local.md", "Mine alone.\n")
    assert lock(here, "--check")[0] == 0
    code, out = lock(here)
    assert (code, (here / "overture.lock").read_bytes()) == (0, before)
    assert "CLAUDE.local.md (git ignores it)" in out


@pytest.mark.slow
def test_line_ends_of_a_checkout_move_nothing(here: Path) -> None:
    """git may check out CRLF on one machine and LF on another."""
    lock(here, "codex", "house")
    put(here / "AGENTS.md", "# Rules\r\n\r\nUse tabs.\r\n")
    assert lock(here, "--check")[0] == 0


@pytest.mark.slow
def test_without_names_the_settings_count_then_what_is_locked(here: Path) -> None:
    """overture.toml of the project names the first one; the user's own settings are not everybody's."""
    assert lock(here)[0] == 0
    assert list(locked(here)) == ["house"]
    (here / "overture.lock").unlink()
    put(here / "overture.toml", 'recipe = "opal"\n')
    lock(here)
    assert list(locked(here)) == ["opal"]
    lock(here, "codex")
    put(here / "AGENTS.md", "Use blanks.\n")
    lock(here)
    assert list(locked(here)) == ["codex", "opal"]
    assert lock(here, "--check")[0] == 0


@pytest.mark.slow
def test_naming_one_leaves_the_others_as_they_are_locked(here: Path) -> None:
    """`overture lock codex` agrees to what moved for codex, and to nothing else; --remove takes one out."""
    lock(here, "codex", "opal")
    put(here / "AGENTS.md", "Use blanks.\n")
    lock(here, "codex")
    code, out = lock(here, "--check")
    assert code == 1
    assert "codex: unchanged" in out
    assert "opal: AGENTS.md changed" in out
    assert lock(here, "--check", "codex")[0] == 0
    assert lock(here, "--remove", "opal")[0] == 0
    assert list(locked(here)) == ["codex"]
    assert lock(here, "--check", "opal") == (1, lock(here, "--check", "opal")[1])


@pytest.mark.slow
def test_a_recipe_that_is_not_locked(here: Path) -> None:
    """It does not differ from the lock: it is not in it, and the hint adds it; what differs is said besides."""
    lock(here, "codex")
    result = run("lock", "--check", "opal", "codex", "pi", cwd=here)
    assert (result.returncode, result.stdout.splitlines()[1]) == (1, "opal: not in the lock")
    assert result.stderr.splitlines() == [
        "error: `opal` and `pi` are not in the lock",
        "hint: To add them, run `overture lock opal pi`",
    ]
    assert run("lock", "--check", "opal", "opal", cwd=here).stdout.splitlines() == ["opal: not in the lock"]
    put(here / "AGENTS.md", "Use blanks.\n")
    result = run("lock", "--check", "opal", "codex", cwd=here)
    assert result.returncode == 1
    assert [line for line in result.stderr.splitlines() if line.startswith("error: ")] == [
        "error: 1 prompt differs from the lock",
        "error: `opal` is not in the lock",
    ]


@pytest.mark.slow
def test_a_recipe_of_the_project_is_locked_by_its_path(here: Path) -> None:
    """Its file counts, and so do the texts that it names; another person's checkout finds it."""
    put(here / "recipes/desk.toml", 'name = "desk"\n[[sections]]\nname = "words"\nfile = "words.md"\n')
    put(here / "recipes/words.md", "Answer letters.\n")
    assert lock(here, here / "recipes/desk.toml")[0] == 0
    assert list(locked(here)) == ["recipes/desk.toml"]
    assert lock(here, "--check")[0] == 0
    put(here / "recipes/words.md", "Answer no letters.\n")
    code, out = lock(here, "--check")
    assert (code, "recipes/desk.toml: " in out, "words" in out) == (1, True, True)
    (here / "recipes/desk.toml").unlink()
    code, out = lock(here, "--check")
    assert (code, "recipes/desk.toml: its file was removed" in out) == (1, True)


@pytest.mark.slow
def test_a_link_in_the_project_counts_and_one_that_leaves_it_does_not(here: Path) -> None:
    """CLAUDE.md as a link to AGENTS.md is everybody's; what lies behind a link to elsewhere is not."""
    (here / "CLAUDE.md").unlink()
    link(here / "CLAUDE.md", "AGENTS.md")
    lock(here, "claude-code")
    put(here / "AGENTS.md", "Use blanks.\n")
    assert "claude-code: CLAUDE.md changed" in lock(here, "--check")[1]
    (here / "CLAUDE.md").unlink()
    put(here.parent / "theirs.md", "Theirs.\n")
    link(here / "CLAUDE.md", here.parent / "theirs.md")
    lock(here)
    put(here.parent / "theirs.md", "Theirs, with a word more.\n")
    assert lock(here, "--check")[0] == 0


def test_a_second_run_writes_nothing(here: Path) -> None:
    """The file stays the same one, with its permissions, where nothing moved."""
    lock(here, "codex")
    os.chmod(here / "overture.lock", 0o640)
    before = (here / "overture.lock").stat()
    assert "overture.lock is unchanged (1 prompt)" in lock(here)[1]
    after = (here / "overture.lock").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    put(here / "AGENTS.md", "Use blanks.\n")
    lock(here)
    assert (here / "overture.lock").stat().st_mode & 0o777 == 0o640
    assert [path.name for path in here.iterdir() if "tmp" in path.name] == []

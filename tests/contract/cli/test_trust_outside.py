"""`overture trust` and files outside the project: what it shows, its status, and how an approval is taken back."""

import json
from pathlib import Path
from typing import Any

import pytest

from .run import run

CANARY = "canary-91c2"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A project whose CLAUDE.md is a link to a file of home, and nothing else waits."""
    for folder in ("p/.git", "p/.claude", "home/private"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "home/private/notes.md").write_text(f"{CANARY}\n")
    (tmp_path / "p/CLAUDE.md").symlink_to(tmp_path / "home/private/notes.md")
    return tmp_path


def overture(top: Path, *words: str | Path) -> Any:
    """A command there."""
    return run(*words, "--home", top / "home", cwd=top / "p", PATH="/nowhere")


def trust(top: Path, *words: str | Path) -> Any:
    """What `trust --json` says."""
    return json.loads(overture(top, "trust", *words, "--json").stdout)


def is_read(top: Path) -> bool:
    """Whether Claude Code's prompt holds the file."""
    return CANARY in overture(top, "build", "claude-code").stdout


def test_read_outside_shows_what_waits(top: Path) -> None:
    """Where only a file outside waits, `--read-outside` shows its text, and nothing else does."""
    assert CANARY not in overture(top, "trust").stdout
    assert f"+{CANARY}" in overture(top, "trust", "--read-outside").stdout
    assert f"+{CANARY}" in trust(top, "--read-outside")["diff"]
    assert trust(top)["diff"] == []


def test_an_approval_of_a_file_outside_is_taken_back(top: Path) -> None:
    """By the file's own path, by the link that leads to it, or with its project; it is read no longer then."""
    notes = top / "home/private/notes.md"
    for path in (notes, top / "p/CLAUDE.md", top / "p"):
        assert trust(top, "--yes")["remembered"] is True
        assert is_read(top)
        assert trust(top, "--remove", path) == {"removed": [str(notes)]}
        assert trust(top, "--list")["files"] == []
        assert not is_read(top)


def test_the_worst_status_counts(top: Path) -> None:
    """One changed file makes the project changed, one unknown beside a trusted one makes it unknown."""
    assert trust(top)["trust"] == "unknown"
    trust(top, "--yes")
    assert trust(top)["trust"] == "trusted"
    other = top / "home/private/other.md"
    other.write_text("Other.\n")
    (top / "p/CLAUDE.local.md").symlink_to(other)
    assert {each["path"]: each["status"] for each in trust(top)["outside"]} == {
        str(top / "home/private/notes.md"): "trusted",
        str(other): "unknown",
    }
    assert trust(top)["trust"] == "unknown"
    (top / "home/private/notes.md").write_text(f"{CANARY} other\n")
    assert trust(top)["trust"] == "changed"
    assert not is_read(top)


def test_a_folder_that_the_user_trusts_is_said_to_be(top: Path) -> None:
    """A project in a folder of the setting `trusted` has the status `folder`, and its file counts as trusted."""
    settings = top / "home/.config/overture/overture.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'trusted = ["{top}/p"]\n')
    (top / "p/overture.toml").write_text('features.skills.extra_dirs = ["../home/private"]\n')
    assert trust(top)["trust"] == "folder"
    assert is_read(top)


def test_an_approval_counts_for_our_own_recipes(top: Path) -> None:
    """A link to a file, and one to a folder of skills: each file in it is shown, approved by content, and read."""
    (top / "p/AGENTS.md").symlink_to(top / "home/private/notes.md")
    for name in ("tide", "later"):
        (top / f"far/{name}").mkdir(parents=True)
    skill = top / "far/tide/SKILL.md"
    skill.write_text(f"---\nname: tide\ndescription: Tides, {CANARY}-skill.\n---\nText.\n")
    (top / "p/.agents").mkdir()
    (top / "p/.agents/skills").symlink_to(top / "far")
    recipes = ("opal", "pi", "house")
    assert not any(CANARY in overture(top, "build", recipe).stdout for recipe in recipes)
    assert {each["path"] for each in trust(top, "--yes")["outside"]} == {str(top / "home/private/notes.md"), str(skill)}
    (top / "far/later/SKILL.md").write_text("---\nname: later\ndescription: Unseen.\n---\n")
    for recipe in recipes:
        text = overture(top, "build", recipe).stdout
        assert f"{CANARY}\n" in text, recipe
        assert f"{CANARY}-skill" in text, recipe
        assert "Unseen" not in text, recipe
    skill.write_text(f"---\nname: tide\ndescription: Other, {CANARY}-skill.\n---\n")
    assert f"{CANARY}-skill" not in overture(top, "build", "opal").stdout

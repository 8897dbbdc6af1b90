"""Which files may be a source, and what is said of those that are not looked at."""

from pathlib import Path

import pytest

from overture.tap.attribute import agent_sources
from overture.tap.attribute.agent_sources import find_sources

from .places import FILES, PAGE, sources_of

pytestmark = pytest.mark.slow


def test_what_is_looked_at() -> None:
    """For a known agent what its rules know; for another program all texts but hidden ones, and what agents load."""
    more = {
        "/home/user/.codex/auth.json": '{"key": "k"}',
        "/home/user/notes.md": "x",
        "/p/node_modules/a/README.md": "x",
        "/p/.cursor/plans/tide.md": "x",
        "/p/agent.py": "PROMPT = 'Be brief.'",
        "/p/prompts/rules.j2": "{{ rules }}",
        "/p/pier.png": "x",
    }
    files = {**FILES, **more}
    own = {"/p/AGENTS.md", "/p/CLAUDE.md", "/p/.agents/skills/brew/SKILL.md", "/home/user/.codex/AGENTS.md"}
    codex = sources_of(files=files)
    assert set(codex.own.texts) == own
    texts = {"/p/docs/tides.md", "/p/app/main.go", "/p/agent.py", "/p/prompts/rules.j2"}
    assert set(codex.repository.texts) == own | texts
    assert set(sources_of("python", files).own.texts) == own | texts | {"/home/user/.codex/memories/ships.md"}


def test_a_folder_that_a_variable_moves() -> None:
    """CODEX_HOME is looked into where it is set."""
    files = {**FILES, "/srv/codex/AGENTS.md": "Moved words that are told instead of the others.\n"}
    assert "/srv/codex/AGENTS.md" in sources_of(files=files, environment={"CODEX_HOME": "/srv/codex"}).own.texts
    assert "/srv/codex/AGENTS.md" not in sources_of(files=files).own.texts


def test_a_link_that_leads_out_is_not_followed() -> None:
    """It is said, with its path."""
    sources = sources_of("python", files={**FILES, "/etc/motd.md": "x y z"}, links={"/p/docs/motd.md": "/etc/motd.md"})
    assert "/p/docs/motd.md" not in sources.own.texts
    assert [note.path for note in sources.own.notes] == ["/p/docs/motd.md"]


def test_limits_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the most files, bytes and folders nothing is looked at, and each limit that counted is said."""
    monkeypatch.setattr(agent_sources, "MAX_CANDIDATE_FILES", 4)
    monkeypatch.setattr(agent_sources, "MAX_CANDIDATE_BYTES", 1_000)
    monkeypatch.setattr(agent_sources, "MAX_FOLDERS", 3)
    for number in range(8):
        write(tmp_path / f"p/d{number}/page.md", "a page\n")
    write(tmp_path / "p/AGENTS.md", PAGE)
    write(tmp_path / "p/large.md", "x" * 2_000)
    for number in range(5):
        write(tmp_path / f"p/page{number}.md", "a page\n")
    sources = find_sources("python", cwd=tmp_path / "p", home=tmp_path / "home")
    assert len(sources.own.texts) == 4
    said = " ".join(note.message for note in sources.own.notes)
    assert "large.md: the limit is 1,000 bytes" in said
    assert "files were not searched" in said
    assert "folders were searched" in said


def write(path: Path, text: str) -> None:
    """Write a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")

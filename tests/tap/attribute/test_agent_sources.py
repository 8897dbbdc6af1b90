"""Which files may be a source, what is left out, and what is kept between runs."""

import os
import stat
from pathlib import Path

import pytest

from overture.tap.attribute import candidate_files
from overture.tap.attribute.agent_sources import AgentSources, find_sources
from overture.tap.attribute.saved_index import make_index_path

from .places import FILES, PAGE, sources_of

pytestmark = pytest.mark.slow


def paths(sources: AgentSources) -> set[str]:
    """The files that were looked at."""
    return {file.path for file in sources.files.anchors.files}


def test_what_is_looked_at() -> None:
    """Instructions, skills, pages of the project, and texts in agents' folders; no code, no git, no JSON."""
    more = {
        "/home/user/.codex/auth.json": '{"key": "k"}',
        "/home/user/notes.md": "x",
        "/p/node_modules/a/README.md": "x",
    }
    found = paths(sources_of(files={**FILES, **more}))
    assert found == set(FILES) - {"/p/app/main.go", "/p/.git/HEAD"}


def test_a_folder_that_a_variable_moves() -> None:
    """CODEX_HOME is looked into where it is set."""
    files = {**FILES, "/srv/codex/AGENTS.md": "Moved words that are told instead of the others.\n"}
    assert "/srv/codex/AGENTS.md" in paths(sources_of(files=files, environment={"CODEX_HOME": "/srv/codex"}))
    assert "/srv/codex/AGENTS.md" not in paths(sources_of(files=files))


def test_a_link_that_leads_out_is_not_followed() -> None:
    """It is said, with its path."""
    sources = sources_of(files={**FILES, "/etc/motd.md": "x y z"}, links={"/p/docs/motd.md": "/etc/motd.md"})
    assert "/p/docs/motd.md" not in paths(sources)
    assert [note.path for note in sources.notes] == ["/p/docs/motd.md"]


def test_limits_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the most files, bytes and folders nothing is looked at, and each limit that counted is said."""
    monkeypatch.setattr(candidate_files, "MAX_CANDIDATE_FILES", 4)
    monkeypatch.setattr(candidate_files, "MAX_CANDIDATE_BYTES", 1_000)
    monkeypatch.setattr(candidate_files, "MAX_FOLDERS", 3)
    for number in range(8):
        write(tmp_path / f"p/d{number}/page.md", "a page\n")
    write(tmp_path / "p/AGENTS.md", PAGE)
    write(tmp_path / "p/large.md", "x" * 2_000)
    for number in range(5):
        write(tmp_path / f"p/page{number}.md", "a page\n")
    sources = find_sources("codex", cwd=tmp_path / "p", home=tmp_path / "home", cached=False)
    assert len(sources.files.anchors.files) == 4
    said = " ".join(note.message for note in sources.notes)
    assert "2,000 bytes" in said
    assert "files were not searched" in said
    assert "folders were searched" in said


def test_a_second_run_takes_what_was_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index is kept for the user alone; it is written again only where a file changed."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write(tmp_path / "p/AGENTS.md", PAGE, age=10)
    first = look(tmp_path)
    kept = Path(make_index_path(os.environ, str(tmp_path / "home"), str(tmp_path / "p")))
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    before = kept.stat().st_ino
    assert look(tmp_path).files.anchors.digests == list(first.files.anchors.digests)
    assert kept.stat().st_ino == before
    write(tmp_path / "p/AGENTS.md", PAGE.replace("tabs", "spaces"), age=5)
    assert look(tmp_path).files.anchors.digests != list(first.files.anchors.digests)


@pytest.mark.parametrize("content", [b"", b"overture tap index 1\n", b"\xff" * 5_000])
def test_what_was_kept_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    """It is made anew."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write(tmp_path / "p/AGENTS.md", PAGE)
    kept = Path(make_index_path(os.environ, str(tmp_path / "home"), str(tmp_path / "p")))
    kept.parent.mkdir(parents=True)
    kept.write_bytes(content)
    assert len(look(tmp_path).files.anchors.files) == 1
    assert kept.read_bytes() != content


def test_it_cannot_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What can't be written is said, and nothing else is amiss; a link in its place is not written through."""
    write(tmp_path / "p/AGENTS.md", PAGE)
    write(tmp_path / "file", "no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    sources = look(tmp_path)
    assert len(sources.files.anchors.files) == 1
    assert [note.code for note in sources.notes] == ["tap-index-not-kept"]


def look(folder: Path) -> AgentSources:
    """What may be behind calls of Codex in the project there."""
    return find_sources("codex", cwd=folder / "p", home=folder / "home")


def write(path: Path, text: str, age: int = 0) -> None:
    """Write a file that was last changed so many seconds ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    then = path.stat().st_mtime - age
    os.utime(path, (then, then))

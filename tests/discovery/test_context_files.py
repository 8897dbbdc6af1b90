import os
from pathlib import Path

import pytest

import overture
from overture.discovery.files import MAX_FILE_BYTES, DiskFiles, FileEntry, read_file
from overture.discovery.world import World
from overture.testing import FakeWorld
from tests.contract.discovery.disk import came_of, find, link, paths, put, said, texts


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b" \r\n\t\n", b"\xef\xbb\xbf\r\n"])
def test_an_empty_file_is_cleared(tmp_path: Path, content: bytes) -> None:
    """A file with nothing but a BOM and white space is recorded as cleared and says nothing."""
    path = put(tmp_path / "p/AGENTS.md", content)
    found = find(tmp_path)
    assert came_of(found, path) == ("cleared", "it is empty")
    assert found.state.context_files == ()
    assert found.diagnostics == ()
    assert "<project-context" not in overture.build("opal", found.state).text


def test_bom_and_crlf_go(tmp_path: Path) -> None:
    """A BOM, CRLF, a lone CR and blank lines around the text are not in the prompt; indentation stays."""
    path = put(tmp_path / "p/AGENTS.md", b"\xef\xbb\xbf\r\n\r\n  one\r\ntwo\rthree\r\n\r\n")
    found = find(tmp_path)
    assert texts(found) == ["  one\ntwo\nthree"]
    assert found.state.context_files[0].line == 3
    assert came_of(found, path) == ("loaded", "")
    assert "\r" not in overture.build("opal", found.state).text


def test_invalid_utf8_is_replaced_and_reported(tmp_path: Path) -> None:
    """Undecodable bytes become U+FFFD, and the one line gives byte and line."""
    path = put(tmp_path / "p/AGENTS.md", b"fine\nbad \xff\xfe here\n")
    found = find(tmp_path)
    assert texts(found) == ["fine\nbad \ufffd\ufffd here"]
    assert said(found, path) == "warning: line 2: byte 0xff is not UTF-8 and became U+FFFD; save the file as UTF-8"
    assert "bad \ufffd\ufffd here" in overture.build("opal", found.state).text


@pytest.mark.slow
def test_ten_megabytes_are_loaded_in_full(tmp_path: Path) -> None:
    """A file of 10 MB is in the prompt to its last character, with a warning."""
    text = "a line of text\n" * 700_000
    path = put(tmp_path / "p/AGENTS.md", text)
    found = find(tmp_path)
    assert texts(found) == [text.rstrip()]
    assert said(found, path).startswith("warning: 10,500,000 bytes are loaded in full")
    assert text.rstrip() in overture.build("opal", found.state).text


def test_a_file_beyond_the_limit_is_not_read(tmp_path: Path) -> None:
    """A file that no model could read is skipped, with its size."""
    path = put(tmp_path / "p/AGENTS.md")
    with path.open("r+b") as file:
        file.truncate(65 * 1024 * 1024)
    found = find(tmp_path)
    assert found.state.context_files == ()
    outcome, detail = came_of(found, path)
    assert outcome == "skipped"
    assert "68,157,440 bytes" in detail
    assert detail in said(found, path)


def test_a_folder_that_may_not_be_entered_is_reported() -> None:
    """Where looking itself is denied, every path says so, and the walk goes on."""
    world = FakeWorld({"/p/.agents/AGENTS.md": "in", "/p/AGENTS.md": "out"})
    allowed = world.look

    def look(path: str) -> FileEntry | None:
        if path.startswith("/p/.agents/"):
            raise PermissionError(13, "Permission denied", path)
        return allowed(path)

    world.look = look
    found = overture.discover("opal", world=world)
    assert texts(found) == ["out"]
    assert came_of(found, "/p/.agents/AGENTS.md") == ("unreadable", "permission denied")


@pytest.mark.parametrize("through_link", [False, True])
def test_a_fifo_does_not_hang(tmp_path: Path, through_link: bool) -> None:
    """A FIFO, also behind a link, is reported and never opened for reading."""
    path = tmp_path / "p/AGENTS.md"
    path.parent.mkdir()
    os.mkfifo(tmp_path / "p/pipe" if through_link else path)
    if through_link:
        link(path, "pipe")
    found = find(tmp_path)
    assert came_of(found, path) == ("skipped", "it is not a regular file")
    assert said(found, path) == "warning: skipped: it is not a regular file"


def test_a_file_that_becomes_a_fifo_does_not_hang(tmp_path: Path) -> None:
    """A FIFO that takes the file's place between looking and reading is reported."""

    class Swapping(DiskFiles):
        def read(self, path: str, max_bytes: int = MAX_FILE_BYTES, *, is_real: bool = False) -> bytes:
            Path(path).unlink()
            os.mkfifo(path)
            return read_file(path, max_bytes, is_real=is_real)

    path = put(tmp_path / "p/AGENTS.md", "text")
    found = find(tmp_path, world=World(Swapping()))
    assert came_of(found, path) == ("unreadable", "it is not a regular file")


def test_a_hard_link_to_the_same_file_counts_once(tmp_path: Path) -> None:
    """A file with two hard links is loaded once."""
    first = put(tmp_path / "AGENTS.md", "text")
    second = tmp_path / "p/AGENTS.md"
    second.parent.mkdir()
    second.hardlink_to(first)
    found = find(tmp_path)
    assert paths(found) == [str(second)]
    assert came_of(found, first) == ("duplicate", f"the same file as {second}")


@pytest.mark.parametrize("back", [False, True])
def test_a_folder_that_becomes_a_link_leaks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, back: bool
) -> None:
    """A folder that leads elsewhere between looking and reading is noticed, also where it is soon in place again."""
    path = put(tmp_path / "p/.agents/AGENTS.md", "text")
    put(tmp_path / "p/.git/HEAD")
    put(tmp_path / "far/AGENTS.md", "CANARY")
    folder, aside = path.parent, tmp_path / "aside"
    opened = os.open

    def swap(name: str, *rest: int) -> int:
        if name != str(path):
            return opened(name, *rest)
        folder.rename(aside)
        folder.symlink_to(tmp_path / "far")
        handle = opened(name, *rest)
        if back:
            folder.unlink()
            aside.rename(folder)
        return handle

    monkeypatch.setattr(os, "open", swap)
    found = find(tmp_path)
    assert "CANARY" not in str(found)
    assert came_of(found, path) == ("unreadable", "it was replaced while it was read")

import os
from pathlib import Path

import pytest

import overture
from overture.discover.disk.real_world import RealWorld
from overture.discover.disk.world import FileEntry
from overture.testing import FakeWorld
from tests.contract.discover.disk import came_of, find, lines, link, paths, put, said, texts


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


def test_a_file_cut_inside_a_character_is_reported(tmp_path: Path) -> None:
    """A file that ends in the middle of a character is loaded, and reported."""
    path = put(tmp_path / "p/AGENTS.md", "né".encode()[:-1])
    found = find(tmp_path)
    assert texts(found) == ["n\ufffd"]
    assert "byte 0xc3 is not UTF-8" in said(found, path)


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


def test_an_unreadable_file_is_reported() -> None:
    """A file that may not be read is reported, and the others are loaded."""
    world = FakeWorld({"/p/AGENTS.md": "secret", "/p/OPAL.md": "open"}, unreadable=("/p/AGENTS.md",))
    found = overture.discover("opal", world=world)
    assert texts(found) == ["open"]
    assert came_of(found, "/p/AGENTS.md") == ("unreadable", "permission denied")
    assert said(found, "/p/AGENTS.md") == "warning: skipped: permission denied"


def test_a_folder_that_may_not_be_entered_is_reported() -> None:
    """Where looking itself is denied, every path says so, and the walk goes on."""

    class Denied(FakeWorld):
        def look(self, path: str) -> FileEntry | None:
            if path.startswith("/p/.agents/"):
                raise PermissionError(13, "Permission denied", path)
            return super().look(path)

    found = overture.discover("opal", world=Denied({"/p/.agents/AGENTS.md": "in", "/p/AGENTS.md": "out"}))
    assert texts(found) == ["out"]
    assert came_of(found, "/p/.agents/AGENTS.md") == ("unreadable", "permission denied")


def test_a_directory_of_that_name_is_skipped(tmp_path: Path) -> None:
    """A directory called AGENTS.md is reported as one, not read."""
    path = tmp_path / "p/AGENTS.md"
    path.mkdir(parents=True)
    found = find(tmp_path)
    assert came_of(found, path) == ("skipped", "it is a directory")
    assert said(found, path) == "warning: skipped: it is a directory"


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

    class Swapping(RealWorld):
        def read_most(self, path: str, most: int) -> bytes:
            Path(path).unlink()
            os.mkfifo(path)
            return super().read_most(path, most)

    path = put(tmp_path / "p/AGENTS.md", "text")
    found = find(tmp_path, world=Swapping())
    assert came_of(found, path) == ("unreadable", "it is not a regular file")


def test_a_file_deleted_before_it_is_read_is_reported(tmp_path: Path) -> None:
    """A file that vanishes between looking and reading is reported, and nothing raises."""

    class Vanishing(RealWorld):
        def read_most(self, path: str, most: int) -> bytes:
            Path(path).unlink()
            return super().read_most(path, most)

    path = put(tmp_path / "p/AGENTS.md", "text")
    found = find(tmp_path, world=Vanishing())
    assert found.state.context_files == ()
    assert came_of(found, path)[0] == "unreadable"
    assert said(found, path) == "warning: skipped: it was deleted meanwhile, or is a broken symlink"


def test_sixty_levels(tmp_path: Path) -> None:
    """Sixty directories with a file each give sixty files, the outermost first."""
    levels = [f"{n:02}" for n in range(60)]
    folder = tmp_path
    for level in levels:
        folder /= level
        put(folder / "AGENTS.md", f"level {level}")
    found = find(tmp_path, cwd="/".join(levels))
    assert texts(found) == [f"level {level}" for level in levels]
    text = overture.build("opal", found.state).text
    assert [text.index(f"level {level}") for level in levels] == sorted(text.index(f"level {n}") for n in levels)


def test_a_symlink_to_the_same_file_counts_once(tmp_path: Path) -> None:
    """A file and a link to it are loaded once, under the name that comes first."""
    put(tmp_path / "p/AGENTS.md", "text")
    second = link(tmp_path / "p/OPAL.md", "AGENTS.md")
    found = find(tmp_path)
    assert paths(found) == [f"{tmp_path}/p/AGENTS.md"]
    assert came_of(found, second) == ("duplicate", f"the same file as {tmp_path}/p/AGENTS.md, by a link")
    assert overture.build("opal", found.state).text.count("<project-context ") == 1


def test_a_hard_link_to_the_same_file_counts_once(tmp_path: Path) -> None:
    """A file with two hard links is loaded once."""
    first = put(tmp_path / "AGENTS.md", "text")
    second = tmp_path / "p/AGENTS.md"
    second.parent.mkdir()
    second.hardlink_to(first)
    found = find(tmp_path)
    assert paths(found) == [str(second)]
    assert came_of(found, first) == ("duplicate", f"the same file as {second}")


def test_a_name_given_twice_counts_once(tmp_path: Path) -> None:
    """A file name that the configuration gives twice loads its file once."""
    put(tmp_path / "p/NOTES.md", "text")
    found = find(tmp_path, config={"features.context.filenames": ["NOTES.md", "NOTES.md"]})
    assert texts(found) == ["text"]


def test_every_candidate_is_recorded(tmp_path: Path) -> None:
    """Paths that are not there are recorded as absent, each once."""
    put(tmp_path / "p/.opal/OPAL.md", "text")
    found = find(tmp_path)
    for folder in (tmp_path, tmp_path / "p"):
        for name in ("AGENTS.md", ".agents/AGENTS.md", ".opal/AGENTS.md", "OPAL.md", ".agents/OPAL.md"):
            assert came_of(found, folder / name) == ("absent", "")
    assert came_of(found, tmp_path / "p/.opal/OPAL.md") == ("loaded", "")


def test_a_file_of_another_system_is_recorded_as_unread(tmp_path: Path) -> None:
    """A CLAUDE.md that Opal does not read is recorded with whose it is, and what would make Opal read it."""
    path = put(tmp_path / "p/CLAUDE.md", "text")
    found = find(tmp_path)
    outcome, detail = came_of(found, path)
    assert outcome == "unread"
    line = 'features.context.filenames = ["AGENTS.md", "OPAL.md", "CLAUDE.md"]'
    assert detail == f"Claude Code reads it; to add it: {line}"
    assert lines(found, path) == []


def test_a_file_where_a_folder_is_expected_is_no_problem(tmp_path: Path) -> None:
    """A file called .agents hides nothing: what would lie in it is absent."""
    put(tmp_path / "p/.agents", "not a folder")
    put(tmp_path / "p/AGENTS.md", "text")
    found = find(tmp_path)
    assert texts(found) == ["text"]
    assert came_of(found, tmp_path / "p/.agents/AGENTS.md") == ("absent", "")

"""What is read is judged once it is open: a link that is flipped while we read leads nowhere that it may not."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from overture.discover.disk import open_file
from overture.discover.disk.file_reader import FileReader
from overture.discover.disk.open_file import MovedError, TooLargeError
from overture.discover.disk.real_world import RealWorld
from overture.discover.disk.world import MAX_FILE_BYTES

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a second process flips the links")
SECRET = "the-secret-of-the-machine"


@contextmanager
def flipping(path: Path, inside: Path, outside: Path) -> Iterator[None]:
    """A process that lets a link lead inside and outside in turn, as fast as it can."""
    child = os.fork()
    if child == 0:
        try:
            beside = f"{path}.new"
            while os.getppid() != 1:
                for target in (outside, inside):
                    os.symlink(target, beside)
                    os.replace(beside, path)
        finally:
            os._exit(0)
    try:
        yield
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


def places(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A project, what it may show, and what it may not."""
    project, outside = tmp_path / "project", tmp_path / "machine"
    (project / ".git").mkdir(parents=True)
    inside = project / "real"
    inside.mkdir()
    outside.mkdir()
    for name in ("AGENTS.md", "SKILL.md"):
        (inside / name).write_text("---\nname: x\ndescription: plain words\n---\nplain words\n")
        (outside / name).write_text(f"---\nname: x\ndescription: {SECRET}\n---\n{SECRET}\n")
    return project, inside, outside


def leaks(project: Path, folder: str, name: str, times: int) -> int:
    """How often the secret was read through a link in a project, of so many tries at least and a hundred that read."""
    tries = seen = read = 0
    while tries < times or read <= 100:
        tries += 1
        assert tries < 50 * times
        reader = FileReader(RealWorld(), (), (str(project),), {})
        sighting = reader.sight(f"{project}{folder}", name, str(project), "context")
        text = reader.load(sighting, "context", lambda text, _: (text, ())) if sighting else ""
        seen += SECRET in (text or "")
        read += bool(text)
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_link_that_is_flipped_while_we_read_leaks_nothing(kind: str, tmp_path: Path) -> None:
    """Whether the file itself is flipped or a folder on the way, what lies outside is never read."""
    project, inside, outside = places(tmp_path)
    link = project / ("AGENTS.md" if kind == "file" else "folder")
    targets = (inside / "AGENTS.md", outside / "AGENTS.md") if kind == "file" else (inside, outside)
    link.symlink_to(targets[0])
    with flipping(link, *targets):
        seen = leaks(project, "" if kind == "file" else "/folder", "AGENTS.md", 1500)
    assert seen == 0


def test_a_folder_that_becomes_a_link_leaks_nothing(tmp_path: Path) -> None:
    """A real folder in whose place a link is put, again and again, between the look and the reading."""
    project, _, outside = places(tmp_path)
    child = os.fork()
    if child == 0:
        try:
            os.chdir(project)
            os.symlink(outside, "bad")
            while os.getppid() != 1:
                os.rename("real", "good")
                os.rename("bad", "real")
                os.rename("real", "bad")
                os.rename("good", "real")
        finally:
            os._exit(0)
    try:
        seen = leaks(project, "/real", "AGENTS.md", 3000)
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
    assert seen == 0


def test_a_checked_path_is_read_or_refused_never_another_file(tmp_path: Path) -> None:
    """Thousands of times: the file that was checked comes back, or an error, while a folder on its way is flipped."""
    project, inside, outside = places(tmp_path)
    flipped = project / "flipped"
    flipped.symlink_to(inside)
    world, real = RealWorld(), f"{os.path.realpath(project)}/flipped/AGENTS.md"
    with flipping(flipped, inside, outside):
        for _ in range(1000):
            with pytest.raises(MovedError):  # it was a folder when it was checked: a link is never gone through
                world.read_real(real, MAX_FILE_BYTES)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere this is the only way")
def test_where_nobody_says_what_is_open_the_way_is_gone_step_by_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without /proc the plain file is read, and one behind a link is not."""
    monkeypatch.setattr(open_file, "DESCRIPTOR_FOLDER", str(tmp_path / "no-proc"))
    top = Path(os.path.realpath(tmp_path))
    (top / "a" / "b").mkdir(parents=True)
    (top / "a" / "b" / "x.md").write_text("plain")
    (top / "link").symlink_to(top / "a")
    world = RealWorld()
    assert world.read_real(f"{top}/a/b/x.md", MAX_FILE_BYTES) == b"plain"
    for path in (f"{top}/link/b/x.md", f"{top}/nobody"):
        with pytest.raises(OSError):
            world.read_real(path, MAX_FILE_BYTES)


def test_a_file_that_an_editor_replaces_is_read(tmp_path: Path) -> None:
    """A new file in the place of the old one is no link: it is read as it was or as it is, and nothing is reported."""
    top = Path(os.path.realpath(tmp_path))
    path = top / "AGENTS.md"
    path.write_text("old")
    child = os.fork()
    if child == 0:
        try:
            while os.getppid() != 1:
                (top / "new").write_text("new")
                os.replace(top / "new", path)
        finally:
            os._exit(0)
    try:
        for _ in range(1000):
            assert RealWorld().read_real(str(path), MAX_FILE_BYTES) in (b"old", b"new")
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


@pytest.mark.parametrize("kind", ["fifo", "folder", "device"])
def test_what_is_no_regular_file_is_refused_at_once(kind: str, tmp_path: Path) -> None:
    """Also under a real path: a FIFO does not hang, a folder and a device are not read."""
    path = Path(os.path.realpath(tmp_path)) / "x"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path = Path("/dev/null")
    with pytest.raises(OSError, match=r"regular file|directory"):
        RealWorld().read_real(str(path), MAX_FILE_BYTES)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc")
def test_a_file_that_hides_its_size_is_read_no_further_than_its_limit() -> None:
    """/proc says 0 bytes of each file: the limit counts what comes."""
    with pytest.raises(TooLargeError):
        RealWorld().read_real("/proc/cpuinfo", 10)

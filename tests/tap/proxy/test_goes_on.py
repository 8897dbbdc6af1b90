"""Whatever fails on the side of the tap, the program runs, its calls pass, and its exit code is passed on."""

import os
import signal
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from overture.tap.store.store import open_store
from tests.contract.cli.run import OVERTURE
from tests.contract.tap.provider import LIGHT, written

from ..run.test_command import Place, place

pytestmark = pytest.mark.slow


__all__ = ["place"]
ENDS = f"{LIGHT}\nsys.exit(7)\n"
MIDWAY = ENDS.replace("for turn", "import shutil\nfor turn").replace(
    "    asked =", "    if turn == 1:\n        {break_store}\n    asked ="
)


REPLACE = """
        from pathlib import Path
        for file in Path(os.environ["XDG_DATA_HOME"]).rglob("*.sqlite"):
            file.unlink()
            file.write_bytes(b"x" * 9999)
"""
SPOIL = """
        import sqlite3
        from pathlib import Path
        for file in Path(os.environ["XDG_DATA_HOME"]).rglob("*.sqlite"):
            with sqlite3.connect(file) as other:
                other.execute("DROP TABLE calls")
"""


def _corrupt(path: Path) -> None:
    open_store(path).close()
    path.write_bytes(path.read_bytes()[:100] + os.urandom(8000))


def _newer(path: Path) -> None:
    open_store(path).close()
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 99")
        database.commit()


def _torn(path: Path) -> None:
    open_store(path).close()
    path.write_bytes(path.read_bytes()[:1000])


def _below_a_file(path: Path) -> None:
    path.parent.rmdir()
    path.parent.write_text("", encoding="utf-8")


BROKEN: dict[str, Callable[[Path], object]] = {
    "corrupt": _corrupt,
    "torn": _torn,
    "newer": _newer,
    "no SQLite": lambda path: path.write_bytes(b"hello\n" * 99),
    "a folder": lambda path: path.mkdir(),
    "a link": lambda path: path.symlink_to("/dev/full"),
    "below a file": _below_a_file,
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_store_stops_nobody(place: Place, name: str) -> None:
    """The program's calls pass, nothing is recorded, a line says so, and why."""
    path = place.data / "calls.sqlite"
    place.data.mkdir(mode=0o700)
    BROKEN[name](path)
    done = place.run("tap", "--upstream", place.there.url, "--store", str(path), "--", *written(place.folder, ENDS))
    assert (done.returncode, done.stdout) == (7, "All is well.\n" * 2)
    assert len(done.stderr.splitlines()) == 1
    assert "Nothing is recorded: " in done.stderr


def test_a_full_disk_stops_nobody(place: Place) -> None:
    """Where nothing can be written from the beginning."""
    words = [str(OVERTURE), "tap", "--upstream", place.there.url, "--", *written(place.folder, ENDS)]
    line: list[str] = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *words]
    place.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    done = subprocess.run(
        line, cwd=place.folder, env=place.environ, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (7, "All is well.\n" * 2)
    assert done.stderr.count("Nothing is recorded: ") == 1


@pytest.mark.parametrize(
    "break_store",
    ["shutil.rmtree(os.environ['XDG_DATA_HOME'])", REPLACE, SPOIL],
    ids=["removed", "replaced", "without a table"],
)
def test_a_store_that_breaks_midway_stops_nobody(place: Place, break_store: str) -> None:
    """The calls that follow pass, and their loss is said in one line, however many they are."""
    done = place.tap(*written(place.folder, MIDWAY.replace("{break_store}", break_store)), "5")
    assert (done.returncode, done.stdout) == (7, "All is well.\n" * 5)
    assert "Traceback" not in done.stderr
    assert sum("recording failed" in line for line in done.stderr.splitlines()) <= 1
    assert any(word in done.stderr for word in ("not recorded: ", "can't be told"))


# Who is killed.

WAITS = f"""{LIGHT.replace("for turn", "print(os.getpid(), flush=True)" + chr(10) + "for turn")}
import time
sys.stdin.readline()
began = time.monotonic()
try:
    urlopen(Request(url, b"{{}}", headers))
except OSError as problem:
    print(type(getattr(problem, "reason", problem)).__name__, time.monotonic() - began < 5, flush=True)
"""


@pytest.mark.parametrize("way", ["--base-url", "--dry-run"])
def test_who_outlives_a_killed_tap_finds_a_closed_port(place: Place, way: str) -> None:
    """After SIGKILL nothing listens there any more: the program is refused at once, and waits for nothing."""
    words = [str(OVERTURE), "tap", way, *(["--upstream", place.there.url] if way == "--base-url" else [])]
    pipe = subprocess.PIPE
    tap = subprocess.Popen(
        [*words, "--", *written(place.folder, WAITS), "1"], cwd=place.folder, env=place.environ, text=True,
        stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert tap.stdin is not None
    assert tap.stdout is not None
    program = int(tap.stdout.readline())
    try:
        tap.stdout.readline()
        tap.kill()
        tap.wait()
        tap.stdin.write("\n")
        tap.stdin.flush()
        assert tap.stdout.readline() == "ConnectionRefusedError True\n"
    finally:
        _end(program)
        tap.stdin.close()
        tap.stdout.close()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_who_waits_for_an_answer_is_not_left_waiting(place: Place, number: signal.Signals) -> None:
    """A call under way breaks at once when the tap is killed; other signals end the program, and then the tap."""
    place.there.reply = lambda line: line.until(b"never")
    tap = place.started("tap", "--upstream", place.there.url, "--", *written(place.folder, LIGHT), "1")
    while not any(b"You are Ada." in line.received for line in place.there.lines):
        assert tap.poll() is None
    tap.send_signal(number)
    _, said = tap.communicate(timeout=30)  # the program has the same output: it has ended, too
    assert tap.returncode == {signal.SIGKILL: -9, signal.SIGINT: 130, signal.SIGTERM: 143}[number]
    assert ("RemoteDisconnected" in said) == (number is signal.SIGKILL)


def _end(process: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)

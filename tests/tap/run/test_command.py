"""`overture tap -- PROGRAM`, as people run it: real processes, the real SDKs, a provider on loopback."""

import json
import os
import pty
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.cli.run import OVERTURE, run
from tests.contract.tap.provider import KEY, LIGHT, SAID, provider, written

from ..raw_http import Upstream

BUSY = f"{LIGHT}\nimport os, time\nprint(os.getpid(), flush=True)\ntime.sleep(30)\n"


class Place:
    """A project of its own, with a store of its own."""

    def __init__(self, folder: Path, there: Upstream) -> None:
        self.folder, self.there, self.data = folder / "garden", there, folder / "data"
        self.folder.mkdir()
        self.environ = {**os.environ, "XDG_DATA_HOME": str(self.data), "HOME": str(folder), "PYTHONWARNINGS": "ignore"}
        for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "HTTPS_PROXY", "https_proxy"):
            self.environ.pop(name, None)

    def started(self, *words: str) -> "subprocess.Popen[str]":
        """A command that runs."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [OVERTURE, *words], cwd=self.folder, env=self.environ, text=True, stdin=subprocess.DEVNULL, stdout=pipe,
            stderr=pipe,
        )  # fmt: skip

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """A command that has ended."""
        process = self.started(*words)
        out, err = process.communicate(timeout=60)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def tap(self, *program: str) -> "subprocess.CompletedProcess[str]":
        """A program through the tap."""
        return self.run("tap", "--upstream", self.there.url, "--", *program)

    def read_stdout(self, *words: str) -> str:
        """What a command about the record prints."""
        done = self.run_tap(*words)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def run_tap(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """A command about the record."""
        return run("tap", *words, cwd=self.folder, XDG_DATA_HOME=str(self.data), HOME=self.environ["HOME"])

    def calls(self) -> list[dict[str, object]]:
        """The calls that are kept, oldest first."""
        found: list[dict[str, object]] = json.loads(self.read_stdout("list", "--since", "all", "--json"))["calls"]
        return found

    def bytes(self) -> bytes:
        """All that lies in the data folder."""
        return b"".join(path.read_bytes() for path in self.data.rglob("*") if path.is_file())


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A place with a provider."""
    with provider() as there:
        yield Place(tmp_path, there)


def test_a_program_is_run_and_what_it_sent_is_told(place: Place) -> None:
    """Its output is its own; one line before and a few behind are on standard error; the record tells the rest."""
    done = place.tap(*written(place.folder), "3")
    assert done.returncode == 0
    first, *answers = done.stdout.splitlines()
    assert first.startswith("base http://127.0.0.1:")
    assert answers == ["All is well."] * 3
    said = done.stderr.splitlines()
    assert "is tapped through its base URL" in said[0]
    assert said[1] == "overture tap: 3 calls in 1 conversation, 6,120 tokens in (0 from the cache), 21 out."
    assert said[2].startswith("  This session cost $0.0")
    assert "because the date in Today changed." in said[2]
    assert said[3].startswith("  prefix changed: the date in Today changed (2 calls, ")

    calls = place.calls()
    assert [call.get("stream", False) for call in calls] == [False, True, False]
    ids = [str(call["id"]) for call in calls]
    report = place.read_stdout("report")
    assert all(id in report for id in ids)
    assert "prefix changed: the date in Today changed (byte " in report
    assert place.read_stdout("report", "--markdown").startswith("# What was sent\n")
    data = json.loads(place.read_stdout("report", "--json"))
    assert (data["calls"], data["conversations"][0]["name"]) == (3, "main")

    shown = place.read_stdout("show", ids[0][:6])
    for word in ("Today", "Rules", "read_file", "end_turn", "All is well.", "2,040 in"):
        assert word in shown
    assert place.read_stdout("show", ids[2], "--text").startswith("You are Ada.\n\n# Today\nIt is 2026-11-12.\n")
    assert json.loads(place.read_stdout("show", "--json"))["call"]["id"] == ids[2]
    differs = place.read_stdout("diff", ids[0], ids[1])
    assert differs.startswith("First difference at byte ")
    assert "sections: rewritten Today" in differs

    lines = [json.loads(line) for line in place.read_stdout("export").splitlines()]
    assert [next(iter(line)) for line in lines] == ["run", "call", "call", "call"]
    assert lines[0]["run"]["ended"]
    place.read_stdout("export", "-o", "calls.jsonl")
    assert (place.folder / "calls.jsonl").stat().st_mode & 0o077 == 0
    assert place.read_stdout("retain", "--days", "0").startswith("Removed 3 calls")


@pytest.mark.slow
def test_no_secret_is_in_the_record(place: Place) -> None:
    """The key of a header and a token in a message pass, and stand in no byte of what is kept."""
    done = place.tap(*written(place.folder))
    assert done.returncode == 0
    passed = b"".join(line.received for line in place.there.lines)
    assert KEY.encode() in passed
    assert SAID.encode() in passed
    assert KEY.encode() not in place.bytes()
    assert SAID.encode() not in place.bytes()
    exported = place.read_stdout("export")
    assert KEY not in exported
    assert SAID not in exported
    assert "Look after the garden." in exported
    (store,) = [path for path in place.data.rglob("*.sqlite")]
    assert store.stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_it_ends_as_the_program_ends(place: Place) -> None:
    """Its exit code is ours, its input is its own, and a program that asks nobody is told of."""
    done = place.tap("sh", "-c", "cat; echo out; echo err >&2; exit 7")
    assert (done.returncode, done.stdout) == (7, "out\n")
    assert done.stderr.splitlines()[1] == "err"
    assert "no model calls seen" in done.stderr
    assert "nothing connected to the tap" in done.stderr and "overture tap --listen" in done.stderr
    assert "--forward" in done.stderr
    assert place.read_stdout("list").startswith("No calls recorded for this project.\nhint: ")
    assert place.read_stdout("report").startswith("No calls recorded for this project.\nhint: ")
    assert place.tap("sh", "-c", "kill -9 $$").returncode == 137


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "url", "reason"),
    [
        ("--forward", "os.environ['HTTPS_PROXY'].rpartition('@')[2]", "The password of this run is missing"),
        ("--base-url", "os.environ['ANTHROPIC_BASE_URL'].split('//')[1].split('/')[0]", "'/nowhere' does not belong"),
    ],
)
def test_a_program_that_is_refused_is_told_of(place: Place, way: str, url: str, reason: str) -> None:
    """What asks the tap and is refused is counted with the reason: the end does not say that nothing asked."""
    ask = "CONNECT api.anthropic.com:443" if way == "--forward" else "GET /nowhere"
    script = f"""
import os, socket
host, _, port = {url}.partition(":")
raw = socket.create_connection((host, int(port)))
raw.sendall(f"{ask} HTTP/1.1\\r\\nHost: {{host}}:{{port}}\\r\\n\\r\\n".encode())
raw.recv(12)
"""
    done = place.run("tap", way, "--upstream", place.there.url, "--", *written(place.folder, script))
    assert done.returncode == 0, done.stderr
    assert f"The tap refused 1 request: {reason}" in done.stderr
    assert "nothing connected" not in done.stderr


@pytest.mark.slow
def test_a_tap_that_is_killed_loses_nothing_that_was_whole(place: Place) -> None:
    """`kill -9` of the tap: the calls that had ended are there, and the run is said to have no end."""
    process = place.started("tap", "--upstream", place.there.url, "--", *written(place.folder, BUSY))
    with process:
        assert process.stdout is not None
        *_, program = (process.stdout.readline() for _ in range(3))
        time.sleep(0.3)
        process.kill()
        os.kill(int(program), signal.SIGKILL)
    assert len(place.calls()) == 2
    assert "still running or killed" in place.read_stdout("list")


@pytest.mark.slow
def test_listening_says_where_and_tells_each_call(place: Place) -> None:
    """Without a program: the addresses, the variables, a line for each call, and the report at Ctrl-C."""
    process = place.started("tap", "--listen", "--upstream", f"anthropic={place.there.url}")
    assert process.stdout is not None
    base = ""
    while not base:
        line = process.stdout.readline()
        base = line.partition("export ANTHROPIC_BASE_URL=")[2].strip()
        assert line
    subprocess.run(
        written(place.folder), env={**place.environ, "ANTHROPIC_BASE_URL": base}, check=True, capture_output=True
    )
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=30)
    seen = [line for line in out.splitlines() if "claude" in line]
    assert [line.partition("claude-sonnet-4-5")[2] for line in seen] == ["  2,040 in (0 cached), 7 out"] * 2
    assert process.returncode == 0
    assert "overture tap: 2 calls in 1 conversation" in said


@pytest.mark.slow
def test_listening_as_a_proxy_gives_all_that_a_program_needs(place: Place) -> None:
    """--listen --forward: the variables, as they are printed, let a program through, and it is recorded."""
    process = place.started("tap", "--listen", "--forward", "--upstream", f"anthropic={place.there.url}")
    assert process.stdout is not None
    given: dict[str, str] = {}
    while "no_proxy" not in given:
        name, _, value = process.stdout.readline().strip().removeprefix("export ").partition("=")
        given[name] = value
    done = subprocess.run(
        [*written(place.folder), "1"], env={**place.environ, **given}, check=True, capture_output=True, text=True
    )
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert done.stdout == "base https://api.anthropic.com\nAll is well.\n"
    assert given["https_proxy"] == given["HTTPS_PROXY"]
    assert given["NO_PROXY"].endswith("127.0.0.1,localhost,::1")
    assert out.count("claude-sonnet-4-5") == 1


@pytest.mark.slow
def test_ctrl_c_is_the_programs(place: Place) -> None:
    """At a terminal, Ctrl-C reaches the program, which may go on; the tap ends when it does, with its code."""
    program = (
        "import signal, sys, time\n"
        "def stop(*_):\n    print('stopping', flush=True)\n    time.sleep(0.2)\n    sys.exit(5)\n"
        "signal.signal(signal.SIGINT, stop)\nprint('ready', flush=True)\ntime.sleep(20)\n"
    )
    words = [str(OVERTURE), "tap", "--upstream", place.there.url, "--", *written(place.folder, program)]
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(place.folder)
        os.execve(words[0], words, place.environ)
    seen = _read_until(terminal, b"ready")
    os.write(terminal, b"\x03")
    seen += _read_until(terminal, b"calls seen")
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 5
    assert b"stopping" in seen
    assert seen.index(b"is tapped") < seen.index(b"ready") < seen.index(b"no model calls seen")


def _read_until(terminal: int, mark: bytes) -> bytes:
    found = b""
    while mark not in found:
        found += os.read(terminal, 1 << 16)
    return found


SLIPS = [
    (["tap", "list", "--grep", " "], ["--grep is empty"]),
    (["tap", "diff"], ["Try `overture tap diff --help`"]),
    (["tap"], ["overture tap -- claude", "--listen"]),
    (["tap", "--listen", "--", "ls"], ["--listen"]),
    (["tap", "claude"], ["overture tap -- claude"]),
    (["tap", "repotr"], ["exists: `report`"]),
    (["tap", "--", "no-such-program"], ["no-such-program", "was not found"]),
    (["tap", "--upstream", "ftp://x", "--", "ls"], ["ftp://x", "https://api.anthropic.com"]),
    (["tap", "--upstream", "antropic=http://x", "--", "ls"], ["exists: `anthropic`"]),
    (["tap", "--store", "/dev/null/x", "--listen"], ["/dev/null"]),
    (["tap", "show"], ["No calls recorded for this project", "overture tap -- claude"]),
    (["tap", "--port", "1", "report"], ["overture tap report --help"]),
    (["tap", "retain"], ["--days N"]),
    (["tap", "report", "--json", "--markdown"], ["Omit one of them"]),
]


@pytest.mark.slow
@pytest.mark.parametrize(("words", "said"), SLIPS, ids=[" ".join(words) for words, _ in SLIPS])
def test_a_slip_is_one_line(place: Place, words: list[str], said: list[str]) -> None:
    """Exit code 2, one line, what to do; and nothing is recorded."""
    done = place.run_tap(*words[1:])
    assert (done.returncode, done.stdout, done.stderr.count("error: ")) == (2, "", 1), done.stderr
    for word in said:
        assert word in done.stderr
    assert not list(place.data.rglob("*.sqlite"))

"""A program is started with what it obeys, in the terminal that is there, and ends as it would have."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from overture.errors import ConfigError
from overture.tap.run.programs import find_named_program, prepare_start
from overture.tap.run.run_tap import run_watched_program
from overture.tap.upstreams import load_families

pytestmark = pytest.mark.slow


BASES = {name: f"http://127.0.0.1:7{family.base}" for name, family in load_families().items()}


@pytest.mark.parametrize(
    ("command", "name", "at"),
    [
        ("claude -p hi", "claude", 0),
        ("npx codex exec hi", "codex", 1),
        ("npx -y @openai/codex@latest exec hi", "codex", 2),
        ("/usr/bin/npx @anthropic-ai/claude-code@2.1.325", "claude", 1),
        ("python -m aider --message hi", "aider", 2),
        ("python my_agent.py codex", "python", 0),
        ("npx cowsay codex", "npx", 0),
        ("uv tool run aider", "aider", 3),
        ("pipx run --spec aider-chat aider", "aider", 4),
        ("bun run codex", "bun", 0),
    ],
)
def test_a_program_is_known_behind_what_runs_it(command: str, name: str, at: int) -> None:
    """By its name, its package or its file; a word further on is none, and neither is a script of a project."""
    found = find_named_program(command.split())
    assert (found.name, found.at) == (name, at)


def test_as_by_a_proxy_only_the_proxy_and_whom_to_trust_are_set() -> None:
    """No base URL is touched; this machine is reached directly, and so is what the user wants reached directly."""
    start = prepare_start(
        ["droid"], {"NO_PROXY": "corp.example"}, BASES, "http://tap:t@127.0.0.1:7", {"SSL_CERT_FILE": "/b"}
    )
    assert start.environ["HTTPS_PROXY"] == start.environ["https_proxy"] == "http://tap:t@127.0.0.1:7"
    assert start.environ["NO_PROXY"] == "corp.example,127.0.0.1,localhost,::1"
    assert start.environ["SSL_CERT_FILE"] == "/b"
    assert not any("BASE_URL" in name for name in start.environ)


def run(*argv: str, **more: str) -> int:
    """Run it to its end."""
    return asyncio.run(run_watched_program(argv, {**os.environ, **more}))


def test_the_exit_code_is_the_program_s() -> None:
    """Also where a signal ended it, as shells say it."""
    assert run(sys.executable, "-c", "raise SystemExit(7)") == 7
    assert run(sys.executable, "-c", "import os; os.kill(os.getpid(), 9)") == 137


def test_a_program_has_the_files_that_were_opened_for_it(capfd: pytest.CaptureFixture[str]) -> None:
    """As bash opens them for `cat <(echo hi)`; none that this process opened for itself."""
    read, write = os.pipe()
    own = os.open(os.devnull, os.O_RDONLY)
    os.set_inheritable(read, True)
    os.write(write, b"hi")
    os.close(write)
    assert run("sh", "-c", f"cat /dev/fd/{read}; test -e /dev/fd/{own} || echo , alone") == 0
    assert capfd.readouterr().out == "hi, alone\n"
    os.close(read)
    os.close(own)


def test_a_program_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    """And one that can't be run, too; in words."""
    with pytest.raises(ConfigError, match="'no-such-program' was not found"):
        run("no-such-program")
    script = tmp_path / "script.py"
    script.write_text("print(1)")
    with pytest.raises(ConfigError, match="is not executable"):
        run(str(script))
    empty = tmp_path / "empty"
    empty.write_bytes(b"\x7fELF no")
    empty.chmod(0o755)
    with pytest.raises(ConfigError, match="can't be started"):
        run(str(empty))


RUNNER = """
import asyncio, os, sys
from overture.tap.run.run_tap import run_watched_program
raise SystemExit(asyncio.run(run_watched_program(sys.argv[1:], os.environ)))
"""
WAITS = """
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(41))
signal.signal(signal.SIGINT, lambda *_: sys.exit(42))
print("ready", flush=True)
time.sleep(30)
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 41), (signal.SIGINT, 42), (signal.SIGHUP, 129)])
def test_signals_are_passed_on(number: int, code: int) -> None:
    """The program gets them, decides, and its exit code is passed on."""
    line = [sys.executable, "-c", RUNNER, sys.executable, "-c", WAITS]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        assert process.wait(10) == code


def test_the_terminal_is_the_program_s() -> None:
    """It reads and writes it as without the tap, and Ctrl-C reaches it once."""
    import pty

    program = (
        "import signal, sys, time\nseen = []\nsignal.signal(signal.SIGINT, lambda *_: seen.append(1))\n"
        "print('tty' if sys.stdin.isatty() and sys.stdout.isatty() else 'no', flush=True)\n"
        "end = time.time() + 0.7\nwhile time.time() < end: time.sleep(0.05)\nprint('seen', len(seen), flush=True)\n"
    )
    process, terminal = pty.fork()
    if process == 0:  # pragma: no cover
        os.execv(sys.executable, [sys.executable, "-c", RUNNER, sys.executable, "-c", program])
    said = b""
    try:
        while b"tty" not in said:
            said += os.read(terminal, 999)
        time.sleep(0.1)
        os.write(terminal, b"\x03")
        while data := os.read(terminal, 999):
            said += data
    except OSError:
        pass  # the terminal of a program that has ended
    finally:
        _, status = os.waitpid(process, 0)
        os.close(terminal)
    assert b"seen 1" in said
    assert os.waitstatus_to_exitcode(status) == 0

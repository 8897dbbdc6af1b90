"""`overture` in a process of its own, without waiting for Python to start: forked from one that has it imported.

What is run is what people run: its own arguments, environment, directory and streams, and its own end. Commands whose
environment changes Python itself are started from nothing.
"""

import atexit
import gc
import json
import os
import select
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

OVERTURE = Path(sys.executable).with_name("overture")
STARTING = ("PYTHON", "LC_", "LANG", "TIKTOKEN")
"""Variables with these beginnings count when Python starts, or when a package is imported."""
Word = str | bytes | Path


def run_overture(
    words: Sequence[Word], given: bytes, cwd: Path | None, environment: Mapping[str, str]
) -> "subprocess.CompletedProcess[bytes]":
    """Run a command with this on standard input."""
    if any(name.startswith(STARTING) for name in environment):
        env = {**os.environ, **environment}
        return subprocess.run([OVERTURE, *words], input=given, cwd=cwd, env=env, capture_output=True, check=False)
    streams = [os.memfd_create(name) for name in ("in", "out", "err")]
    try:
        os.write(streams[0], given)
        os.lseek(streams[0], 0, os.SEEK_SET)
        code = run_between(words, streams, cwd, environment)
        return subprocess.CompletedProcess([OVERTURE, *words], code, *(_read(stream) for stream in streams[1:]))
    finally:
        for stream in streams:
            os.close(stream)


def run_line(line: str, cwd: Path | None = None, **environment: str) -> str:
    """What a line of a shell prints on either stream; where it is `overture` alone, no shell is started."""
    if line.startswith("overture ") and not set(line) & set("|&;<>()$`\\*?[]{}#~!\n"):
        with os.fdopen(os.memfd_create("in")) as empty, os.fdopen(os.memfd_create("both")) as both:
            run_between(shlex.split(line)[1:], [empty.fileno(), both.fileno(), both.fileno()], cwd, environment)
            return _read(both.fileno()).decode()
    env = {**os.environ, **environment}
    env["PATH"] = os.pathsep.join((str(program().parent), str(OVERTURE.parent), env["PATH"]))
    pipe, both_streams = subprocess.PIPE, subprocess.STDOUT
    done = subprocess.run(
        ["bash", "-c", line], cwd=cwd, env=env, stdout=pipe, stderr=both_streams, timeout=60, check=False
    )
    return done.stdout.decode()


def run_between(words: Sequence[Word], streams: Sequence[int], cwd: Path | None, environment: Mapping[str, str]) -> int:
    """Run a command with these as its standard streams; its exit code."""
    asked = {"words": [os.fsdecode(word) for word in words], "cwd": str(cwd or os.getcwd())}
    _nursery().sendall(_framed({**asked, "environment": {**os.environ, **environment}}))
    socket.send_fds(_nursery(), [b"x"], streams)
    return int(_nursery().recv(64))


def _framed(value: Any) -> bytes:
    data = json.dumps(value).encode()
    return len(data).to_bytes(8, "big") + data


def _read(stream: int) -> bytes:
    os.lseek(stream, 0, os.SEEK_SET)
    with os.fdopen(os.dup(stream), "rb") as file:
        return file.read()


FORWARD = """\
#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as door:
    door.connect({address!r})
    asked = json.dumps(dict(words=sys.argv[1:], cwd=os.getcwd(), environment=dict(os.environ))).encode()
    door.sendall(len(asked).to_bytes(8, "big") + asked)
    socket.send_fds(door, [b"x"], [0, 1, 2])
    code = int(door.recv(64))
sys.exit(code if code >= 0 else 128 - code)
"""
"""A program that is `overture` to whoever calls it by that name: it hands its arguments and streams on."""


def put_on_path(folder: Path) -> Path:
    """Put an `overture` there that is forked, too; shells find it where that folder comes first on their path."""
    _nursery()
    program = folder / "overture"
    program.write_text(FORWARD.format(python=sys.executable, address=_address(os.getpid())))
    program.chmod(0o755)
    return folder


@cache
def program() -> Path:
    """An `overture` for whoever starts a program by its path: in a pipe, or at a terminal."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return put_on_path(Path(folder)) / "overture"


def _address(owner: int) -> str:
    return f"\0overture-tests-{owner}"


@cache
def _nursery() -> socket.socket:
    """The process that forks; it ends with this one."""
    ours, theirs = socket.socketpair()
    code = f"from tests.cli.forked import serve; serve({theirs.fileno()}, {os.getpid()})"
    root = Path(__file__).parents[2]
    process = subprocess.Popen([sys.executable, "-c", code], cwd=root, pass_fds=[theirs.fileno()])
    theirs.close()
    atexit.register(_end, ours, process)
    ours.recv(1)
    return ours


def _end(ours: socket.socket, process: "subprocess.Popen[bytes]") -> None:
    ours.close()
    process.wait(timeout=5)


ONCE = (
    "explain house --json", "explain claude-code --why CLAUDE.md", "context --by file", "build moltis --format json",
    "check", "agents --all", "agents --fix", "agents --files", "lock", "cache opal", "serve house --save -",
)  # fmt: skip
"""What is compiled and read at first use, these use in a copy of the example."""


def _run_once() -> None:
    """Run some commands here: what all of them make ready for themselves is then ready in each that is forked."""
    from click.testing import CliRunner

    from overture.cli.group import overture

    with tempfile.TemporaryDirectory() as folder:
        harbor = shutil.copytree(Path(__file__).parents[2] / "examples/harbor", f"{folder}/harbor")
        place = ["--cwd", f"{harbor}/services/berths", "--root", harbor, "--home", f"{harbor}/home"]
        for line in ONCE:
            done = CliRunner().invoke(overture, [*line.split(), *place])
            assert not done.exception or isinstance(done.exception, SystemExit), (line, done.exception)
    _forget()


def _forget() -> None:
    """What a command reads once for itself, the clock and its input, each reads anew."""
    modules = [vars(module) for name, module in sys.modules.items() if name.startswith("overture.terminal")]
    for function in [value for names in modules for value in names.values() if hasattr(value, "cache_clear")]:
        function.cache_clear()


def serve(handle: int, owner: int) -> None:
    """Fork for every command that is asked for, until nobody asks any more."""
    import importlib
    import pkgutil

    import overture
    from overture.discover.load_tokenizer import find_counter

    gc.disable()
    for module in pkgutil.walk_packages(overture.__path__, "overture."):
        # No command uses the integrations, and their frameworks are rarely installed.
        if not module.name.endswith("__main__") and not module.name.startswith("overture.integrations."):
            importlib.import_module(module.name)
    # Read once: a command that counts would read its tokenizer anew for half a second.
    find_counter()
    _run_once()
    gc.freeze()
    gc.enable()
    channel, door = socket.socket(fileno=handle), socket.socket(socket.AF_UNIX)
    door.bind(_address(owner))
    door.listen(16)
    # Whoever waits may knock now.
    channel.sendall(b"r")
    while True:
        ready, _, _ = select.select([channel, door], [], [])
        if channel in ready and not _run_asked(channel):
            return
        if door in ready:
            _answer_door(door)


def _run_asked(channel: socket.socket) -> bool:
    """Run one command and tell its exit code; false where nobody asks any more."""
    head = channel.recv(8, socket.MSG_WAITALL)
    if not head:
        return False
    asked = json.loads(channel.recv(int.from_bytes(head, "big"), socket.MSG_WAITALL))
    _, streams, _, _ = socket.recv_fds(channel, 1, 3)
    child = os.fork()
    if child == 0:
        _become(asked, streams)
    for stream in streams:
        os.close(stream)
    _, status = os.waitpid(child, 0)
    channel.sendall(str(os.waitstatus_to_exitcode(status)).encode())
    return True


def _answer_door(door: socket.socket) -> None:
    """Run what comes from elsewhere beside all else: two commands may stand in one pipe."""
    caller, _ = door.accept()
    # Forked twice, so that nobody has to wait for it.
    between = os.fork()
    if between == 0:
        if os.fork() == 0:
            _run_asked(caller)
        os._exit(0)
    caller.close()
    os.waitpid(between, 0)


def _become(asked: Any, streams: Sequence[int]) -> None:
    """Be that command, as Python would have started it."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv = [str(OVERTURE), *asked["words"]]
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    code: object = 1
    try:
        os.chdir(asked["cwd"])
        from overture.cli.main import main

        main()
        code = 0
    except SystemExit as end:
        code = end.code
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else int(code is not None))

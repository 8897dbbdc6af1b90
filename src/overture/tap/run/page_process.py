"""The page beside a tap: a process of its own, so that the traffic pays nothing for it, which ends with the tap."""

import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import IO

from ...terminal.output import print_error

START_SECONDS = 30.0
"""Seconds that it has to say where it is."""
NO_PAGE = "overture tap: --page needs starlette and uvicorn: pip install 'overture[web]'. Continuing without the page."


@contextmanager
def serve_page_beside(store: str, cwd: str) -> Iterator[str]:
    """Where the page is; empty where there is none, which is said in a line and stops nothing."""
    if not find_spec("starlette") or not find_spec("uvicorn"):
        print_error(NO_PAGE)
        yield ""
        return
    try:
        errors = tempfile.TemporaryFile()  # noqa: SIM115  closed below, once the page has ended
        process = _start_page(store, cwd, errors)
    except OSError as problem:
        print_error(f"overture tap: the page could not be started: {problem}")
        yield ""
        return
    with errors:
        try:
            yield _read_address(process, errors)
        finally:
            _end_page(process)


def _start_page(store: str, cwd: str, errors: IO[bytes]) -> "subprocess.Popen[bytes]":
    """It reads from us until we are gone, however we end; and a terminal's Ctrl-C is the program's alone."""
    line = [sys.executable, "-m", "overture", "serve", "--cwd", cwd, "--port", "0", "--calls", store]
    return subprocess.Popen(
        [*line, "--until-input-ends"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        start_new_session=True,
    )


def _read_address(process: "subprocess.Popen[bytes]", errors: IO[bytes]) -> str:
    late = threading.Timer(START_SECONDS, process.kill)
    late.start()
    assert process.stdout is not None
    address = process.stdout.readline().decode("utf-8", "replace").strip()
    late.cancel()
    if not address:
        process.wait()
        errors.seek(0)
        why = errors.read(2_000).decode("utf-8", "replace").strip().rpartition("\n")[2]
        print_error(f"overture tap: the page could not be started: {why or 'it took too long'}")
    return address


def _end_page(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_for_interrupt(address: str) -> None:
    """The page stays when the program has ended, until Ctrl-C; a signal that ends processes ends it too."""
    ended = threading.Event()
    before = {number: signal.signal(number, lambda *_: ended.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    print_error(f"overture tap: the page stays at {address} until Ctrl-C.")
    try:
        while not ended.wait(0.5):
            pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def make_run_url(page: str, run: str) -> str:
    """Where the calls of a run are shown."""
    return f"{page}#/calls/run%2F{run}"

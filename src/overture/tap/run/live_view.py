"""What one sees while the tap is open: its addresses, a line for each call, or the page in a process of its own."""

import shlex
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from importlib.util import find_spec
from typing import IO, TYPE_CHECKING

from ...terminal.output import print_error, print_line
from ...text.invisible import escape_to_line
from ..recorded_call import RecordedCall, describe_midway_error
from .programs import load_programs, make_variables

if TYPE_CHECKING:
    from ..proxy.open_tap import Tap


def print_addresses(tap: "Tap", environ: Mapping[str, str], trust: Mapping[str, str], store: str) -> None:
    """Show at the start what the open tap listens at for each kind of provider, and the variables to export."""
    print_line(f"Calls are recorded in {store}. Press Ctrl-C to stop.")
    for name, base in tap.bases.items():
        print_line(f"  {name:<10} {base}  →  {tap.upstreams[name]}")
    print_line("Set these in the shell that starts the program:")
    variables = make_variables(load_programs()["sdk"], environ, tap.bases, tap.proxy, trust)
    lines = [f"  export {name}={shlex.quote(value)}\n" for name, value in variables.items()]
    # Unmasked: the reader needs the token in the proxy's address, which expires with this tap.
    sys.stdout.write("".join(lines))
    sys.stdout.flush()


def print_call(call: RecordedCall) -> None:
    """Print a line for a call that was just recorded: its time, id, model, tokens, and how it failed."""
    at = datetime.fromisoformat(call.at).astimezone().strftime("%H:%M:%S")
    usage = call.usage
    counts = (usage.input, usage.read, usage.output) if usage else (None, None, None)
    sent, read, out = ("?" if count is None else f"{count:,}" for count in counts)
    failed = describe_midway_error(call.error) if call.is_answered else call.status_words
    tokens = "dry run: not sent" if call.dry_run else f"{sent} in ({read} cached), {out} out"
    print_line(escape_to_line("  ".join(filter(None, (at, call.id, call.model or "?", tokens, failed)))))


START_SECONDS = 30.0
"""Seconds in which the page must print its address."""
NO_PAGE = "overture tap: --page needs starlette and uvicorn: pip install 'overture[web]'. Continuing without the page."


@contextmanager
def serve_page_beside(store: str, cwd: str) -> Iterator[str]:
    """The page's address; if it can't start, print a line and yield an empty one."""
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
    announce_page(f"the page stays at {address} until Ctrl-C.")
    try:
        while not ended.wait(0.5):
            pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def announce_page(words: str) -> None:
    """A line with the page's address, unmasked: the reader needs the token in it, which expires with the page."""
    sys.stderr.write(f"overture tap: {words}\n")
    sys.stderr.flush()


def make_run_url(page: str, run: str) -> str:
    """Where the calls of a run are shown."""
    return f"{page}#/calls/run%2F{run}"

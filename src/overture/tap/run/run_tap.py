"""Runs a program behind the tap, or keeps the tap open for other programs."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING

from ...errors import ConfigError, show_value
from ...terminal.output import print_error
from ..recorded_call import Run
from ..store.store import Store, open_store
from .live_view import make_run_url, print_addresses, print_call
from .plan_and_open_tap import MODES, RunResult, TapPlan, check_packages, open_for_program, open_planned_tap
from .programs import Way, find_program_path, prepare_start
from .recording import NoRecording, Recording, format_now, make_id, open_recording

if TYPE_CHECKING:
    from ..proxy.open_tap import Tap

RELAYED_SIGNALS = tuple(name for name in ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2") if hasattr(signal, name))

TERMINAL_SIGNALS = tuple(name for name in ("SIGINT", "SIGQUIT") if hasattr(signal, name))
"""Those that a terminal sends to all processes in front of it: the program has had them already."""


class _SignalRelay:
    """Passes signals on to a process."""

    def __init__(self) -> None:
        self.process: asyncio.subprocess.Process | None = None

    def __call__(self, number: int) -> None:
        if self.process is not None and self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.send_signal(number)


END_SECONDS = 6.0
"""Seconds that the end of a run may take to be recorded: a little more than one waits for another writer."""


def tap_program(plan: TapPlan) -> RunResult:
    """Run a program to its end. If the tap fails, a line is printed and the program still runs."""
    find_program_path(plan.argv[0], plan.environ)
    with open_recording(plan.store, _make_run(plan)) as recording:
        return asyncio.run(_tap_program(plan, recording))


async def _tap_program(plan: TapPlan, recording: Recording | NoRecording) -> RunResult:
    """Open the tap, run the program behind it, and end the recording."""
    async with AsyncExitStack() as stack:
        opened = await open_for_program(stack, plan, recording)
        if opened is None:
            return RunResult(await run_watched_program(plan.argv, plan.environ), "", (), plan.mode, 0, ())
        tap, trust, mode = opened
        start = prepare_start(plan.argv, plan.environ, tap.bases, tap.proxy, trust, mode)
        note = f"; {start.note}" if start.note else ""
        print_error(f"overture tap: {plan.name} is tapped {MODES[mode]}{note}. {_describe_store(plan, recording)}")
        code = await run_watched_program(start.argv, start.environ)
    return _finish_run(recording, code, tap, mode)


def _describe_store(plan: TapPlan, recording: Recording | NoRecording) -> str:
    """Where the run's calls are recorded, in words."""
    if isinstance(recording, NoRecording):
        return f"Nothing is recorded: {recording.problem}"
    return f"Calls are recorded in {recording.store.where}{_describe_page(plan, recording.run)}"


def listen_until_stopped(plan: TapPlan) -> RunResult:
    """Keep the tap open until Ctrl-C, with a line for each call."""
    check_packages(plan.mode)
    with open_store(plan.store) as store:
        return asyncio.run(_listen(plan, store))


async def _listen(plan: TapPlan, store: Store) -> RunResult:
    """Open the tap, print its addresses, and wait for a signal that ends it."""
    recording = Recording(store, _make_run(plan), print_call)
    ended = asyncio.Event()
    async with open_planned_tap(plan, recording.record, plan.mode == "proxy") as (tap, trust):
        for number in _list_end_signals():
            with suppress(NotImplementedError, ValueError):
                asyncio.get_running_loop().add_signal_handler(number, ended.set)
        print_addresses(tap, plan.environ, trust, store.where + _describe_page(plan, recording.run))
        await ended.wait()
    return _finish_run(recording, 0, tap, plan.mode)


def _describe_page(plan: TapPlan, run: Run) -> str:
    """Where the run's calls are shown, in words."""
    return f" and shown at {make_run_url(plan.page, run.id)}" if plan.page else ""


def _list_end_signals() -> Iterator[int]:
    """The signals that end a tap; a hangup only if it is not ignored, as under `nohup`."""
    yield from (signal.SIGINT, signal.SIGTERM)
    hangup = getattr(signal, "SIGHUP", None)
    if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:
        yield hangup


def _make_run(plan: TapPlan) -> Run:
    """The run of a program behind the tap, with a new id."""
    addresses = tuple(dict.fromkeys(map(str, plan.upstreams.values())))
    return Run("r" + make_id(6), format_now(), plan.name, plan.argv, plan.cwd, addresses)


def _finish_run(recording: Recording | NoRecording, code: int, tap: "Tap", mode: Way) -> RunResult:
    """End the run; a failure to record its end is reported, and the program's exit code stays the same."""
    lost = tap.losses
    if problem := _end_recording(recording, lost):
        lost = (*lost, f"the end of the run could not be recorded: {problem}")
    closed = tuple(host for host, _ in tap.router.tunnel_counts.most_common())
    id = "" if isinstance(recording, NoRecording) else recording.run.id
    return RunResult(code, id, lost, mode, tap.router.request_count, closed, recording.calls, tap.refusals)


def _end_recording(recording: Recording | NoRecording, lost: tuple[str, ...]) -> str:
    """Record the end; what went wrong. A server that does not answer any more is not waited for."""
    problems = ["the store does not respond"]

    def end() -> None:
        try:
            recording.end(lost)
            problems.clear()
        except Exception as problem:  # the disk may be full by now
            problems[:] = [str(problem)]

    thread = Thread(target=end, name="overture-tap-end", daemon=True)
    thread.start()
    thread.join(END_SECONDS)
    return next(iter(problems), "")


async def run_watched_program(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    """The exit code of a program that runs to its end; 128 and the signal's number where a signal ended it."""
    path = find_program_path(argv[0], environ)
    # As from a shell, a program knows itself by the name that was typed; Windows starts scripts by their path alone.
    executable = path if os.name == "posix" else None
    words = argv if executable else (path, *argv[1:])
    with _relay_signals() as passed:
        try:
            # What was opened for the program, as bash does for <(…), stays open; what this process opens is its own.
            process = await asyncio.create_subprocess_exec(
                *words, executable=executable, env=dict(environ), close_fds=executable is None
            )
        except (OSError, ValueError) as problem:
            raise ConfigError(
                f"Program {show_value(argv[0])} can't be started: {problem}.", hint="Run it without the tap to compare."
            ) from None
        passed.process = process
        code = await process.wait()
    return code if code >= 0 else 128 - code


@contextmanager
def _relay_signals() -> Iterator[_SignalRelay]:
    """While a program runs, signals are its own, and this process does not end by them."""
    loop, passed, taken = asyncio.get_running_loop(), _SignalRelay(), []
    for name in (*RELAYED_SIGNALS, *TERMINAL_SIGNALS):
        number = getattr(signal, name)
        # Handlers do not pass to the program, as ignored signals would.
        what = _ignore_signal if name in TERMINAL_SIGNALS and _is_in_foreground() else passed
        with suppress(NotImplementedError, RuntimeError, ValueError):  # not in a thread, not on every system
            loop.add_signal_handler(number, what, number)
            taken.append(number)
    try:
        yield passed
    finally:
        for number in taken:
            loop.remove_signal_handler(number)


def _ignore_signal(_: int) -> None:
    """The program has had it from the terminal."""


def _is_in_foreground() -> bool:
    with suppress(OSError, ValueError, AttributeError):
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    return False

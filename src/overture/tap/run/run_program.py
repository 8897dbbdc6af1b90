"""Runs a program in the terminal that is there, and ends as it ends. Signals are passed on to it."""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from ...errors import ConfigError, show_value, suggest

RELAYED_SIGNALS = tuple(name for name in ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2") if hasattr(signal, name))
TERMINAL_SIGNALS = tuple(name for name in ("SIGINT", "SIGQUIT") if hasattr(signal, name))
"""Those that a terminal sends to all processes in front of it: the program has had them already."""


async def run_program(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    """The exit code of a program that runs to its end; 128 and the signal's number where a signal ended it."""
    path = find_program_path(argv[0], environ)
    with _relay_signals() as passed:
        try:
            process = await asyncio.create_subprocess_exec(path, *argv[1:], env=dict(environ))
        except (OSError, ValueError) as problem:
            raise ConfigError(
                f"Program {show_value(argv[0])} can't be started: {problem}.", hint="Run it without the tap to compare."
            ) from None
        passed.process = process
        code = await process.wait()
    return code if code >= 0 else 128 - code


def find_program_path(name: str, environ: Mapping[str, str]) -> str:
    """Where a program lies."""
    path = shutil.which(name, path=environ.get("PATH"))
    if path is None:
        raise ConfigError(
            f"Program {show_value(name)} was not found.{_suggest_programs(name, environ)}",
            hint="Pass its name or path. Without an agent, `overture tap --demo` shows a recorded conversation.",
        )
    return path


class _SignalRelay:
    """Passes signals on to a process."""

    def __init__(self) -> None:
        self.process: asyncio.subprocess.Process | None = None

    def __call__(self, number: int) -> None:
        if self.process is not None and self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.send_signal(number)


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
    """Whether a terminal sends its signals to this process."""
    with suppress(OSError, ValueError, AttributeError):
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    return False


def _suggest_programs(name: str, environ: Mapping[str, str]) -> str:
    from .programs import load_programs

    known = [each for program in load_programs().values() for each in program.names]
    return suggest(name, [each for each in known if shutil.which(each, path=environ.get("PATH"))])

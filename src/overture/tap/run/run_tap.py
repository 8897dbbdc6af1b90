"""Runs a program behind the tap, or keeps the tap open for others: planned, opened, recorded, ended.

Whatever fails, the program is not to suffer.
"""

import asyncio
import os
import secrets
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from importlib import import_module
from threading import Thread
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from ...errors import ConfigError, OvertureError, StoreError, describe_error, printable, show_value
from ...terminal.output import print_error
from ..recorded_call import RecordedCall, Run
from ..store.store import Store, open_store
from ..upstreams import Upstream, load_families, make_dry_run_upstreams, resolve_upstreams
from ..wire.read_call import RawCall, read_call_and_wire
from .live_view import announce_page, make_run_url, print_addresses, print_call
from .programs import Program, Way, choose_mode, find_named_program, find_program_path, prepare_start

if TYPE_CHECKING:
    from ..proxy.certificate_authority import Authority
    from ..proxy.open_tap import Tap


def format_now() -> str:
    """The time now, as it is recorded."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def make_id(letters: int) -> str:
    """An id that nothing else has, of so many letters."""
    return secrets.token_hex(letters // 2)


class Recording:
    """Reads raw calls and stores them; it raises every error, and the tap reports it."""

    def __init__(self, store: Store, run: Run, on_call: Callable[[RecordedCall], None] | None = None) -> None:
        """Begin the recording of a run in a store; `on_call` gets each call that was recorded."""
        self.store, self.run, self._on_call = store, store.add_run(run), on_call
        self.calls = 0

    def record(self, raw_call: RawCall) -> None:
        """Store one raw call, if it is a request to a model."""
        read = read_call_and_wire(raw_call, make_id(10), self.run)
        if read is None:
            return
        call, wire = read
        try:
            self.store.add(call, wire)
        except StoreError:
            raise
        except Exception as problem:  # its wire can't be stored
            message = printable(f"as it was on the wire: {type(problem).__name__}: {problem}")[:300]
            call = replace(call, missing=(*call.missing, message))
            self.store.add(call)
        self.calls += 1
        if self._on_call is not None:
            with suppress(Exception):  # the viewer may be gone; the call is stored
                self._on_call(call)

    def end(self, missing: Iterable[str] = ()) -> None:
        """End the run, and note in it what no call records."""
        self.store.end_run(self.run.id, format_now(), missing)


class NoRecording:
    """Replaces a recording that can't start: traffic is passed on, and nothing is stored."""

    calls = 0

    def __init__(self, run: Run, problem: Exception) -> None:
        """Keep why the recording of a run could not start."""
        self.run, self.problem = run, describe_error(problem)

    def record(self, raw_call: RawCall) -> None:
        """Store nothing of a raw call."""

    def end(self, missing: object = ()) -> None:
        """There is no recording to end."""


@contextmanager
def open_recording(store_path: str, run: Run) -> Iterator[Recording | NoRecording]:
    """The recording of a run; one that keeps nothing where the store can't be used."""
    try:
        store = open_store(store_path)
    except Exception as problem:  # a home that can't be written, a file that is no store
        yield NoRecording(run, problem)
        return
    with store:
        try:
            recording: Recording | NoRecording = Recording(store, run)
        except Exception as problem:  # a full disk, a locked store
            recording = NoRecording(run, problem)
        yield recording


class TapPlan(NamedTuple):
    """How to tap."""

    upstreams: dict[str, Upstream]
    store: str
    port: int
    mode: Way
    environ: Mapping[str, str]
    cwd: str
    argv: tuple[str, ...] = ()
    """The program's words; none where others start it."""
    program: Program | None = None
    name: str = ""
    """What the program is called there."""
    page: str = ""
    """Where the page beside it is; empty: there is none."""
    is_redirected: bool = False
    """Whether calls are to go elsewhere than without the tap: then the program is not run without it."""


class RunResult(NamedTuple):
    """What came of it."""

    code: int
    run: str
    losses: tuple[str, ...]
    mode: Way
    """In which it was tapped."""
    request_count: int
    """Requests and connections that came for a provider."""
    tunneled_hosts: tuple[str, ...]
    """Other hosts that were asked, most often first; what passed there was not read."""
    recorded_calls: int = 0
    """Calls that were written."""
    refusals: Mapping[str, int] = MappingProxyType({})
    """Requests that the tap itself refused, by the reason."""


UNUSED = (
    "{variable} is not an address that can be tapped, so calls to it are not recorded. "
    "Set it to a URL such as https://host/path, without a user, a password or a query."
)


def make_plan(
    upstream_options: tuple[str, ...],
    store: str,
    port: int,
    way: Way | None,
    argv: tuple[str, ...] = (),
    dry_run: str = "",
) -> TapPlan:
    """The plan from the options, checked before anything starts. `dry_run` is the address that answers all calls."""
    environ = dict(os.environ)
    program, _, name = find_named_program(argv) if argv else (None, 0, "")
    mode = way or "base" if program is None else choose_mode(program, environ, way)
    if dry_run:
        upstreams = make_dry_run_upstreams(dry_run)
    elif program is not None:
        own = program.list_upstreams(environ)
        upstreams = resolve_upstreams(upstream_options, environ, own, program.provider)
    else:
        upstreams = resolve_upstreams(upstream_options, environ)
    _warn_of_unused_variables(upstreams, environ, program)
    redirected = bool(dry_run or upstream_options)
    return TapPlan(
        upstreams, store, port, mode, environ, find_current_folder(), argv, program, name, is_redirected=redirected
    )


def _warn_of_unused_variables(
    upstreams: Mapping[str, Upstream], environ: Mapping[str, str], program: Program | None
) -> None:
    """Name the variables whose addresses can't be tapped: the program keeps them. The values may have passwords."""
    for name, family in load_families().items():
        if name in upstreams or (program is not None and program.provider not in ("", name)):
            continue
        variables = (*(program.list_variables(name) if program is not None else ()), *family.variables)
        variable = next(each for each in variables if environ.get(each))
        print_error(f"overture tap: {UNUSED.format(variable=variable)}")


def find_current_folder() -> str:
    """Where the program is started; a folder that was removed is no reason not to."""
    try:
        return os.getcwd()
    except OSError:
        return os.environ.get("PWD", os.sep)


Opened = tuple["Tap", dict[str, str]]
"""The tap, and the variables by which a program trusts it."""
UNTAPPED = "overture tap: {program} runs without the tap, and nothing is recorded: {problem}"
MODES = {"base": "through its base URL", "proxy": "as a proxy, with a certificate for this run only"}


async def open_for_program(
    stack: AsyncExitStack, plan: TapPlan, recording: Recording | NoRecording
) -> tuple["Tap", dict[str, str], Way] | None:
    """The tap as it is wanted, else at another port or in another way; None: the program has to run without it."""
    modes = dict.fromkeys((plan.mode, *(plan.program.ways if plan.program else ())))
    problems: list[Exception] = []
    for way, port in dict.fromkeys((way, port) for way in modes for port in (plan.port, 0)):
        try:
            check_packages(way)
            opening = open_planned_tap(plan._replace(port=port), recording.record, way == "proxy")
            opened = await stack.enter_async_context(opening)
        except Exception as problem:  # no package, no port, no folder for certificates: none of it is the program's
            problems.append(problem)
            continue
        if problems:
            print_error(
                f"overture tap: {describe_error(problems[0])} Continuing at port {opened[0].port}, {MODES[way]}."
            )
        return *opened, way
    if plan.is_redirected:  # without the tap it would ask its provider, and be charged for it
        raise problems[0] if isinstance(problems[0], OvertureError) else ConfigError(describe_error(problems[0]))
    print_error(UNTAPPED.format(program=plan.name, problem=describe_error(problems[0])))
    return None


def check_packages(mode: Way) -> None:
    """Raise ConfigError for a missing package before anything is created."""
    for name in ("h11", "wsproto"):
        try:
            import_module(name)
        except ImportError:
            raise ConfigError(
                f"The tap needs {name}:", message=f"`overture tap` needs a package that is not installed: {name}",
                hint="pip install 'overture[tap]'",
            ) from None  # fmt: skip
    if mode == "proxy":
        import_module("overture.tap.proxy.certificate_authority")


@asynccontextmanager
async def open_planned_tap(plan: TapPlan, record: Callable[[RawCall], None], proxy: bool) -> AsyncIterator[Opened]:
    """The tap, open as long as the block lasts."""
    from ..proxy.open_tap import open_tap

    with _open_authority(plan, proxy) as (authority, trust):
        async with open_tap(
            plan.upstreams, record, port=plan.port, authority=authority, environ=plan.environ,
        ) as tap:  # fmt: skip
            yield tap, trust


@contextmanager
def _open_authority(plan: TapPlan, proxy: bool) -> Iterator[tuple["Authority | None", dict[str, str]]]:
    """A certificate authority for this run, where the tap is a proxy."""
    if not proxy:
        yield None, {}
        return
    from ..proxy.certificate_authority import Authority, write_trust_files

    authority = Authority()
    with write_trust_files(authority, plan.environ) as variables:
        yield authority, variables


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
        print_error(f"overture tap: {plan.name} is tapped {MODES[mode]}{note}. {_describe_store(recording)}")
        if not isinstance(recording, NoRecording):
            _announce_page(plan, recording.run)
        code = await run_watched_program(start.argv, start.environ)
    return _finish_run(recording, code, tap, mode)


def _describe_store(recording: Recording | NoRecording) -> str:
    """Where the run's calls are recorded, in words."""
    if isinstance(recording, NoRecording):
        return f"Nothing is recorded: {recording.problem}"
    return f"Calls are recorded in {recording.store.where}"


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
        print_addresses(tap, plan.environ, trust, store.where)
        _announce_page(plan, recording.run)
        await ended.wait()
    return _finish_run(recording, 0, tap, plan.mode)


def _announce_page(plan: TapPlan, run: Run) -> None:
    """Print where the run's calls are shown."""
    if plan.page:
        announce_page(f"Calls are shown at {make_run_url(plan.page, run.id)}")


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
    """Record the end; what went wrong. A disk that does not answer any more is not waited for."""
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

"""Plans how to tap a program, opens the tap and records its calls: whatever fails, the program is not to suffer."""

import os
import secrets
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from ...errors import ConfigError, OvertureError, StoreError, describe_error, printable
from ...terminal.output import print_error
from ..call import RecordedCall, Run
from ..shared_prefix import OncePerText
from ..store.open_store import open_store
from ..store.store import Store
from ..upstreams import Upstream, make_dry_run_upstreams, resolve_upstreams
from ..wire.raw_call import Bodies, RawCall, make_wire, unpack_bodies
from ..wire.read_call import read_call
from ..wire.storable_values import clean_same
from .programs import Program, Way, choose_mode, find_named_program

if TYPE_CHECKING:
    from ..proxy.certificate_authority import Authority
    from ..proxy.open_tap import Tap


class TapPlan(NamedTuple):
    """How to tap."""

    upstreams: dict[str, Upstream]
    store: str
    port: int
    mode: Way | None
    environ: Mapping[str, str]
    cwd: str
    page: str = ""
    """Where the page beside it is; empty: there is none."""
    events: bool = False
    """Whether answers are kept as they come."""
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
    program = find_named_program(argv).program if argv else None
    if program is not None:
        choose_mode(program, environ, way)
    upstreams = make_dry_run_upstreams(dry_run) if dry_run else _resolve_upstreams(upstream_options, environ, program)
    redirected = bool(dry_run or upstream_options)
    return TapPlan(upstreams, store, port, way, environ, find_current_folder(), is_redirected=redirected)


def find_current_folder() -> str:
    """Where the program is started; a folder that was removed is no reason not to."""
    try:
        return os.getcwd()
    except OSError:
        return os.environ.get("PWD", os.sep)


def _resolve_upstreams(
    upstream_options: tuple[str, ...], environ: Mapping[str, str], program: Program | None
) -> dict[str, Upstream]:
    if program is None:
        return resolve_upstreams(upstream_options, environ)
    return resolve_upstreams(upstream_options, environ, program.list_upstreams(environ), program.provider)


MAX_REMEMBERED_CHARS = 8_000_000
"""Characters of pieces that are not looked through for secrets again."""
Opened = tuple["Tap", dict[str, str]]
"""The tap, and the variables by which a program trusts it."""
UNTAPPED = "overture tap: {program} runs without the tap, and nothing is recorded: {problem}"
MODES = {"base": "through its base URL", "proxy": "as a proxy, with a certificate for this run only"}


def format_now() -> str:
    """The time now, as it is recorded."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def make_id(letters: int) -> str:
    """An id that nothing else has, of so many letters."""
    return secrets.token_hex(letters // 2)


class Recording:
    """Reads raw calls and stores them; it raises every error, and the tap reports it."""

    def __init__(self, store: Store, run: Run, on_call: Callable[[RecordedCall], None] | None = None) -> None:
        self.store, self.run, self._on_call = store, store.add_run(run), on_call
        self.calls = 0
        self._clean = OncePerText(clean_same, MAX_REMEMBERED_CHARS)

    def record(self, raw_call: RawCall) -> None:
        """Store one raw call, if it is a request to a model."""
        bodies = unpack_bodies(raw_call)
        call = read_call(raw_call, make_id(10), self.run, bodies, self._clean)
        if call is None:
            return
        call = self._store_call(call, raw_call, bodies)
        self.calls += 1
        if self._on_call is not None:
            with suppress(Exception):  # the viewer may be gone; the call is stored
                self._on_call(call)

    def _store_call(self, call: RecordedCall, raw_call: RawCall, bodies: Bodies) -> RecordedCall:
        """Store a call; if its wire can't be stored, the call notes that and is stored without it."""
        try:
            self.store.add(call, make_wire(raw_call, bodies))
        except StoreError:
            raise
        except Exception as problem:
            message = printable(f"as it was on the wire: {type(problem).__name__}: {problem}")[:300]
            call = replace(call, missing=(*call.missing, message))
            self.store.add(call)
        return call

    def end(self, missing: Iterable[str] = ()) -> None:
        """End the run, and note in it what no call records."""
        self.store.end_run(self.run.id, format_now(), missing)


class NoRecording:
    """Replaces a recording that can't start: traffic is passed on, and nothing is stored."""

    calls = 0

    def __init__(self, run: Run, problem: Exception) -> None:
        self.run, self.problem = run, describe_error(problem)

    def record(self, raw_call: RawCall) -> None:
        """Store nothing."""

    def end(self, missing: object = ()) -> None:
        """There is nothing to end."""


@contextmanager
def open_recording(store_path: str, run: Run) -> Iterator[Recording | NoRecording]:
    """The recording of a run; one that keeps nothing where the store can't be used."""
    try:
        store = open_store(store_path)
    except Exception as problem:  # a home that can't be written, a file that is no store, a server that is down
        yield NoRecording(run, problem)
        return
    with store:
        try:
            recording: Recording | NoRecording = Recording(store, run)
        except Exception as problem:  # a full disk, a locked store
            recording = NoRecording(run, problem)
        yield recording


class TapAttempt(NamedTuple):
    """How the tap may be opened."""

    mode: Way
    port: int


async def open_for_program(
    stack: AsyncExitStack, argv: tuple[str, ...], plan: TapPlan, mode: Way, recording: Recording | NoRecording
) -> tuple["Tap", dict[str, str], Way] | None:
    """The tap as it is wanted, else at another port or in another way; None: the program has to run without it."""
    program = find_named_program(argv).program
    problems: list[Exception] = []
    for each in _list_attempts(plan, mode, program.ways):
        try:
            check_packages(each.mode)
            wanted = plan._replace(port=each.port)
            opening = open_planned_tap(wanted, recording.record, each.mode == "proxy")
            opened = await stack.enter_async_context(opening)
        except Exception as problem:  # no package, no port, no folder for certificates: none of it is the program's
            problems.append(problem)
            continue
        if problems:
            print_error(
                f"overture tap: {describe_error(problems[0])} Continuing at port {opened[0].port}, {MODES[each.mode]}."
            )
        return *opened, each.mode
    if plan.is_redirected:  # without the tap it would ask its provider, and be charged for it
        raise problems[0] if isinstance(problems[0], OvertureError) else ConfigError(describe_error(problems[0]))
    print_error(UNTAPPED.format(program=recording.run.program, problem=describe_error(problems[0])))
    return None


def _list_attempts(plan: TapPlan, mode: Way, ways: tuple[Way, ...]) -> list[TapAttempt]:
    others = [each for each in ways if each != mode]
    return list(dict.fromkeys(TapAttempt(each, port) for each in (mode, *others) for port in (plan.port, 0)))


def check_packages(mode: Way | None) -> None:
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
    from ..proxy.recorder import CaptureMemory

    with _open_authority(plan, proxy) as (authority, trust):
        async with open_tap(
            plan.upstreams, record, port=plan.port, authority=authority, environ=plan.environ,
            room=CaptureMemory(events=plan.events),
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

"""How to tap a program: planned by the options, checked, and opened. Whatever fails, the program is not to suffer."""

import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from ...errors import ConfigError, OvertureError, describe_error
from ...terminal.output import print_error
from ..upstreams import Upstream, load_families, make_dry_run_upstreams, resolve_upstreams
from ..wire.read_call import RawCall
from .programs import Program, Way, choose_mode, find_named_program
from .recording import NoRecording, Recording

if TYPE_CHECKING:
    from ..proxy.certificate_authority import Authority
    from ..proxy.open_tap import Tap


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

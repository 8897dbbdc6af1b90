"""How a program is tapped, as the options say, and what came of it."""

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from ..upstreams import Upstream, make_dry_run_upstreams, resolve_upstreams
from .programs import Program, Way, find_named_program
from .start_program import choose_mode


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
    """What the options say, checked before anything is started. `dry_run` is the address that answers all calls."""
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

"""How a program is tapped, as the options say: its words and its environment, in which it finds the tap."""

import json
import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ...errors import ConfigError
from ..upstreams import Upstream, make_dry_run_upstreams, resolve_upstreams
from .programs import Program, Way, find_named_program

LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")


class ProgramStart(NamedTuple):
    """What is started, and how."""

    argv: tuple[str, ...]
    environ: dict[str, str]
    program: Program
    mode: Way

    @property
    def note(self) -> str:
        """What is different in the program because of the way in which it is tapped."""
        return self.program.notes.get(self.mode, "")


def choose_mode(program: Program, environ: Mapping[str, str], wanted: Way | None = None) -> Way:
    """How a program is tapped: as it is wanted, by the base URL that the user has set, or as it is best tapped."""
    if wanted is not None and wanted not in program.ways:
        raise ConfigError(f"{program.name!r} has no base-URL setting.", hint="Use --forward.")
    is_set = any(environ.get(name) for name, value in program.set.items() if value.startswith("$"))
    return wanted or ("base" if is_set and "base" in program.ways else program.ways[0])


def prepare_start(
    argv: Sequence[str], environ: Mapping[str, str], bases: Mapping[str, str],
    proxy: str | None = None, trust: Mapping[str, str] | None = None, wanted: Way | None = None,
) -> ProgramStart:  # fmt: skip
    """A program's words and environment: with base URLs (`Tap.bases`), or with a proxy and whom to trust."""
    if not argv:
        raise ConfigError("No program is given.", hint="Pass one after `--`, e.g. `overture tap -- claude`")
    program, at, _ = find_named_program(argv)
    mode = choose_mode(program, environ, wanted)
    if mode == "proxy":
        if proxy is None:
            raise ConfigError(
                f"{program.name!r} needs a proxy, and this tap has no certificate authority.",
                hint="Open the tap with a certificate authority.",
            )
        return ProgramStart(
            tuple(argv), {**environ, **_make_proxy_variables(environ, proxy), **(trust or {})}, program, mode
        )
    values = _make_values(bases)
    added = {
        name: _merge_json(environ.get(name, ""), fill_addresses(value, values)) for name, value in program.set.items()
    }
    arguments = (*argv[: at + 1], *(fill_addresses(word, values) for word in program.arguments), *argv[at + 1 :])
    return ProgramStart(arguments, {**environ, **added, **_make_no_proxy(environ)}, program, "base")


def _make_values(bases: Mapping[str, str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for name, url in bases.items():
        parts = urlsplit(url)
        values[f"{name.upper()}_PATH"] = parts.path.lstrip("/")
        values[name.upper()] = url
        values["ADDRESS"] = f"{parts.scheme}://{parts.netloc}"
    return values


def fill_addresses(text: str, values: Mapping[str, str]) -> str:
    """A value of the table with the tap's addresses in it."""
    for name in sorted(values, key=len, reverse=True):
        text = text.replace(f"${name}", values[name])
    return text


def _make_proxy_variables(environ: Mapping[str, str], proxy: str) -> dict[str, str]:
    """The tap as the proxy for https. What the user does not send through proxies is not sent through this one."""
    names = ("HTTPS_PROXY", "https_proxy", "NODE_USE_ENV_PROXY")
    return {**dict.fromkeys(names[:2], proxy), names[2]: "1", **_make_no_proxy(environ)}


def _make_no_proxy(environ: Mapping[str, str]) -> dict[str, str]:
    """What keeps the user's own proxy out of the way to this machine."""
    hosts = environ.get("NO_PROXY") or environ.get("no_proxy") or ""
    known = [each.strip() for each in hosts.split(",") if each.strip()]
    value = ",".join([*known, *(each for each in LOCAL_HOSTS if each not in known)])
    return {"NO_PROXY": value, "no_proxy": value}


def _merge_json(old: str, new: str) -> str:
    """A JSON object laid over the one that the user has set; anything else takes its place."""
    try:
        under, over = json.loads(old), json.loads(new)
    except (ValueError, RecursionError):
        return new
    both = isinstance(under, dict) and isinstance(over, dict)
    return json.dumps(_merge_values(under, over), ensure_ascii=False) if both else new


def _merge_values(under: Any, over: Any) -> Any:
    if not (isinstance(under, dict) and isinstance(over, dict)):
        return over
    return {**under, **{key: _merge_values(under.get(key), value) for key, value in over.items()}}


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

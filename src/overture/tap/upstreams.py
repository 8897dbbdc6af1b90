"""Where requests go: the families of providers, and one upstream for each, fixed at the start."""

import pkgutil
import re
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from ..errors import ConfigError, find_similar, show_value
from ..model.struct import Frozen


class Family(Frozen, frozen=True):
    """One kind of provider: its protocol and its addresses."""

    base: str
    upstream: str
    variables: tuple[str, ...]
    hosts: tuple[str, ...]
    calls: str
    name: str = ""

    def is_call(self, method: bytes, target: bytes) -> bool:
        """Whether a request asks a model for something."""
        return method == b"POST" and self.has_path(target)

    def has_path(self, target: bytes) -> bool:
        """Whether a path is one at which models are called."""
        return re.search(self.calls.encode(), target.partition(b"?")[0]) is not None

    def has_host(self, host: str) -> bool:
        """Whether a host is one of the family's."""
        return has_host(self.hosts, host)


@cache
def load_families() -> dict[str, Family]:
    """The families of providers, by name."""
    data = pkgutil.get_data(__package__, "families.toml")
    assert data is not None
    tables = tomllib.loads(data.decode("utf-8"))
    return {name: msgspec.convert({**table, "name": name}, Family) for name, table in tables.items()}


def has_host(patterns: tuple[str, ...], host: str) -> bool:
    """Whether a host is one of these."""
    return any(re.fullmatch(r"[\w.-]+".join(map(re.escape, each.split("*"))), host.lower()) for each in patterns)


def find_family(host: str) -> Family | None:
    """The family that a host belongs to."""
    return next((family for family in load_families().values() if family.has_host(host)), None)


PORTS = {"http": 80, "https": 443}
PLAIN = re.compile(r"[!-~]*")
REGION = re.compile(r"[a-z0-9-]{1,40}")


class Upstream(NamedTuple):
    """A server that requests go to, and the path that stands before theirs."""

    scheme: str
    host: str
    port: int
    path: str = ""
    replaced_hosts: tuple[str, ...] = ()
    """Hosts of providers whose requests go here, where the tap is a proxy; `*` is one or more labels."""

    def is_replacement_for(self, host: str) -> bool:
        """Whether the requests to a host go here."""
        return host != self.host and has_host(self.replaced_hosts, host)

    @property
    def netloc(self) -> str:
        """How `Host` names it."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == PORTS[self.scheme] else f"{name}:{self.port}"

    def __str__(self) -> str:
        """`https://api.openai.com/v1`."""
        return f"{self.scheme}://{self.netloc}{self.path}"


def parse_upstream(url: str, *, typed: bool = False) -> Upstream:
    """An upstream from its URL; a host without a scheme, as Ollama's variable has it, is http, unless it was typed.

    A port alone, as there, is one of this machine.
    """
    try:
        parts = urlsplit(url if "://" in url else f"http://{'127.0.0.1' if url.startswith(':') else ''}{url}")
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if (typed and "://" not in url) or parts.scheme not in PORTS or not parts.hostname or not PLAIN.fullmatch(url):
        raise ConfigError(
            f"Upstream {show_value(url)} is not a URL.", hint="Pass a URL such as https://api.anthropic.com"
        )
    if parts.username is not None or parts.query or parts.fragment:
        raise ConfigError(
            f"Upstream {parts.hostname!r} must have a host and a path only.", hint="Set keys in the program, not here."
        )
    default = 11434 if "://" not in url else PORTS[parts.scheme]
    return Upstream(parts.scheme, parts.hostname, default if port is None else port, parts.path.rstrip("/"))


def resolve_upstreams(
    urls: Iterable[str] = (), environ: Mapping[str, str] | None = None, own: Mapping[str, str] | None = None,
    provider: str = "",
) -> dict[str, Upstream]:  # fmt: skip
    """The upstream of each family: what is given, else what the environment names, else the provider's own.

    `urls` are `FAMILY=URL`, or a URL alone, which is for one family: that of its host, else `provider`, the only one
    that the program asks. Where neither is known, it takes each request by its form, as a gateway does. `own` is where
    the program leads by itself, which takes precedence over the environment. A family has no upstream if the address
    in its variable can't be used.
    """
    usual = {name: _find_default(family, environ or {}) for name, family in load_families().items()}
    upstreams = dict[str, Upstream]()
    for name, url in {**usual, **(own or {})}.items():
        with suppress(ConfigError):
            upstreams[name] = parse_upstream(url)
    leads = {name: upstreams[name] for name in own or () if name in upstreams}
    for each in urls:
        name, equals, url = each.partition("=")
        if equals and name in usual:
            upstreams[name] = _replace_provider(parse_upstream(url, typed=True), name, leads)
        elif equals and "/" not in name:
            known = ", ".join(usual)
            raise ConfigError(
                f"No provider named {show_value(name)}.",
                tip=find_similar(name, usual),
                hint=f"Known: {known}.",
            )
        else:
            named = parse_upstream(each, typed=True)
            for one in _choose_families(named, provider):
                upstreams[one] = _replace_provider(_join_path(named, load_families()[one]), one, leads)
    return upstreams


def make_dry_run_upstreams(url: str) -> dict[str, Upstream]:
    """One upstream for every family and every host of a provider, so that none is asked."""
    named = parse_upstream(url)
    return {name: _join_path(named, each)._replace(replaced_hosts=each.hosts) for name, each in load_families().items()}


def _choose_families(named: Upstream, provider: str) -> tuple[str, ...]:
    family = find_family(named.host)
    return (family.name,) if family is not None else (provider,) if provider else tuple(load_families())


def _replace_provider(named: Upstream, family: str, own: Mapping[str, Upstream]) -> Upstream:
    """The upstream instead of the provider's own API. Credentials for other hosts of its form are not for it."""
    hosts = (load_families()[family].hosts[0], *([own[family].host] if family in own else ()))
    return named._replace(replaced_hosts=hosts)


def _join_path(upstream: Upstream, family: Family) -> Upstream:
    """One address for all, with the version where the family's base URL ends with it."""
    version = "/v1" if family.base.endswith("/v1") else ""
    bare = upstream.path.removesuffix("/v1")
    return upstream._replace(path=bare + version)


def _find_default(family: Family, environ: Mapping[str, str]) -> str:
    """The upstream of a family that the environment names, else the provider's own."""
    own = next((environ[name] for name in family.variables if environ.get(name)), None)
    region = environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION") or ""
    if own is None and "us-east-1" in family.upstream and REGION.fullmatch(region):
        return family.upstream.replace("us-east-1", region)
    return own or family.upstream

"""The families of providers, as data: where the tap serves them, where they are, and which paths are calls."""

import pkgutil
import re
import tomllib
from functools import cache

import msgspec

from ..model.struct import Frozen


class Family(Frozen, frozen=True):
    """What one kind of provider speaks, and where it is."""

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
        return _pattern(self.calls).search(target.partition(b"?")[0]) is not None

    def has_host(self, host: str) -> bool:
        """Whether a host is one of the family's."""
        return has_host(self.hosts, host)


@cache
def families() -> dict[str, Family]:
    """The families, by name."""
    data = pkgutil.get_data(__package__, "families.toml")
    assert data is not None
    tables = tomllib.loads(data.decode("utf-8"))
    return {name: msgspec.convert({**table, "name": name}, Family) for name, table in tables.items()}


def has_host(patterns: tuple[str, ...], host: str) -> bool:
    """Whether a host is one of these."""
    return any(_host(each).fullmatch(host.lower()) for each in patterns)


def family_of_host(host: str) -> Family | None:
    """The family that a host belongs to."""
    return next((family for family in families().values() if family.has_host(host)), None)


@cache
def _pattern(calls: str) -> re.Pattern[bytes]:
    return re.compile(calls.encode())


@cache
def _host(pattern: str) -> re.Pattern[str]:
    return re.compile(r"[\w.-]+".join(map(re.escape, pattern.split("*"))))

"""The programs that are known, as data: what they are called, and what they obey."""

import pkgutil
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import PurePath
from typing import Literal

import msgspec

from ...model.struct import Frozen

Way = Literal["base", "proxy"]
ENDINGS = (".exe", ".cmd", ".bat", ".ps1", ".js", ".mjs", ".cjs")


class Program(Frozen, frozen=True):
    """What one program obeys."""

    names: tuple[str, ...]
    ways: tuple[Way, ...]
    packages: tuple[str, ...] = ()
    set: Mapping[str, str] = {}
    arguments: tuple[str, ...] = ()
    upstreams: Mapping[str, str] = {}
    provider: str = ""
    notes: Mapping[Way, str] = {}
    name: str = ""

    def leads_to(self, environ: Mapping[str, str]) -> dict[str, str]:
        """Where its own variables lead, by family, where that is not the family's provider: as the user set them."""
        return {family: self._set(family, environ) or url for family, url in self.upstreams.items()}

    def _set(self, family: str, environ: Mapping[str, str]) -> str:
        mine = (name for name, value in self.set.items() if value == f"${family.upper()}")
        return next((environ[name] for name in mine if environ.get(name)), "")


@cache
def programs() -> dict[str, Program]:
    """The programs, by name."""
    data = pkgutil.get_data(__package__, "programs.toml")
    assert data is not None
    tables = tomllib.loads(data.decode("utf-8"))
    return {name: msgspec.convert({**table, "name": name}, Program) for name, table in tables.items()}


def program_of(command: str) -> Program:
    """The program that a command starts; what is not known is taken to be made with the providers' SDKs."""
    name = PurePath(command.replace("\\", "/")).name.lower()
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    return next((each for each in programs().values() if name in each.names), programs()["sdk"])

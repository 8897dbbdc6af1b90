"""The known programs, and which word of a command names one."""

import pkgutil
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import PurePath
from typing import Literal, NamedTuple

import msgspec

from ...known_agents import AGENTS, agent_program
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
    """The programs, by name: those of known agents, as their records have them, and others."""
    data = pkgutil.get_data(__package__, "programs.toml")
    assert data is not None
    others = [{**table, "name": name} for name, table in tomllib.loads(data.decode("utf-8")).items()]
    tables = [table for name in AGENTS if (table := agent_program(name))]
    return {table["name"]: msgspec.convert(table, Program) for table in (*tables, *others)}


def program_of(command: str) -> Program:
    """The program that a command starts; what is not known is taken to be made with the providers' SDKs."""
    name = PurePath(command.replace("\\", "/")).name.lower()
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    return next((each for each in programs().values() if name in each.names), programs()["sdk"])


RUNNERS = (
    ("npx",), ("bunx",), ("pnpx",), ("uvx",), ("env",), ("node",), ("bun",), ("deno", "run"), ("npm", "exec"),
    ("npm", "x"), ("pnpm", "dlx"), ("pnpm", "exec"), ("yarn", "dlx"), ("pipx", "run"), ("uv", "run"),
    ("uv", "tool", "run"), ("python", "-m"), ("python3", "-m"),
)  # fmt: skip
WITH_VALUE = ("-p", "--package", "--from", "--with", "--python", "--spec", "-u", "-C", "-r", "--require", "--import")
"""Options of theirs whose value is a word of its own."""


class NamedProgram(NamedTuple):
    """A program in a command."""

    program: Program
    at: int
    """Which word names it."""
    name: str
    """What it is called there."""


def named_program(argv: Sequence[str]) -> NamedProgram:
    """The program that a command starts; behind a runner only one that is known."""
    name = _last_step(argv[0])
    program = program_of(name)
    for runner in RUNNERS:
        if program.name == "sdk" and (_without_ending(name), *argv[1 : len(runner)]) == runner:
            at = _first_word(argv, len(runner))
            known = _known(argv[at]) if at is not None else None
            if at is not None and known is not None:
                return NamedProgram(known, at, known.names[0])
    return NamedProgram(program, 0, name)


def _first_word(argv: Sequence[str], start: int) -> int | None:
    """The first word that is neither an option nor a variable that is set."""
    skip = False
    for at in range(start, len(argv)):
        word = argv[at]
        if skip:
            skip = False
        elif word in WITH_VALUE:
            skip = True
        elif word != "--" and not word.startswith("-") and "=" not in word.partition("/")[0]:
            return at
    return None


def _known(word: str) -> Program | None:
    """The program of a package, such as `@openai/codex@latest`, or of a file."""
    bare = word[0] + word[1:].partition("@")[0] if word else ""
    for each in programs().values():
        if bare in each.packages:
            return each
    found = program_of(_last_step(bare))
    return found if found.name != "sdk" else None


def _last_step(word: str) -> str:
    return PurePath(word.replace("\\", "/")).name


def _without_ending(name: str) -> str:
    return name.lower().removesuffix(".exe").removesuffix(".cmd")

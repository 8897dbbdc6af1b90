"""The known programs, and which word of a command names one."""

import pkgutil
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import PurePath
from typing import Literal, NamedTuple

import msgspec

from ...known_agents import AGENTS, agent_facts, agent_program
from ...model.struct import Frozen

Way = Literal["base", "proxy"]
PROGRAM_SUFFIXES = (".exe", ".cmd", ".bat", ".ps1", ".js", ".mjs", ".cjs")


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

    def list_upstreams(self, environ: Mapping[str, str]) -> dict[str, str]:
        """Where its own variables lead, by family, where that is not the family's provider: as the user set them."""
        return {family: self._read_set_url(family, environ) or url for family, url in self.upstreams.items()}

    def _read_set_url(self, family: str, environ: Mapping[str, str]) -> str:
        mine = (name for name, value in self.set.items() if value == f"${family.upper()}")
        return next((environ[name] for name in mine if environ.get(name)), "")


@cache
def load_programs() -> dict[str, Program]:
    """The programs, by name: those of known agents, as their records have them, and others."""
    data = pkgutil.get_data(__package__, "programs.toml")
    assert data is not None
    others = [{**table, "name": name} for name, table in tomllib.loads(data.decode("utf-8")).items()]
    tables = [table for name in AGENTS if (table := agent_program(name))]
    return {table["name"]: msgspec.convert(table, Program) for table in (*tables, *others)}


def find_program(command: str) -> Program:
    """The program that a command starts; what is not known is taken to be made with the providers' SDKs."""
    name = PurePath(command.replace("\\", "/")).name.lower()
    for ending in PROGRAM_SUFFIXES:
        name = name.removesuffix(ending)
    return next((each for each in load_programs().values() if name in each.names), load_programs()["sdk"])


RUNNERS = (
    ("npx",), ("bunx",), ("pnpx",), ("uvx",), ("env",), ("node",), ("bun",), ("deno", "run"), ("npm", "exec"),
    ("npm", "x"), ("pnpm", "dlx"), ("pnpm", "exec"), ("yarn", "dlx"), ("pipx", "run"), ("uv", "run"),
    ("uv", "tool", "run"), ("python", "-m"), ("python3", "-m"),
)  # fmt: skip
VALUE_OPTIONS = ("-p", "--package", "--from", "--with", "--python", "--spec", "-u", "-C", "-r", "--require", "--import")
"""Options of theirs whose value is a word of its own."""


class NamedProgram(NamedTuple):
    """A program in a command."""

    program: Program
    at: int
    """Which word names it."""
    name: str
    """What it is called there."""


def find_named_program(argv: Sequence[str]) -> NamedProgram:
    """The program that a command starts; behind a runner only one that is known."""
    name = _get_base_name(argv[0])
    program = find_program(name)
    for runner in RUNNERS:
        if program.name == "sdk" and (_remove_suffix(name), *argv[1 : len(runner)]) == runner:
            at = _find_first_word(argv, len(runner))
            known = _find_known(argv[at]) if at is not None else None
            if at is not None and known is not None:
                return NamedProgram(known, at, known.names[0])
    return NamedProgram(program, 0, name)


def _find_first_word(argv: Sequence[str], start: int) -> int | None:
    """The first word that is neither an option nor a variable that is set."""
    skip = False
    for at in range(start, len(argv)):
        word = argv[at]
        if skip:
            skip = False
        elif word in VALUE_OPTIONS:
            skip = True
        elif word != "--" and not word.startswith("-") and "=" not in word.partition("/")[0]:
            return at
    return None


def _find_known(word: str) -> Program | None:
    """The program of a package, such as `@openai/codex@latest`, or of a file."""
    bare = word[0] + word[1:].partition("@")[0] if word else ""
    for each in load_programs().values():
        if bare in each.packages:
            return each
    found = find_program(_get_base_name(bare))
    return found if found.name != "sdk" else None


def _get_base_name(word: str) -> str:
    return PurePath(word.replace("\\", "/")).name


def _remove_suffix(name: str) -> str:
    return name.lower().removesuffix(".exe").removesuffix(".cmd")


def find_agent_of_program(program: str) -> str | None:
    """The agent that a program is: by its own name, or by the names of its programs."""
    called = program.rpartition("/")[2]
    for name in AGENTS:
        facts = agent_facts(name)
        if called and called in (name, *facts.also_called, *facts.signs.programs):
            return name
    return None

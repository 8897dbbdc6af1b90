"""The known programs, which word of a command names one, and the words and environment by which each finds the tap."""

import json
import os
import pkgutil
import re
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import PurePath
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

import msgspec

from ...errors import ConfigError, show_value, suggest
from ...known_agents import AGENTS, agent_facts, agent_program
from ...model.struct import Frozen

Way = Literal["base", "proxy"]
PROGRAM_SUFFIXES = (".exe", ".cmd", ".bat", ".ps1", ".js", ".mjs", ".cjs")


class Program(Frozen, frozen=True):
    """How one program can be tapped: its variables, arguments and upstreams."""

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
        """The upstreams that its own variables set, by family; a value that the user has set comes first."""
        return {family: self._read_set_url(family, environ) or url for family, url in self.upstreams.items()}

    def _read_set_url(self, family: str, environ: Mapping[str, str]) -> str:
        """The base URL that the program's environment sets for a family of providers."""
        return next((environ[name] for name in self.list_variables(family) if environ.get(name)), "")

    def list_variables(self, family: str) -> list[str]:
        """Its variables that name the base URL of a family."""
        return [name for name, value in self.set.items() if value == f"${family.upper()}"]


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
    name = _get_plain_name(command)
    return next((each for each in load_programs().values() if name in each.names), load_programs()["sdk"])


RUNNERS = (
    ("npx",), ("bunx",), ("pnpx",), ("uvx",), ("env",), ("node",), ("bun",), ("deno", "run"), ("npm", "exec"),
    ("npm", "x"), ("pnpm", "dlx"), ("pnpm", "exec"), ("yarn", "dlx"), ("pipx", "run"), ("uv", "run"),
    ("uv", "tool", "run"), ("python", "-m"), ("python3", "-m"),
)  # fmt: skip
"""Commands that start another program. `npm run codex` starts a script of the project, whatever its name."""
OWN_WORD = re.compile(r"-|[^/]*=")
"""A word of a runner's own: an option, or a variable that is set."""
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
    at = _find_first_word(argv)
    known = _find_known(argv[at]) if at else None
    if known is None:
        return NamedProgram(find_program(argv[0]), 0, _get_base_name(argv[0]))
    return NamedProgram(known, at, known.names[0])


def _find_first_word(argv: Sequence[str]) -> int:
    """The first word behind a runner that is no option of its own and no variable; 0: there is none."""
    words = (_get_plain_name(argv[0]), *argv[1:])
    start = max((len(each) for each in RUNNERS if words[: len(each)] == each), default=len(words))
    own = (at for at in range(start, len(words)) if not OWN_WORD.match(words[at]))
    return next((at for at in own if words[at - 1] not in VALUE_OPTIONS), 0)


def _find_known(word: str) -> Program | None:
    """The program of a package, such as `@openai/codex@latest`, or of a file."""
    bare = word[:1] + word[1:].partition("@")[0]
    program = next((each for each in load_programs().values() if bare in each.packages), find_program(bare))
    return program if program.name != "sdk" else None


def _get_base_name(word: str) -> str:
    return PurePath(word.replace("\\", "/")).name


def _get_plain_name(word: str) -> str:
    """The name of a program in small letters, without the suffix of its file."""
    name = _get_base_name(word).lower()
    for suffix in PROGRAM_SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def find_agent_of_program(program: str) -> str | None:
    """The agent that a program is: by its own name, or by the names of its programs."""
    called = program.rpartition("/")[2]
    for name in AGENTS:
        facts = agent_facts(name)
        if called and called in (name, *facts.also_called, *facts.signs.programs):
            return name
    return None


LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")
PLACEHOLDER_FAMILY = re.compile(r"\$([A-Z]+)")
"""The family of providers in a placeholder such as `$OPENAI_PATH`."""


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
    program, at, _ = find_named_program(argv)
    mode = choose_mode(program, environ, wanted)
    environ = {**environ, **make_variables(program, environ, bases, proxy if mode == "proxy" else None, trust or {})}
    added = _fill_arguments(program, bases) if mode == "base" else ()
    return ProgramStart((*argv[: at + 1], *added, *argv[at + 1 :]), environ, program, mode)


def make_variables(
    program: Program, environ: Mapping[str, str], bases: Mapping[str, str], proxy: str | None, trust: Mapping[str, str]
) -> dict[str, str]:
    """The variables that lead a program to the tap: the proxy's, if there is one, else those of base URLs.

    What the user does not send through proxies is not sent through this one. A family that the tap does not serve has
    no variable.
    """
    if proxy is not None:
        own = {"HTTPS_PROXY": proxy, "https_proxy": proxy, "NODE_USE_ENV_PROXY": "1", **trust}
    else:
        served = {name: value for name, value in program.set.items() if _has_families(value, bases)}
        values = _make_values(bases)
        own = {name: _merge_json(environ.get(name, ""), _fill_addresses(each, values)) for name, each in served.items()}
    return {**own, **_make_no_proxy(environ)}


def _fill_arguments(program: Program, bases: Mapping[str, str]) -> tuple[str, ...]:
    """The words that lead a program to the tap; none if they need a family that the tap does not serve."""
    values = _make_values(bases)
    is_served = all(_has_families(word, bases) for word in program.arguments)
    return tuple(_fill_addresses(word, values) for word in program.arguments) if is_served else ()


def _has_families(text: str, bases: Mapping[str, str]) -> bool:
    return all(name.lower() in bases for name in PLACEHOLDER_FAMILY.findall(text))


def _make_values(bases: Mapping[str, str]) -> dict[str, str]:
    """What the placeholders in a program's words and variables stand for: the tap's addresses."""
    values: dict[str, str] = {}
    for name, url in bases.items():
        parts = urlsplit(url)
        values[f"{name.upper()}_PATH"] = parts.path.lstrip("/")
        values[name.upper()] = url
        values[f"{name.upper()}_ADDRESS"] = f"{parts.scheme}://{parts.netloc}"
    return values


def _fill_addresses(text: str, values: Mapping[str, str]) -> str:
    for name in sorted(values, key=len, reverse=True):
        text = text.replace(f"${name}", values[name])
    return text


def _make_no_proxy(environ: Mapping[str, str]) -> dict[str, str]:
    """What keeps the user's own proxy out of the way to this machine; either variable keeps its own hosts."""
    names = ("NO_PROXY", "no_proxy")
    default = next(filter(None, map(environ.get, names)), "")
    hosts = {name: filter(None, map(str.strip, (environ.get(name) or default).split(","))) for name in names}
    return {name: ",".join(dict.fromkeys((*known, *LOCAL_HOSTS))) for name, known in hosts.items()}


def _merge_json(old: str, new: str) -> str:
    """A JSON object merged into the user's; any other value replaces it."""
    try:
        under, over = json.loads(old), json.loads(new)
    except (ValueError, RecursionError):
        return new
    both = isinstance(under, dict) and isinstance(over, dict)
    return json.dumps(_merge_values(under, over), ensure_ascii=False) if both else new


def _merge_values(under: Any, over: Any) -> Any:
    """A program's settings in its environment variable, with those that lead it to the tap merged over them."""
    if not (isinstance(under, dict) and isinstance(over, dict)):
        return over
    return {**under, **{key: _merge_values(under.get(key), value) for key, value in over.items()}}


def find_program_path(name: str, environ: Mapping[str, str]) -> str:
    """The path of a program that is to be started."""
    path = shutil.which(name, path=environ.get("PATH"))
    if path is None and os.sep in name and os.path.isfile(name):
        raise ConfigError(
            f"{show_value(name)} is not executable.", hint="Name the program that runs it, as in a shell."
        )
    if path is None:
        raise ConfigError(
            f"Program {show_value(name)} was not found.{_suggest_programs(name, environ)}",
            hint="Pass its name or path. Without an agent, `overture tap --demo` shows a recorded conversation.",
        )
    return path


def _suggest_programs(name: str, environ: Mapping[str, str]) -> str:
    known = [each for program in load_programs().values() for each in program.names]
    return suggest(name, [each for each in known if shutil.which(each, path=environ.get("PATH"))])

"""Finds the scripts, targets and tasks that a project's runners define."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import msgspec

from ..text.lazy_pattern import compile_on_use
from .findings_and_input import CheckedFile
from .mentioned_commands import find_command_mentions
from .project_paths import ProjectTree

RULE = compile_on_use(r"^([^\s:=#][^:=#\n]*+)::?(?![=:])", re.MULTILINE)
PHONY = compile_on_use(r"^\.PHONY\s*:(.*(?:\\\n.*)*)", re.MULTILINE)
INCLUDES = compile_on_use(r"^-?s?include\s+(.*)$", re.MULTILINE)
RECIPE = compile_on_use(r"^@?([A-Za-z_][\w-]*)(?:[^\n:]|:=)*:(?!=)", re.MULTILINE)
ALIAS = compile_on_use(r"^alias\s+([\w-]+)\s*:=", re.MULTILINE)
MODULE = compile_on_use(r"^mod\b", re.MULTILINE)
PACKAGE = compile_on_use(r'^name\s*=\s*"([^"]+)"', re.MULTILINE)
SESSION = compile_on_use(r"@(?:nox\.)?session\b")
FUNCTION = compile_on_use(r"^def\s+(\w+)", re.MULTILINE)
NAME_ARGUMENT = compile_on_use(r"\bname\s*=\s*[\"']([^\"'\n]+)[\"']")
MAX_DEPTH = 50
MAX_DOTS = 500
"""Dots on a line of TOML."""
MAX_DECORATOR_CHARS = 2_000
"""Characters after a decorator in which its function begins."""
ENVIRONMENT = compile_on_use(r"^\[testenv:([^\]]+)\]", re.MULTILINE)


def parse_json_table(text: str, key: str) -> set[str]:
    """The names in a table of a JSON file: the scripts of a package.json, the tasks of a deno.json."""
    data = msgspec.json.decode(text.removeprefix("\ufeff"))
    return set(_get_table(data, key)) if isinstance(data, dict) else set()


def parse_make(text: str) -> set[str]:
    """The targets of a Makefile; `%` matches anything, and a computed target matches every name."""
    names: set[str] = set()
    for match in RULE.findall(text):
        names.update(match.split())
    for match in PHONY.findall(text):
        names.update(match.replace("\\\n", " ").split())
    if any("$" in name and not name.strip("$(){}").isupper() for name in names) or "$(eval" in text:
        return {"*"}
    for match in INCLUDES.findall(text):
        if not match.strip().endswith((".mk", ".mak", "Makefile")):
            return {"*"}
    return {name.replace("%", "*") if name != "%" else "*" for name in names if not name.startswith((".PHONY", "$"))}


def parse_just(text: str) -> set[str]:
    """The recipes and aliases of a justfile."""
    return {*RECIPE.findall(text), *ALIAS.findall(text), *({"*"} if MODULE.search(text) else ())}


def parse_task(text: str) -> set[str]:
    """The tasks of a Taskfile: the keys below `tasks`."""
    tasks: set[str] = set()
    for path in _list_yaml_keys(text):
        if path[0] in ("includes", "aliases") or path[-1] == "aliases":
            return {"*"}
        if path[0] == "tasks" and len(path) == 2:
            tasks.add(path[1])
    return tasks


def _list_yaml_keys(text: str) -> Iterator[tuple[str, ...]]:
    """The keys of maps, each with those above it, by YAML's events: composing a very deep one would end the process."""
    import yaml

    above: list[str | None] = []
    """For each map or list that is open: its latest key while that waits for its value, or None."""
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            if isinstance(event, yaml.ScalarEvent) and above and above[-1] is None:
                above[-1] = str(event.value)
                yield tuple(each or "" for each in above)
            elif isinstance(event, yaml.CollectionStartEvent):
                above.append(None if isinstance(event, yaml.MappingStartEvent) else "")
            elif isinstance(event, yaml.CollectionEndEvent):
                above.pop()
                _close_key(above)
            elif isinstance(event, (yaml.ScalarEvent, yaml.AliasEvent)):
                _close_key(above)
            if len(above) > MAX_DEPTH:
                raise ValueError("it is nested too deeply")
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None


def _close_key(above: list[str | None]) -> None:
    """The latest key has its value; a list, whose key is empty, waits for no key."""
    if above and above[-1]:
        above[-1] = None


def parse_mise(text: str) -> set[str]:
    """The tasks of a mise.toml. Tasks may be files too, in folders that are not searched."""
    table = _parse_toml_file(text)
    tasks = _get_table(table, "tasks")
    extra = {"*"} if "task_config" in table or any("alias" in str(each) for each in tasks.values()) else set()
    return {*tasks, *extra}


def parse_poe(text: str) -> set[str]:
    """The tasks that a pyproject.toml gives poe."""
    table = _get_table(_get_table(_parse_toml_file(text), "tool"), "poe")
    return {*_get_table(table, "tasks"), *({"*"} if "include" in table or "include_script" in table else ())}


def parse_cargo(text: str) -> set[str]:
    """All packages, binaries and dependencies of a Cargo.toml or a Cargo.lock."""
    return {"*"} if "name.workspace" in text else set(PACKAGE.findall(text))


def parse_nox(text: str) -> set[str]:
    """The sessions of a noxfile, with their parameters."""
    functions = (
        FUNCTION.search(text, match.end(), match.end() + MAX_DECORATOR_CHARS) for match in SESSION.finditer(text)
    )
    names = {*(match[1] for match in functions if match), *NAME_ARGUMENT.findall(text)}
    return {each for name in names for each in (name, f"{name}-*", f"{name}(*")}


def parse_tox(text: str) -> set[str]:
    """The environments of a tox.ini; lists with factors are not worked out."""
    named = {name.strip() for name in ENVIRONMENT.findall(text)}
    return {"*"} if "{" in "".join(named) or re.search(r"^env_?list", text, re.MULTILINE) else named


def _parse_toml_file(text: str) -> dict[str, Any]:
    """The tables of a TOML file. One key of very many steps would take its reader minutes."""
    if any(line.count(".") > MAX_DOTS for line in text.splitlines()):
        raise ValueError("a key has too many parts")
    import tomllib

    return tomllib.loads(text)


def _get_table(data: dict[str, Any], key: str) -> dict[str, Any]:
    found = data.get(key)
    return found if isinstance(found, dict) else {}


ANY_NAME = "*"
MAX_RUNNER_FILES = 1_000
"""Files of one runner that are read; with more, its names are unknown."""


class Runner(NamedTuple):
    """Where a runner's names are defined, and what takes them out of such a file."""

    files: tuple[str, ...]
    names: Callable[[str], set[str]]
    """With `*` for what can't be known."""


RUNNERS: Mapping[str, Runner] = {
    "npm": Runner(("package.json",), partial(parse_json_table, key="scripts")),
    "make": Runner(("Makefile", "makefile", "GNUmakefile", "*.mk", "*.mak", "Makefile.*"), parse_make),
    "just": Runner(("justfile", "Justfile", ".justfile", "*.just"), parse_just),
    "task": Runner(("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml"), parse_task),
    "mise": Runner(("mise.toml", ".mise.toml", "mise.local.toml"), parse_mise),
    "deno": Runner(("deno.json", "deno.jsonc"), partial(parse_json_table, key="tasks")),
    "poe": Runner(("pyproject.toml",), parse_poe),
    "cargo": Runner(("Cargo.toml", "Cargo.lock"), parse_cargo),
    "nox": Runner(("noxfile.py",), parse_nox),
    "tox": Runner(("tox.ini",), parse_tox),
}


def find_defined_commands(tree: ProjectTree, pages: Iterable[CheckedFile]) -> Mapping[str, frozenset[str]]:
    """By runner, the names that it defines anywhere in the project; a runner without any is omitted."""
    runners = {each.runner for page in pages if page.kind != "readme" for each in find_command_mentions(page)}
    commands: dict[str, frozenset[str]] = {}
    for name in sorted(runners & RUNNERS.keys()):
        files = [*tree.named(*RUNNERS[name].files)]
        if len(files) <= MAX_RUNNER_FILES:
            known = frozenset(each for path in files for each in _read_names(tree, RUNNERS[name], path))
            if known and tree.whole and ANY_NAME not in known:
                commands[name] = known
    return commands


def _read_names(tree: ProjectTree, runner: Runner, path: str) -> set[str]:
    """The names that one file defines; of one that can't be read, anything may be."""
    text = tree.read(path)
    try:
        return {ANY_NAME} if text is None else runner.names(text)
    except (ValueError, RecursionError):
        return {ANY_NAME}

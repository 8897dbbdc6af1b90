"""Finds the scripts, targets and recipes that a project's runners define."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import msgspec

from .findings_and_input import CheckedFile
from .mentioned_commands import find_command_mentions
from .project_paths import ProjectTree

RULE = re.compile(r"^([^\s:=#][^:=#\n]*+)::?(?![=:])", re.MULTILINE)
PHONY = re.compile(r"^\.PHONY\s*:(.*(?:\\\n.*)*)", re.MULTILINE)
INCLUDES = re.compile(r"^-?s?include\s+(.*)$", re.MULTILINE)
RECIPE = re.compile(r"^@?([A-Za-z_][\w-]*)(?:[^\n:]|:=)*:(?!=)", re.MULTILINE)
ALIAS = re.compile(r"^alias\s+([\w-]+)\s*:=", re.MULTILINE)
MODULE = re.compile(r"^mod\b", re.MULTILINE)


def parse_package(text: str) -> set[str]:
    """The scripts of a package.json."""
    data = msgspec.json.decode(text.removeprefix("\ufeff"))
    scripts = data.get("scripts") if isinstance(data, dict) else None
    return set(scripts) if isinstance(scripts, dict) else set()


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


ANY_NAME = "*"
MAX_RUNNER_FILES = 1_000
"""Files of one runner that are read; with more, its names are unknown."""


class Runner(NamedTuple):
    """Where a runner's names are defined, and what takes them out of such a file."""

    files: tuple[str, ...]
    names: Callable[[str], set[str]]
    """With `*` for what can't be known."""


RUNNERS: Mapping[str, Runner] = {
    "npm": Runner(("package.json",), parse_package),
    "make": Runner(("Makefile", "makefile", "GNUmakefile", "*.mk", "*.mak", "Makefile.*"), parse_make),
    "just": Runner(("justfile", "Justfile", ".justfile", "*.just"), parse_just),
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

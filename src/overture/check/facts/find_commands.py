"""The names that the project's own runners know, of those that pages speak of."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ..ground import Page
from ..said.commands import commands
from .known_names import cargo, deno, just, make, mise, nox, npm, poe, task, tox
from .tree import Tree

ANY = "*"
MOST = 1_000
"""Files of one runner that are read; where there are more, its names are not known."""


class Runner(NamedTuple):
    """Where a runner's names are defined, and what takes them out of such a file."""

    files: tuple[str, ...]
    names: Callable[[str], set[str]]
    """With `*` for what can't be known."""


RUNNERS: Mapping[str, Runner] = {
    "npm": Runner(("package.json",), npm),
    "make": Runner(("Makefile", "makefile", "GNUmakefile", "*.mk", "*.mak", "Makefile.*"), make),
    "just": Runner(("justfile", "Justfile", ".justfile", "*.just"), just),
    "task": Runner(("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml"), task),
    "mise": Runner(("mise.toml", ".mise.toml", "mise.local.toml"), mise),
    "deno": Runner(("deno.json", "deno.jsonc"), deno),
    "poe": Runner(("pyproject.toml",), poe),
    "cargo": Runner(("Cargo.toml", "Cargo.lock"), cargo),
    "nox": Runner(("noxfile.py",), nox),
    "tox": Runner(("tox.ini",), tox),
}


def find_commands(tree: Tree, pages: Iterable[Page]) -> Mapping[str, frozenset[str]]:
    """By runner, the names that it knows anywhere in the project; one that defines none here is left out."""
    asked = {each.runner for page in pages if page.kind != "readme" for each in commands(page)}
    found: dict[str, frozenset[str]] = {}
    for name in sorted(asked & RUNNERS.keys()):
        files = [*tree.named(*RUNNERS[name].files)]
        known = {each for path in files for each in _names(tree, RUNNERS[name], path)} if len(files) <= MOST else ()
        if known and tree.whole and ANY not in known:
            found[name] = frozenset(known)
    return found


def _names(tree: Tree, runner: Runner, path: str) -> set[str]:
    """The names that one file defines; of one that can't be read, anything may be."""
    text = tree.read(path)
    if text is None:
        return {ANY}
    try:
        return runner.names(text)
    except (ValueError, RecursionError):
        return {ANY}

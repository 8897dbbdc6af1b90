"""The names that the project's own runners know, of those that pages speak of."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ...check.ground import Page
from ...check.said.commands import commands
from ...discover.disk.world import World
from .known_names import cargo, deno, just, make, mise, npm, nox, poe, task, tox
from .tree import Tree

ANY = "*"
MOST = 2_000
"""Files of one runner that are read."""


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


def find_commands(world: World, tree: Tree, pages: Iterable[Page]) -> Mapping[str, frozenset[str]]:
    """By runner, the names that it knows anywhere in the project; one that defines none here is left out."""
    asked = {each.runner for page in pages if page.kind != "readme" for each in commands(page)}
    found: dict[str, frozenset[str]] = {}
    for name in sorted(asked & RUNNERS.keys()):
        files = [*tree.named(*RUNNERS[name].files)]
        known = {each for path in files[:MOST] for each in _names(tree, RUNNERS[name], path)}
        if known and tree.whole and len(files) <= MOST and ANY not in known:
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

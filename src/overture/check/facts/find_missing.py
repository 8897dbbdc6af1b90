"""The files that pages name and that are nowhere."""

from collections.abc import Iterable, Mapping
from posixpath import normpath

from ...discover.disk.walk import at_or_above
from ..ground import Page
from ..said.mentions import Mention, mentions
from .find_pages import Desk
from .tree import Tree

MOST = 5_000
"""Names that are looked up, of all pages together."""
RESOURCES = ("references", "scripts", "assets", "reference", "resources")
"""Folders that skills have beside them."""


def find_missing(desk: Desk, tree: Tree, pages: Iterable[Page], cwd: str) -> Mapping[str, frozenset[str]]:
    """By page, the names of files that are not there, each as `Mention.key` has it."""
    missing: dict[str, frozenset[str]] = {}
    left = MOST
    for page in pages:
        if page.kind == "readme":
            continue
        named = {each.key: each for each in mentions(page) if each.kind != "anchor"}
        bases = _bases(desk, page)
        gone = [
            key
            for key, each in [*named.items()][:left]
            if not _is_there(desk, tree, each, bases, cwd, skill=page.kind == "skill")
        ]
        left -= len(named)
        if gone:
            missing[page.path] = frozenset(gone)
    return missing


def _bases(desk: Desk, page: Page) -> tuple[str, ...]:
    """The folder of a page; where it is a link, also that of the file that it leads to."""
    seen = desk.sight(page.path)
    real = seen.real.rpartition("/")[0] if seen else ""
    return tuple(dict.fromkeys((page.path.rpartition("/")[0], real)))


def _is_there(desk: Desk, tree: Tree, each: Mention, bases: tuple[str, ...], cwd: str, *, skill: bool) -> bool:
    """Whether a file is there, or can't be known to be gone."""
    begin = bases if each.kind == "import" else (*bases, desk.root, cwd)
    places = [normpath(f"{folder.rstrip('/')}/{each.target}") for folder in begin if folder]
    if any(not at_or_above(desk.root, place) or _lies(desk, place) for place in places):
        return True
    if each.kind == "link" and any(_lies(desk, f"{place}.md") for place in places):
        return True
    if not tree.paths or not tree.whole or tree.ignores(each.target):
        return True
    return each.kind == "path" and (_somewhere(tree, each.target) or not _is_own(tree, each.target, bases, skill))


def _is_own(tree: Tree, target: str, bases: tuple[str, ...], skill: bool) -> bool:
    """Whether a path begins as one of this project does, or as what lies beside a skill: else it is of another."""
    first, _, rest = target.partition("/")
    below = tuple(base.removeprefix(tree.root).strip("/") for base in bases)
    if first in tree.paths or any(f"{base}/{first}".strip("/") in tree.paths for base in below):
        return True
    # A skill may be written for any project; other files are written for this one.
    return first in RESOURCES if skill else "/" in rest and tree.has(f"{first}/{rest.partition('/')[0]}")


def _somewhere(tree: Tree, target: str) -> bool:
    """Whether it lies anywhere, perhaps without its first step: that may be the project's own name."""
    rest = target.rstrip("/").partition("/")[2]
    return tree.has(target) or ("/" in rest and tree.has(rest))


def _lies(desk: Desk, path: str) -> bool:
    try:
        return desk.reader.world.look(path) is not None
    except OSError:
        return True

"""Project files beyond the walk: those on the way to a file that a tool touched, and those that a program adds."""

import posixpath
from collections.abc import Iterable

from msgspec.structs import replace

from ...model.diagnostic import warning
from ...model.recipe.wants.wanted_files import ContextFiles
from ...model.state.files import TextFile
from ..disk.project_root import Roots
from ..disk.reader import Reader
from .context_files import find_context, load_document, text_file

DEEPEST = 64


def find_nested(
    reader: Reader, wants: ContextFiles, cwd: str, target: str, roots: Roots, home: str
) -> tuple[TextFile, ...]:
    """The project files in the folders below `cwd` that lead to `target`, outermost first, in the recipe's order."""
    path = posixpath.normpath(posixpath.join(cwd, target))
    top = cwd.rstrip("/") + "/"
    if not path.startswith(top) or "\0" in path:
        return ()
    steps = path.removeprefix(top).split("/")
    if not _is_folder(reader, path):
        steps.pop()
    walk = [top + "/".join(steps[: end + 1]) for end in range(min(len(steps), DEEPEST))]
    return find_context(reader, replace(wants, home=()), walk, roots, home, [])


def _is_folder(reader: Reader, path: str) -> bool:
    try:
        entry = reader.world.look(path)
    except OSError:
        return False
    return entry is not None and entry.kind == "dir"


def find_extra(reader: Reader, paths: Iterable[str]) -> tuple[TextFile, ...]:
    """The files at these absolute paths, as far as they are there and say something."""
    found: list[TextFile] = []
    for path in paths:
        folder, _, name = path.rpartition("/")
        sighting = reader.sight(folder or "/", name, folder or "/", "context")
        file: TextFile | None = load_document(reader, sighting, "context", text_file)
        if file is not None:
            found.append(file)
    return tuple(found)


def find_themes(reader: Reader, paths: Iterable[str]) -> tuple[str, ...]:
    """Those of the absolute paths that are there. They are not read: a theme is no part of a prompt."""
    found: list[str] = []
    for path in paths:
        try:
            there = reader.world.look(reader.world.real(path)) is not None
        except OSError:
            there = False
        if there:
            found.append(path)
        else:
            said = "the theme is not there: it is not handed on; give the path of a file or folder that is"
            reader.diagnostics.append(warning("theme-missing", said, path))
    return tuple(found)

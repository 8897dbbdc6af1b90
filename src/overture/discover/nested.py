"""A file that a tool touched -> the project files on the way there, which the walk up from cwd never met."""

import posixpath

from msgspec.structs import replace

from ..model.files import TextFile
from ..model.wants import ContextFiles
from .context import find_context
from .reader import Reader
from .roots import Roots

DEEPEST = 64


def find_nested(reader: Reader, wants: ContextFiles, cwd: str, target: str, roots: Roots) -> tuple[TextFile, ...]:
    """The project files in the folders below `cwd` that lead to `target`, outermost first, in the recipe's order."""
    path = posixpath.normpath(posixpath.join(cwd, target))
    top = cwd.rstrip("/") + "/"
    if not path.startswith(top) or "\0" in path:
        return ()
    steps = path.removeprefix(top).split("/")
    if not _is_folder(reader, path):
        steps.pop()
    walk = [top + "/".join(steps[: end + 1]) for end in range(min(len(steps), DEEPEST))]
    return find_context(reader, replace(wants, home=()), walk, roots, cwd)


def _is_folder(reader: Reader, path: str) -> bool:
    try:
        entry = reader.world.look(path)
    except OSError:
        return False
    return entry is not None and entry.kind == "dir"

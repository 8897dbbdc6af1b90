"""What a program names by path, beside what the walk finds: project files, and themes for whoever draws."""

from collections.abc import Iterable

from ..model.diagnostic import warning
from ..model.files import TextFile
from .context import load_document, text_file
from .reader import Reader


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

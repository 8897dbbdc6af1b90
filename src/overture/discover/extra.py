"""Project files that a program names by path, beside those that the walk finds."""

from collections.abc import Iterable

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

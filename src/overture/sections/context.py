"""Project files, each under a heading with its path."""

from ..model.body import Group, Part
from ..model.files import TextFile
from ..model.source import from_state
from ..model.tidy import one_line

NAMELESS = "(no path)"


def headed(files: tuple[TextFile, ...], level: str) -> Group:
    """`## PATH` and the text, file after file, outermost first; none can pose as another."""
    headings = tuple(f"{level} {file.path or NAMELESS}" for file in files)
    return Group(tuple([_file(index, file, level, headings) for index, file in enumerate(files)]), sep="\n\n")


def _file(index: int, file: TextFile, level: str, headings: tuple[str, ...]) -> Group:
    path = Part(one_line(file.path) or NAMELESS, from_state(f"context_files[{index}].path"))
    content = Part(file.content, file.where, name=file.path, marks=file.marks, guard=headings)
    return Group((path, content), before=f"{level} ", sep="\n\n")

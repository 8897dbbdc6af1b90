"""Project files, each under a heading with its path."""

from ..model.recipe.body import Group, Part, Skip
from ..model.source import from_state
from ..model.state.files import TextFile
from .shorten_text import heads

NAMELESS = "(no path)"
REST = "[{shown} of {all} project files are shown: there is no room for the others.]"


def headed(files: tuple[TextFile, ...], level: str) -> Group:
    """`## PATH` and the text, file after file, outermost first; none can pose as another, a blank one is left out."""
    headings = tuple(f"{level} {file.path or NAMELESS}" for file in files)
    shown = [_file(index, file, level, headings) for index, file in enumerate(files) if file.content.strip()]
    return Group(tuple(shown), sep="\n\n", loose="outermost", rest=REST, omits=blank(files))


def nothing(files: tuple[TextFile, ...]) -> Skip | None:
    """Why there is nothing to say of these files; None where there is."""
    if any(file.content.strip() for file in files):
        return None
    return Skip("the project files are blank" if files else "there are no project files")


def blank(files: tuple[TextFile, ...]) -> tuple[str, ...]:
    """The files that are left out for want of text."""
    return tuple(f"{file.path or NAMELESS} is blank" for file in files if not file.content.strip())


def _file(index: int, file: TextFile, level: str, headings: tuple[str, ...]) -> Group:
    path = Part(file.path or NAMELESS, from_state(f"context_files[{index}].path"), single=True)
    content = Part(file.content, file.where, name=file.path, marks=file.marks, guard=headings, leaner=heads)
    return Group((path, content), before=f"{level} ", sep="\n\n")

"""Workspace files: AGENTS.md and TOOLS.md of the agent's data directory, each under its name."""

from collections.abc import Iterator

from ...model.diagnostic import Diagnostic, warning
from ...model.line_breaks import line_breaks
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.section import heading, section
from ...model.source import from_file, from_state
from ...model.state.files import WorkspaceFile
from ...sections.leading_comments import Uncommented, uncommented
from ...sections.shorten_text import heads
from ...text.graphemes import boundary
from ...text.normalize import one_line

NAMES = ("AGENTS.md", "TOOLS.md")
REST = "[{shown} of {all} workspace files are shown: there is no room for the others.]"
LIMIT = 32_000
"""Characters of one file that are taken over."""


def title(name: str) -> str:
    """`### AGENTS.md (workspace)`."""
    return f"### {one_line(name)} (workspace)"


@section("workspace", frame=heading("## Workspace Files"), headings=(title("{}"),), priority=65)
def workspace(workspace_files: tuple[WorkspaceFile, ...]) -> Body:
    """The agent's standing instructions and its user's preferences for tools."""
    if not workspace_files:
        return Skip("there are no workspace files")
    numbered = sorted(enumerate(workspace_files), key=lambda item: _place(item[1]))
    titles = tuple(title(file.name) for file in workspace_files)
    read = [(index, file, uncommented(file.content)) for index, file in numbered]
    notes = tuple(note for index, file, said in read for note in _problems(index, file, said))
    shown = tuple([_titled(index, file, said, titles) for index, file, said in read if said.text])
    if not shown:
        return Skip("the workspace files hold nothing but comments", notes)
    return Group(shown, sep="\n\n", notes=notes, loose="outermost", rest=REST)


def _place(file: WorkspaceFile) -> int:
    return NAMES.index(file.name) if file.name in NAMES else len(NAMES)


def _titled(index: int, file: WorkspaceFile, said: Uncommented, titles: tuple[str, ...]) -> Group:
    """One file under its name; it can't pose as another."""
    where = f"workspace_files[{index}]"
    kept = said.text if len(said.text) <= LIMIT else said.text[: boundary(said.text, LIMIT)]
    name = Part(one_line(file.name) or "(no name)", from_state(f"{where}.name"), before="### ", after=" (workspace)")
    content = Part(
        kept,
        from_file(file.path, file.line + said.skipped),
        name=file.path,
        # What was scanned is the whole file, so its marks fit only where the whole file is said.
        marks=file.marks if kept is file.content else None,
        guard=titles,
        leaner=heads,
        whole=said.text if kept is not said.text else "",
    )
    gone = len(said.text) - len(kept)
    if not gone:
        return Group((name, content), sep="\n\n")
    cut = f": {gone:,} of {len(said.text):,} characters are left out from here on.]"
    path = Part(_path(file), from_state(f"{where}.path"), before="[", after=cut, single=True)
    return Group((name, content, path), sep="\n\n")


def _path(file: WorkspaceFile) -> str:
    return file.path.strip() or one_line(file.name) or "the file"


def _problems(index: int, file: WorkspaceFile, said: Uncommented) -> Iterator[Diagnostic]:
    if said.text:
        yield from line_breaks(f"workspace_files[{index}].name", file.name, file.path)
    if said.open_line is not None:
        message = "the comment at its head never ends, so it is kept: put `-->` after it"
        yield warning("comment-open", message, file.path, file.line + said.open_line - 1)
    if len(said.text) > LIMIT:
        message = f"{len(said.text):,} characters, of which {LIMIT:,} are taken over: shorten it"
        yield warning("workspace-cut", message, file.path)

"""Files that say the same count once, and the record says which; near-copies are reported."""

import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from ...model.diagnostic import warning
from ...model.state.files import Document, TextFile, WorkspaceFile
from ..disk.reader import Reader
from ..disk.walk import expanded
from .near_copies import report_near_copies

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
IMPORT = re.compile(r"@(?P<path>[^\s@]+)")
LONGEST = 2000
"""Characters of a file that may be an import with comments around it."""
D = TypeVar("D", bound=Document)


class Said(NamedTuple):
    """The files that are said, each text once."""

    workspace: tuple[WorkspaceFile, ...]
    context: tuple[TextFile, ...]


def only_import(file: Document, home: str) -> str | None:
    """The absolute path that a file imports, where it holds nothing but `@path`, blank lines and comments."""
    if len(file.content) > LONGEST or "@" not in file.content:
        return None
    found = IMPORT.fullmatch(COMMENT.sub("", file.content).strip())
    folder = file.path.rpartition("/")[0]
    return posixpath.normpath(expanded(found["path"], folder, home)) if found else None


def count_once(
    reader: Reader,
    workspace: Sequence[WorkspaceFile],
    context: Sequence[TextFile],
    shadowed: Iterable[TextFile],
    home: str,
    adding: Callable[[str], str],
) -> Said:
    """What is said of these files: of two that say the same the first, and no file that only imports another.

    `adding` is the line of the configuration that would make a file be read.
    """
    files: list[tuple[str, Document]] = [*(("workspace", f) for f in workspace), *(("context", f) for f in context)]
    paths = {file.path for _, file in files}
    first: dict[str, str] = {}
    dropped: set[str] = set()
    for what, file in files:
        target = only_import(file, home)
        if target is not None and target in paths - dropped - {file.path}:
            how = f"it only imports {target}"
        elif file.content in first:
            how = f"the same text as {first[file.content]}"
        else:
            first[file.content] = file.path
            if target is not None:
                _report_import(reader, file, target, adding)
            continue
        dropped.add(file.path)
        _recall(reader, file.path, what, how)
    kept = Said(_without(workspace, dropped), _without(context, dropped))
    others = [file for file in shadowed if not _is_copy(reader, file, first, home)]
    report_near_copies(reader, [*kept.workspace, *kept.context], others)
    return kept


def without_copies(
    reader: Reader, files: Iterable[TextFile], said: Iterable[Document], home: str
) -> tuple[TextFile, ...]:
    """Those that say something which is not said already; of the others the record tells where it is said."""
    first = {file.content: file.path for file in said}
    return tuple([file for file in files if not _is_copy(reader, file, first, home)])


def same_as(file: TextFile, first: dict[str, str], home: str) -> str | None:
    """How a file that is not read says nothing new, given the texts that are said and where they are from."""
    target = only_import(file, home)
    if target is not None and target in first.values():
        return f"it only imports {target}"
    return f"the same text as {first[file.content]}" if file.content in first else None


def _is_copy(reader: Reader, file: TextFile, first: dict[str, str], home: str) -> bool:
    """Whether a file says nothing new; then it is neither loaded nor shadowed, but a second one of the same."""
    how = same_as(file, first, home)
    if how is not None:
        _recall(reader, file.path, "context", how)
    return how is not None


def _without(files: Sequence[D], paths: set[str]) -> tuple[D, ...]:
    return tuple([file for file in files if file.path not in paths])


def _recall(reader: Reader, path: str, what: str, how: str) -> None:
    """Record that a file which was noted as loaded or shadowed is one of two that say the same."""
    for index, look in enumerate(reader.looked):
        if look.path == path and look.what == what:
            reader.looked[index] = replace(look, outcome="duplicate", detail=how)


def _report_import(reader: Reader, file: Document, target: str, adding: Callable[[str], str]) -> None:
    folder = file.path.rpartition("/")[0] + "/"
    name = f", or name it: {adding(target.removeprefix(folder))}" if target.startswith(folder) else ""
    message = f"it only imports {target}, and imports are not followed; put its text here{name}"
    reader.diagnostics.append(warning("context-import", message, file.path))

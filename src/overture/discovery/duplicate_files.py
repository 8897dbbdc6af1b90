"""Loads each text once: of identical files the nearest is used, and an import of a loaded file stands for that."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from ..model.diagnostic import Diagnostic, Level, warning
from ..model.state.discovery import InstructionFiles
from ..model.state.files import Document, TextFile, WorkspaceFile
from ..model.state.reasons import because
from ..model.wants import ContextFiles
from ..text.markdown import remove_comments
from .configuration.keys import make_filenames_line
from .near_copies import find_near_copies
from .paths import contains_path, expand_path
from .place import Place
from .reader import FileReader

IMPORT = re.compile(r"(?:[-*]\s+)?(?:(?:see|read|follow|refer to)(?: the)?:?\s+)?@(?P<path>[^\s@]+)", re.IGNORECASE)
INIT_SENTENCE = ("This file provides guidance to ", " when working with code in this repository")
"""The beginning and the end of the sentence that `/init` of several agents writes at the top."""
MAX_IMPORT_CHARS = 2000
"""Characters of a file that may be an import with comments around it."""


def make_text_file(text: str, path: str) -> tuple[TextFile, tuple[Diagnostic, ...]]:
    """A file that is only compared, unchanged."""
    return TextFile(path, text), ()


def is_boilerplate(line: str) -> bool:
    """Whether a line has no instruction: a title that is a file's name, or the sentence of `/init` below it."""
    title = line.lstrip("#").strip(" `")
    if line.startswith("#"):
        return title.endswith(".md") and " " not in title
    return line.startswith(INIT_SENTENCE[0]) and line.rstrip(".").endswith(INIT_SENTENCE[1])


def find_only_import(file: Document, home: str) -> str | None:
    """The absolute path that a file imports, if it contains no other instruction."""
    if len(file.content) > MAX_IMPORT_CHARS or "@" not in file.content:
        return None
    lines = map(str.strip, remove_comments(file.content).split("\n"))
    match = IMPORT.fullmatch("\n".join(line for line in lines if line and not is_boilerplate(line)))
    folder = posixpath.dirname(file.path)
    return posixpath.normpath(expand_path(match["path"], folder, home)) if match else None


def drop_duplicates(
    reader: FileReader,
    workspace: Sequence[WorkspaceFile],
    context: Sequence[TextFile],
    hidden: Iterable[TextFile],
    wants: ContextFiles | None,
    place: Place,
) -> InstructionFiles:
    """The files to load. Of files with the same text, the nearest to the working directory stays in its position."""
    files = _sort_by_nearness(workspace, context, place.cwd)
    targets = {file.path: file for file in files}
    imported = [_resolve_import(file, targets, wants, place.home) for file in files]
    stays, start = dict[str, int](), 0
    for at, file in enumerate(imported):  # of copies side by side in one folder the first stays, else the last
        first = imported[start]
        if file.content != first.content or posixpath.dirname(file.path) != posixpath.dirname(first.path):
            start = at
        stays[file.content] = start
    ordered = [imported[at] for at in sorted(stays.values())]
    by_text, remaining = {file.content: file for file in ordered}, {file.path for file in ordered}
    for file, source in zip(files, imported, strict=True):
        if file.path not in remaining:
            _drop(reader, file, by_text[source.content], source)
        else:
            _report_import(reader, file, targets, wants, place.home)
    others: list[TextFile] = []
    first_paths = {text: file.path for text, file in by_text.items()}
    for each in hidden:
        if how := describe_same_text(each, first_paths, place.home):
            _recall(reader, each, how)
        else:
            others.append(each)
    own = tuple([file for file in ordered if isinstance(file, WorkspaceFile)])
    project = tuple([file for file in ordered if isinstance(file, TextFile)])
    reader.diagnostics += find_near_copies([*own, *project], others)
    return InstructionFiles(own, project)


def drop_copies(
    reader: FileReader, files: Iterable[TextFile], loaded: Sequence[Document], wants: ContextFiles | None, home: str
) -> tuple[TextFile, ...]:
    """The files whose text is not loaded yet. The others are reported with the path of the loaded copy."""
    targets = {file.path: file for file in loaded}
    by_text = {file.content: file for file in loaded}
    new: list[TextFile] = []
    for file in files:
        source = _resolve_import(file, targets, wants, home)
        if source.content in by_text:
            _drop(reader, file, by_text[source.content], source)
        else:
            new.append(file)
    return tuple(new)


def drop_repeats_below(
    reader: FileReader, files: Sequence[TextFile], loaded: Sequence[Document], wants: ContextFiles, home: str
) -> Iterator[TextFile]:
    """The files on the way down that do not repeat the file right above them. The others are reported."""
    targets = {file.path: file for file in (*loaded, *files)}
    above = loaded[-1] if loaded else None
    for file in files:
        source = _resolve_import(file, targets, wants, home)
        if source is not file and source in files:
            _drop(reader, file, source, source)  # it is delivered by itself
            continue
        if above is not None and source.content == above.content:
            _drop(reader, file, above, source)
        else:
            _report_import(reader, file, targets, wants, home)
            yield file
        above = source


def describe_same_text(file: TextFile, first: dict[str, str], home: str) -> str | None:
    """Why a skipped file adds no text; None if it does. `first` maps each loaded text to its path."""
    target = find_only_import(file, home)
    if target is not None and target in first.values():
        return f"it only imports {target}"
    return f"the same text as {first[file.content]}" if file.content in first else None


def _sort_by_nearness(workspace: Sequence[Document], context: Sequence[Document], cwd: str) -> list[Document]:
    """All files, the nearest last. The workspace is far from every project, unless `cwd` is below it."""
    folder = posixpath.dirname(workspace[0].path) if workspace else "/"
    if not contains_path(folder, cwd):
        return [*workspace, *context]
    step = cwd.removeprefix(folder).strip("/").partition("/")[0]
    at = next(
        (at for at, each in enumerate(context) if step and each.path.startswith(f"{folder}/{step}/")), len(context)
    )
    return [*context[:at], *workspace, *context[at:]]


def _resolve_import(file: Document, targets: dict[str, Document], wants: ContextFiles | None, home: str) -> Document:
    """The file whose text a file loads: where a recipe follows imports, the end of a chain of them."""
    return _follow_imports(file, targets, home) if wants is not None and wants.imports else file


def _follow_imports(file: Document, targets: dict[str, Document], home: str) -> Document:
    """The file itself, or the last of a chain of imports. In a circle, itself."""
    visited, source = {file.path}, file
    while (path := find_only_import(source, home)) in targets:
        if path in visited:
            return file
        visited.add(path)
        source = targets[path]
    return source


def _drop(reader: FileReader, file: Document, stays: Document, source: Document) -> None:
    """Record and report that a file is skipped because another has the same text, which is that of `source`."""
    one, other = reader.sighted(file.path), reader.sighted(stays.path)
    level: Level = "info"
    if source is not file:
        how = f"it only imports {source.path}"
    elif one is not None and other is not None and one.entry.id == other.entry.id:
        how = f"the same file as {stays.path}" + ", by a link" * (one.real == other.real)
    else:
        level, how = "warning", f"the same text as {stays.path}"
    _recall(reader, file, how)
    reader.diagnostics.append(Diagnostic(level, "context-copy", f"skipped: {how}", file.path))


def _recall(reader: FileReader, file: Document, how: str) -> None:
    """Change a file's record from loaded or hidden to duplicate."""
    what = "workspace" if isinstance(file, WorkspaceFile) else "context"
    for index, look in enumerate(reader.looked):
        if look.path == file.path and look.what == what:
            reader.looked[index] = replace(look, outcome="duplicate", reason=because("text", "", how))


def _report_import(
    reader: FileReader, file: Document, targets: dict[str, Document], wants: ContextFiles | None, home: str
) -> None:
    """Report a file that stays and only imports another: the model gets a path, and not the text."""
    target = find_only_import(file, home)
    if target is None:
        return
    source = _follow_imports(file, targets, home)
    if source is not file and find_only_import(source, home) is None:
        message = f"it only imports {target}; imports are not followed, but {source.path} is loaded by itself"
        reader.diagnostics.append(Diagnostic("info", "context-import", message, file.path))
        return
    message = f"it only imports {target}, but imports are not followed; put the text here"
    folder = file.path.rpartition("/")[0] + "/"
    # A recorded path has a name that the recipe knows already.
    if target.startswith(folder) and not any(look.path == target for look in reader.looked):
        line = make_filenames_line(wants.names if wants else (), target.removeprefix(folder))
        message += f", or load that file: {line}"
    reader.diagnostics.append(warning("context-import", message, file.path))

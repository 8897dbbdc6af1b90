"""Loads each text once: of identical files the nearest is used, and near copies are reported."""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from re import IGNORECASE
from typing import NamedTuple

from msgspec.structs import replace

from ..model.diagnostic import Diagnostic, Level, warning
from ..model.state.discovery import InstructionFiles
from ..model.state.files import Document, TextFile, WorkspaceFile
from ..model.wants import ContextFiles
from ..text.markdown import remove_comments
from .configuration.keys import make_filenames_line
from .file_reader import FileReader
from .paths import contains_path, expand_path

MIN_COMPARED_LINES = 5
"""Minimum number of lines in the smaller file: a few words in common are no copy."""
MIN_SHARED_PART = 0.8
"""The part of the smaller file that is in the other too."""

FirstLines = dict[str, int]
"""A line -> the index of the first file that contains it."""


def find_near_copies(loaded: Sequence[Document], hidden: Sequence[TextFile]) -> Iterator[Diagnostic]:
    """A report for each file that nearly equals one before it, or that is hidden and nearly equals a loaded one.

    Each line is compared once.
    """
    first: FirstLines = {}
    for index, file in enumerate(loaded):
        other = _find_near_copy(file, loaded, first)
        if other is not None:
            shared = f"{len(file.lines & other.lines)} of its {len(file.lines)} lines are also in {other.path}"
            message = f"duplicate text: {shared}; keep one, and make the other a symlink to it"
            yield warning("context-near-copy", message, file.path)
        for line in file.lines:
            first.setdefault(line, index)
    for each in hidden:
        other = _find_near_copy(each, loaded, first)
        if other is not None:
            yield _report_lost_lines(each, other, first)


def _find_near_copy(file: Document, loaded: Sequence[Document], first: FirstLines) -> Document | None:
    """The first file with most of its lines, if they are most of the lines of the smaller file."""
    owners = Counter(first[line] for line in file.lines if line in first)
    if not owners:
        return None
    [(owner, shared)] = owners.most_common(1)
    smaller = min(len(file.lines), len(loaded[owner].lines))
    return loaded[owner] if smaller >= MIN_COMPARED_LINES and shared >= MIN_SHARED_PART * smaller else None


def _report_lost_lines(file: TextFile, other: Document, first: FirstLines) -> Diagnostic:
    """Warn about lines that only the hidden file contains: they are missing from the prompt."""
    own, lines = file.lines - first.keys(), len(file.lines)
    if not own:
        message = f"near copy: all its {lines} lines are also in {other.path}; make it a symlink to that"
        return warning("context-near-copy", message, file.path)
    message = (
        f"near copy: {len(file.lines & other.lines)} of its {lines} lines are also in {other.path}, which comes first; "
        f"{len(own)} of its lines are not in the prompt: move them there, or keep one of the two"
    )
    texts = enumerate(file.content.split("\n"), file.line)
    return warning("context-near-copy", message, file.path, next(n for n, line in texts if line.strip() in own))


IMPORT = re.compile(r"(?:[-*]\s+)?(?:(?:see|read|follow|refer to)(?: the)?:?\s+)?@(?P<path>[^\s@]+)", IGNORECASE)
INIT_SENTENCE = ("This file provides guidance to ", " when working with code in this repository")
"""The beginning and the end of the sentence that `/init` of several agents writes at the top."""
MAX_IMPORT_CHARS = 2000
"""Characters of a file that may be an import with comments around it."""
COPY_CODE = "context-copy"
SAME_TEXT = "the same text as"


class CopyRule(NamedTuple):
    """The folder that nearness is measured from, and how a recipe reads a file that is nothing but `@path`."""

    cwd: str
    home: str
    imports: bool
    """Whether such a file has the text of the one that it names."""
    names: tuple[str, ...]
    """Names of the files that the recipe reads."""


def make_text_file(text: str, path: str) -> tuple[TextFile, tuple[Diagnostic, ...]]:
    """A file that is only compared, unchanged."""
    return TextFile(path, text), ()


def make_copy_rule(wants: ContextFiles | None, cwd: str, home: str) -> CopyRule:
    """The rule of a recipe that wants these files."""
    return CopyRule(cwd, home, wants is not None and wants.imports, wants.names if wants else ())


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
    words = "\n".join(line for line in lines if line and not is_boilerplate(line))
    match = IMPORT.fullmatch(words)
    folder = file.path.rpartition("/")[0]
    return posixpath.normpath(expand_path(match["path"], folder, home)) if match else None


def drop_duplicates(
    reader: FileReader,
    workspace: Sequence[WorkspaceFile],
    context: Sequence[TextFile],
    hidden: Iterable[TextFile],
    rule: CopyRule,
) -> InstructionFiles:
    """The files to load. Of files with the same text, the nearest to the working directory stays in its position."""
    files = _sort_by_nearness(workspace, context, rule.cwd)
    targets = {file.path: file for file in files}
    imported = [_find_imported(file, targets, rule) for file in files]
    stays = {at: imported[at] for at in _find_nearest(imported).values()}
    remaining = {file.path for file in stays.values()}
    by_text = {file.content: file for file in stays.values()}
    for file, stands_for in zip(files, imported, strict=True):
        if file.path not in remaining:
            _drop(reader, file, by_text[stands_for.content], stands_for)
        elif (target := find_only_import(file, rule.home)) is not None:
            _report_import(reader, file, target, targets, rule)
    first = {text: file.path for text, file in by_text.items()}
    others = [file for file in hidden if not _is_hidden_copy(reader, file, first, rule.home)]
    ordered = [file for _, file in sorted(stays.items())]
    own = tuple([file for file in ordered if isinstance(file, WorkspaceFile)])
    project = tuple([file for file in ordered if isinstance(file, TextFile)])
    if len(ordered) + len(others) > 1:
        reader.diagnostics += find_near_copies([*own, *project], others)
    return InstructionFiles(own, project)


def _sort_by_nearness(workspace: Sequence[Document], context: Sequence[Document], cwd: str) -> list[Document]:
    """All files, the nearest last. The workspace is far from every project, unless `cwd` is below it."""
    folder = workspace[0].path.rpartition("/")[0] if workspace else "/"
    if not contains_path(folder, cwd):
        return [*workspace, *context]
    step = cwd.removeprefix(folder).strip("/").partition("/")[0]
    below = f"{folder}/{step}/"
    at = next((at for at, file in enumerate(context) if step and file.path.startswith(below)), len(context))
    return [*context[:at], *workspace, *context[at:]]


def _find_imported(file: Document, targets: dict[str, Document], rule: CopyRule) -> Document:
    """The file whose text a file loads."""
    return _follow_imports(file, targets, rule.home) if rule.imports else file


def _follow_imports(file: Document, targets: dict[str, Document], home: str) -> Document:
    """The file itself, or the last of a chain of imports. In a circle, itself."""
    visited = {file.path}
    imported = file
    while (path := find_only_import(imported, home)) in targets:
        if path in visited:
            return file
        visited.add(path)
        imported = targets[path]
    return imported


def _find_nearest(files: Sequence[Document]) -> dict[str, int]:
    """For each text, which file stays: the last, or of copies side by side in one folder the first."""
    stays: dict[str, int] = {}
    start = 0
    for at, file in enumerate(files):
        before = files[start]
        if file.content != before.content or file.path.rpartition("/")[0] != before.path.rpartition("/")[0]:
            start = at
        stays[file.content] = start
    return stays


def _drop(reader: FileReader, file: Document, stays: Document, target: Document) -> None:
    """Record and report that a file is skipped because another has the same text."""
    how = f"it only imports {target.path}" if target is not file else _explain_duplicate(reader, file, stays)
    _recall(reader, file, how)
    level: Level = "warning" if how.startswith(SAME_TEXT) else "info"
    reader.diagnostics.append(Diagnostic(level, COPY_CODE, f"skipped: {how}", file.path))


def _explain_duplicate(reader: FileReader, file: Document, stays: Document) -> str:
    one, other = reader.sighted(file.path), reader.sighted(stays.path)
    if one is not None and other is not None and one.entry.id == other.entry.id:
        return f"the same file as {stays.path}" + ", by a link" * (one.real == other.real)
    return f"{SAME_TEXT} {stays.path}"


def drop_copies(
    reader: FileReader, files: Iterable[TextFile], loaded: Sequence[Document], rule: CopyRule
) -> tuple[TextFile, ...]:
    """The files whose text is not loaded yet. The others are reported with the path of the loaded copy."""
    targets = {file.path: file for file in loaded}
    first = {file.content: file for file in loaded}
    resolved = [(file, _find_imported(file, targets, rule)) for file in files]
    for file, stands_for in resolved:
        if stands_for.content in first:
            _drop(reader, file, first[stands_for.content], stands_for)
    return tuple([file for file, stands_for in resolved if stands_for.content not in first])


def drop_repeats_below(
    reader: FileReader, files: Sequence[TextFile], loaded: Sequence[Document], rule: CopyRule
) -> Iterator[TextFile]:
    """The files on the way down that do not repeat the file right above them. The others are reported."""
    targets = {file.path: file for file in (*loaded, *files)}
    above = loaded[-1] if loaded else None
    for file in files:
        imported = _find_imported(file, targets, rule)
        if imported in files and imported is not file:
            _drop(reader, file, imported, imported)
            continue
        if above is not None and imported.content == above.content:
            _drop(reader, file, above, imported)
        else:
            if (target := find_only_import(file, rule.home)) is not None:
                _report_import(reader, file, target, targets, rule)
            yield file
        above = imported


def describe_same_text(file: TextFile, first: dict[str, str], home: str) -> str | None:
    """Why a skipped file adds no text; None if it does. `first` maps each loaded text to its path."""
    target = find_only_import(file, home)
    if target is not None and target in first.values():
        return f"it only imports {target}"
    return f"{SAME_TEXT} {first[file.content]}" if file.content in first else None


def _is_hidden_copy(reader: FileReader, file: TextFile, first: dict[str, str], home: str) -> bool:
    """Whether a hidden file has no text of its own. Then the record explains that nothing is lost."""
    how = describe_same_text(file, first, home)
    if how is not None:
        _recall(reader, file, how)
    return how is not None


def _recall(reader: FileReader, file: Document, how: str) -> None:
    """Change a file's record from loaded or hidden to duplicate."""
    what = "workspace" if isinstance(file, WorkspaceFile) else "context"
    for index, look in enumerate(reader.looked):
        if look.path == file.path and look.what == what:
            reader.looked[index] = replace(look, outcome="duplicate", detail=how)


def _report_import(
    reader: FileReader, file: Document, target: str, loaded: dict[str, Document], rule: CopyRule
) -> None:
    """Report a file that only imports another, where the recipe does not follow imports."""
    source = _follow_imports(file, loaded, rule.home)
    if source is not file and find_only_import(source, rule.home) is None:
        message = f"it only imports {target}; imports are not followed, but {source.path} is loaded by itself"
        reader.diagnostics.append(Diagnostic("info", "context-import", message, file.path))
        return
    folder = file.path.rpartition("/")[0] + "/"
    # A recorded path has a name that the recipe knows already.
    known = any(look.path == target for look in reader.looked)
    named = target.startswith(folder) and not known
    name = f", or load that file: {make_filenames_line(rule.names, target.removeprefix(folder))}" if named else ""
    message = f"it only imports {target}, but imports are not followed; put the text here{name}"
    reader.diagnostics.append(warning("context-import", message, file.path))

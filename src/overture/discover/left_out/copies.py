"""Files that say the same count once: the nearest to the working directory stays, and the others are reported."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from ...model.diagnostic import Diagnostic, Level, warning
from ...model.recipe.wants.wanted_files import ContextFiles
from ...model.state.files import Document, TextFile, WorkspaceFile
from ..disk.reader import Reader
from ..disk.walk import at_or_above, expanded
from .near_copies import report_near_copies
from .settings_lines import naming

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
IMPORT = re.compile(r"@(?P<path>[^\s@]+)")
MAX_IMPORT_CHARS = 2000
"""Characters of a file that may be an import with comments around it."""
CODE = "context-copy"
SAME_TEXT = "the same text as"
D = TypeVar("D", bound=Document)


class Said(NamedTuple):
    """The files that are said, each text once."""

    workspace: tuple[WorkspaceFile, ...]
    context: tuple[TextFile, ...]


class CopyRule(NamedTuple):
    """From where nearness is measured, and what a recipe makes of a file that is nothing but `@path`."""

    cwd: str
    home: str
    imports: bool
    """Whether such a file stands for the one that it names."""
    adding: Callable[[str], str]
    """The line of the configuration that would make a file be read."""


def copy_rule(wants: ContextFiles | None, cwd: str, home: str) -> CopyRule:
    """The rule of a recipe that wants these files."""
    return CopyRule(cwd, home, wants is not None and wants.imports, naming(wants))


def only_import(file: Document, home: str) -> str | None:
    """The absolute path that a file imports, where it holds nothing but `@path`, blank lines and comments."""
    if len(file.content) > MAX_IMPORT_CHARS or "@" not in file.content:
        return None
    found = IMPORT.fullmatch(COMMENT.sub("", file.content).strip())
    folder = file.path.rpartition("/")[0]
    return posixpath.normpath(expanded(found["path"], folder, home)) if found else None


def count_once(
    reader: Reader,
    workspace: Sequence[WorkspaceFile],
    context: Sequence[TextFile],
    shadowed: Iterable[TextFile],
    rule: CopyRule,
) -> Said:
    """What is said of these files: of those that say the same the nearest to the working directory, in its place."""
    files = _by_nearness(workspace, context, rule.cwd)
    targets = {file.path: file for file in files}
    meant = [_meant(file, targets, rule) for file in files]
    stays = {at: meant[at] for at in _nearest(meant).values()}
    kept = {file.path for file in stays.values()}
    by_text = {file.content: file for file in stays.values()}
    for file, stands_for in zip(files, meant, strict=True):
        if file.path not in kept:
            _drop(reader, file, by_text[stands_for.content], stands_for)
        elif (target := only_import(file, rule.home)) is not None:
            _report_import(reader, file, target, rule)
    said = Said(_kept(stays, WorkspaceFile), _kept(stays, TextFile))
    first = {text: file.path for text, file in by_text.items()}
    others = [file for file in shadowed if not _is_shadowed_copy(reader, file, first, rule.home)]
    report_near_copies(reader, [*said.workspace, *said.context], others)
    return said


def _by_nearness(workspace: Sequence[Document], context: Sequence[Document], cwd: str) -> list[Document]:
    """All files, the nearest last. The workspace is far from every project, except for whoever works below it."""
    folder = workspace[0].path.rpartition("/")[0] if workspace else "/"
    if not at_or_above(folder, cwd):
        return [*workspace, *context]
    step = cwd.removeprefix(folder).strip("/").partition("/")[0]
    below = f"{folder}/{step}/"
    at = next((at for at, file in enumerate(context) if step and file.path.startswith(below)), len(context))
    return [*context[:at], *workspace, *context[at:]]


def _meant(file: Document, targets: dict[str, Document], rule: CopyRule) -> Document:
    """The file whose text a file stands for: itself, or the last of a chain of imports. In a circle, itself."""
    met = {file.path}
    found = file
    while rule.imports and (path := only_import(found, rule.home)) in targets:
        if path in met:
            return file
        met.add(path)
        found = targets[path]
    return found


def _nearest(files: Sequence[Document]) -> dict[str, int]:
    """For each text, which file stays: the last, or of copies side by side in one folder the first."""
    stays: dict[str, int] = {}
    start = 0
    for at, file in enumerate(files):
        before = files[start]
        if file.content != before.content or file.path.rpartition("/")[0] != before.path.rpartition("/")[0]:
            start = at
        stays[file.content] = start
    return stays


def _kept(stays: dict[int, Document], kind: type[D]) -> tuple[D, ...]:
    return tuple([file for _, file in sorted(stays.items()) if isinstance(file, kind)])


def _drop(reader: Reader, file: Document, stays: Document, meant: Document) -> None:
    """Record and report that a file is not said, since another says the same."""
    how = f"it only imports {meant.path}" if meant is not file else _how(reader, file, stays)
    _recall(reader, file, how)
    level: Level = "warning" if how.startswith(SAME_TEXT) else "info"
    reader.diagnostics.append(Diagnostic(level, CODE, f"skipped: {how}", file.path))


def _how(reader: Reader, file: Document, stays: Document) -> str:
    one, other = reader.sighted(file.path), reader.sighted(stays.path)
    if one is not None and other is not None and one.entry.id == other.entry.id:
        return f"the same file as {stays.path}" + ", by a link" * (one.real == other.real)
    return f"{SAME_TEXT} {stays.path}"


def without_copies(
    reader: Reader, files: Iterable[TextFile], said: Sequence[Document], rule: CopyRule
) -> tuple[TextFile, ...]:
    """Those that say something which is not said already; the others are reported with where it is said."""
    targets = {file.path: file for file in said}
    first = {file.content: file for file in said}
    meant = [(file, _meant(file, targets, rule)) for file in files]
    for file, stands_for in meant:
        if stands_for.content in first:
            _drop(reader, file, first[stands_for.content], stands_for)
    return tuple([file for file, stands_for in meant if stands_for.content not in first])


def news_below(
    reader: Reader, files: Sequence[TextFile], said: Sequence[Document], rule: CopyRule
) -> Iterator[TextFile]:
    """Of files on the way down, those that do not repeat what is said right above them; the others are reported."""
    targets = {file.path: file for file in (*said, *files)}
    above = said[-1] if said else None
    for file in files:
        meant = _meant(file, targets, rule)
        if meant in files and meant is not file:
            _drop(reader, file, meant, meant)
            continue
        if above is not None and meant.content == above.content:
            _drop(reader, file, above, meant)
        else:
            if (target := only_import(file, rule.home)) is not None:
                _report_import(reader, file, target, rule)
            yield file
        above = meant


def same_as(file: TextFile, first: dict[str, str], home: str) -> str | None:
    """How a file that is not read says nothing new, given the texts that are said and where they are from."""
    target = only_import(file, home)
    if target is not None and target in first.values():
        return f"it only imports {target}"
    return f"{SAME_TEXT} {first[file.content]}" if file.content in first else None


def _is_shadowed_copy(reader: Reader, file: TextFile, first: dict[str, str], home: str) -> bool:
    """Whether a file that another shadows says nothing new; then nothing is lost, and the record says so."""
    how = same_as(file, first, home)
    if how is not None:
        _recall(reader, file, how)
    return how is not None


def _recall(reader: Reader, file: Document, how: str) -> None:
    """Record that a file which was noted as loaded or shadowed is one of two that say the same."""
    what = "workspace" if isinstance(file, WorkspaceFile) else "context"
    for index, look in enumerate(reader.looked):
        if look.path == file.path and look.what == what:
            reader.looked[index] = replace(look, outcome="duplicate", detail=how)


def _report_import(reader: Reader, file: Document, target: str, rule: CopyRule) -> None:
    folder = file.path.rpartition("/")[0] + "/"
    # What was looked at has a name that the recipe knows already.
    known = any(look.path == target for look in reader.looked)
    named = target.startswith(folder) and not known
    name = f", or name it: {rule.adding(target.removeprefix(folder))}" if named else ""
    message = f"it only imports {target}, and imports are not followed; put its text here{name}"
    reader.diagnostics.append(warning("context-import", message, file.path))

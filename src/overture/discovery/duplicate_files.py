"""Loads each text once: of identical files the nearest is used, and an import of a loaded file stands for that."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ..model.diagnostic import Diagnostic, Level
from ..model.state.discovery import InstructionFiles
from ..model.state.files import Document, TextFile, WorkspaceFile
from ..model.state.reasons import NO_REASON, Reason, because, explain_reason
from ..model.wants import ContextFiles
from ..text.markdown import remove_comments
from .configuration.keys import make_filenames_line
from .paths import contains_path, expand_path
from .place import Place
from .reader import FileReader

IMPORT = re.compile(r"(?:[-*]\s+)?(?:(?:see|read|follow|refer to)(?: the)?:?\s+)?@(?P<path>[^\s@]+)", re.IGNORECASE)
INIT_SENTENCE = ("This file provides guidance to ", " when working with code in this repository")
"""The beginning and the end of the sentence that `/init` of several agents writes at the top."""
MAX_IMPORT_CHARS = 2000  # characters of a file that may be an import with comments around it


def make_text_file(text: str, path: str) -> tuple[TextFile, tuple[Diagnostic, ...]]:
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


class _Texts(NamedTuple):
    """The texts that are loaded, by path, and how imports of them are followed."""

    reader: FileReader
    by_path: dict[str, Document]
    wants: ContextFiles | None
    home: str

    def follow(self, file: Document) -> Document:
        """The file itself, or the last of a chain of imports. In a circle, itself."""
        visited, source = {file.path}, file
        while (path := find_only_import(source, self.home)) in self.by_path:
            if path in visited:
                return file
            visited.add(path)
            source = self.by_path[path]
        return source

    def find_source(self, file: Document) -> Document:
        """The file whose text a file loads: where a recipe follows imports, the end of a chain of them."""
        return self.follow(file) if self.wants is not None and self.wants.imports else file

    def drop(self, file: Document, stays: Document) -> None:
        """Record and report that a file is skipped because another has the same text."""
        source = self.find_source(file)
        level: Level = "info"
        one, other = self.reader.sighted(file.path), self.reader.sighted(stays.path)
        if source is not file:
            reason = because("only-import", source.path)
        elif one is not None and other is not None and one.entry.id == other.entry.id:
            reason = because("same-file", stays.path, *["link"] * (one.real == other.real))
        else:
            level, reason = "warning", because("same-text", stays.path, "as")
        _recall(self.reader, file, reason)
        self._report(level, "context-copy", f"skipped: {explain_reason(reason)}", file)

    def report_import(self, file: Document) -> None:
        """Report a file that stays and only imports another: the model gets a path, and not the text."""
        target = find_only_import(file, self.home)
        if target is None:
            return
        source, folder = self.follow(file), file.path.rpartition("/")[0] + "/"
        if source is not file and find_only_import(source, self.home) is None:
            message = f"it only imports {target}; imports are not followed, but {source.path} is loaded by itself"
            self._report("info", "context-import", message, file)
            return
        message = f"it only imports {target}, but imports are not followed; put the text here"
        # A recorded path has a name that the recipe knows already.
        if target.startswith(folder) and not any(look.path == target for look in self.reader.looked):
            line = make_filenames_line(self.wants.names if self.wants else (), target.removeprefix(folder))
            message += f", or load that file: {line}"
        self._report("warning", "context-import", message, file)

    def _report(self, level: Level, code: str, message: str, file: Document) -> None:
        self.reader.diagnostics.append(Diagnostic(level, code, message, file.path))


def drop_duplicates(
    reader: FileReader, workspace: Sequence[WorkspaceFile], context: Sequence[TextFile], hidden: Iterable[TextFile],
    wants: ContextFiles | None, place: Place,
) -> InstructionFiles:  # fmt: skip
    """The files to load. Of files with the same text, the nearest to the working directory stays in its position."""
    files = _sort_by_nearness(workspace, context, place.cwd)
    texts = _Texts(reader, {file.path: file for file in files}, wants, place.home)
    sources = [texts.find_source(file) for file in files]
    by_text: dict[str, Document] = {}
    before = ("", "")
    for file in sources:
        here = posixpath.dirname(file.path), file.content
        if here != before:  # of copies side by side in one folder the first stays, else the last
            by_text.pop(file.content, None)
            by_text[file.content] = file
        before = here
    first = {text: file.path for text, file in by_text.items()}
    for file, source in zip(files, sources, strict=True):
        if file.path in first.values():
            texts.report_import(file)
        else:
            texts.drop(file, by_text[source.content])
    for each in hidden:
        if reason := find_same_text(each, first, place.home):
            _recall(reader, each, reason)
    own = tuple([file for file in by_text.values() if isinstance(file, WorkspaceFile)])
    return InstructionFiles(own, tuple([file for file in by_text.values() if isinstance(file, TextFile)]))


def drop_copies(
    reader: FileReader, files: Iterable[TextFile], loaded: Sequence[Document], wants: ContextFiles | None, home: str
) -> tuple[TextFile, ...]:
    """The files whose text is not loaded yet. The others are reported with the path of the loaded copy."""
    texts = _Texts(reader, {file.path: file for file in loaded}, wants, home)
    by_text, new = {file.content: file for file in loaded}, list[TextFile]()
    for file in files:
        if stays := by_text.get(texts.find_source(file).content):
            texts.drop(file, stays)
        else:
            new.append(file)
    return tuple(new)


def drop_repeats_below(
    reader: FileReader, files: Sequence[TextFile], loaded: Sequence[Document], wants: ContextFiles, home: str
) -> Iterator[TextFile]:
    """The files on the way down that do not repeat the file right above them. The others are reported."""
    texts = _Texts(reader, {file.path: file for file in (*loaded, *files)}, wants, home)
    above = loaded[-1] if loaded else None
    for file in files:
        source = texts.find_source(file)
        if source is not file and source in files:
            texts.drop(file, source)  # it is delivered by itself
            continue
        if above is not None and source.content == above.content:
            texts.drop(file, above)
        else:
            texts.report_import(file)
            yield file
        above = source


def find_same_text(file: TextFile, first: dict[str, str], home: str) -> Reason:
    """Why a skipped file adds no text; falsy if it does. `first` maps each loaded text to its path."""
    target = find_only_import(file, home)
    if target is not None and target in first.values():
        return because("only-import", target)
    return because("same-text", first[file.content], "as") if file.content in first else NO_REASON


def _sort_by_nearness(workspace: Sequence[Document], context: Sequence[Document], cwd: str) -> list[Document]:
    """All files, the nearest last. The workspace is far from every project, unless `cwd` is below it."""
    folder = posixpath.dirname(workspace[0].path) if workspace else "/"
    if not contains_path(folder, cwd):
        return [*workspace, *context]
    step = cwd.removeprefix(folder).strip("/").partition("/")[0]
    below = (at for at, each in enumerate(context) if step and each.path.startswith(f"{folder}/{step}/"))
    at = next(below, len(context))
    return [*context[:at], *workspace, *context[at:]]


def _recall(reader: FileReader, file: Document, reason: Reason) -> None:
    """Change a file's record from loaded or hidden to duplicate."""
    what = "workspace" if isinstance(file, WorkspaceFile) else "context"
    for index, look in enumerate(reader.looked):
        if look.path == file.path and look.what == what:
            reader.looked[index] = replace(look, outcome="duplicate", reason=reason)

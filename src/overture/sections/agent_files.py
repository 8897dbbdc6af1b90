"""Instruction files as a known agent loads them: each in its frame, truncated at the agent's limits."""

import posixpath
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from msgspec.structs import replace

from ..model.agent_rules import FileLimit
from ..model.diagnostic import Diagnostic, warning
from ..model.recipe.body import Body, Group, Part, Skip
from ..model.source import from_file, from_state
from ..model.state.agent_and_runtime import Runtime
from ..model.state.files import TextFile
from ..model.struct import Frozen
from ..text.frontmatter import FrontmatterProblem, parse_frontmatter, scalar_text
from ..text.normalize import to_one_line
from .template import fill_template, split_template

ANNOUNCED_OUTCOMES = ("waiting", "model")
"""Outcomes of files that the prompt lists by name, without their text."""


class FileCut(NamedTuple):
    """How much of a file is loaded."""

    chars: int
    last_line: int
    """The last line of the file that is loaded whole; 0: none."""
    limit: FileLimit


def cut_files(
    files: Sequence[TextFile], limits: Sequence[FileLimit], changed: Mapping[str, int]
) -> dict[int, FileCut]:  # fmt: skip
    """The files that are truncated or skipped, by index. `changed` are limits that settings change."""
    cuts: dict[int, FileCut] = {}
    for original in limits:
        limit = replace(original, most=changed.get(original.name, original.most))
        remaining = limit.most
        for index, file in enumerate(files):
            step, _, how = (file.kind or "").partition(":")
            if step not in limit.of or how in ANNOUNCED_OUTCOMES:
                continue
            remaining = limit.most if limit.over == "file" else remaining
            room = max(remaining - limit.frames, 0)
            content = file.content.encode() if limit.unit == "bytes" else file.content
            size = len(content)
            if size > room:
                start = content[: max(room - limit.kept, 0)]
                chars = len(start if isinstance(start, str) else start.decode(errors="ignore"))
                if index not in cuts or chars < cuts[index].chars:
                    cuts[index] = FileCut(chars, _find_last_line(file, chars), limit)
            remaining = max(remaining - size - limit.frames, 0)
    return cuts


def _find_last_line(file: TextFile, chars: int) -> int:
    """The number, in the file, of the last line that is loaded whole."""
    last = 0
    for piece in file.all_pieces:
        if chars > 0 and piece.path == file.path and (full_lines := _count_whole_lines(piece.text, chars)):
            last = piece.line + full_lines - 1
        chars -= len(piece.text)
    return last


def _count_whole_lines(text: str, chars: int) -> int:
    """The number of the last line whose words are all within the first `chars` characters; 0: none."""
    end = text.find("\n", chars)
    rest = text[chars : len(text) if end < 0 else end]
    head = text[: text.rfind("\n", 0, chars) + 1] if any(map(str.isalnum, rest)) else text[:chars]
    at = next((at for at in range(len(head) - 1, -1, -1) if head[at].isalnum()), None)
    return 0 if at is None else head.count("\n", 0, at) + 1


FRONTMATTER_PREFIX = "front."
"""`{{ front.KEY }}` is the value of a key in the frontmatter."""


class FileTemplate(Frozen, frozen=True):
    """How a section renders files."""

    steps: tuple[str, ...]
    each: dict[str, str]
    """The template of a file, by step or file name; "" is for all others."""
    between: str = "\n\n"
    turning: str | None = None
    limits: tuple[FileLimit, ...] = ()
    elsewhere: tuple[str, ...] = ()
    """Kinds that another section renders."""

    def choose_template(self, file: TextFile) -> str:
        """The template for one file."""
        kind = file.kind or ""
        for key in (posixpath.basename(file.path), kind, kind.partition(":")[0]):
            if key in self.each:
                return self.each[key]
        return self.each.get("", "{{ text }}")

    def includes(self, file: TextFile) -> bool:
        """Whether this section renders a file: by its kind, or else by its step; without a kind, by its name."""
        if file.kind is None:
            return any(fnmatchcase(file.path, f"*/{name}") for name in self.steps)
        kind = file.kind
        return kind in self.steps or (kind.partition(":")[0] in self.steps and kind not in self.elsewhere)


def render_agent_files(
    template: FileTemplate, files: Sequence[TextFile], changed: Mapping[str, int], runtime: Runtime | None
) -> Body:
    """The files of the steps in the order of discovery, or why there are none."""
    cuts = cut_files(files, template.limits, changed)
    parts: list[Part | Group | str] = []
    notes: list[Diagnostic] = []
    before: str | None = None
    included = [index for index, file in enumerate(files) if template.includes(file)]
    for index in included:
        file, cut = files[index], cuts.get(index)
        notes += [report_cut(file, cut)] if cut else []
        if cut and not cut.chars:
            continue
        if parts:
            turned = template.turning is not None and before != file.kind
            parts.append(template.turning if turned and template.turning is not None else template.between)
        parts.append(_render_file(template.choose_template(file), file, index, cut, runtime))
        before = file.kind
    if not parts:
        return Skip("there are no such files here", tuple(notes))
    return Group(tuple(parts), sep="", notes=tuple(notes))


def list_told_words(template: str, file: TextFile) -> list[str] | None:
    """What a template tells of a file instead of its text, such as its name and description, but not where it is.

    None: it has its text.
    """
    names = dict.fromkeys(split_template(template)[1::2])
    if "text" in names:
        return None
    told = [name for name in names if name in ("name", "description") or name.startswith(FRONTMATTER_PREFIX)]
    values = (_fill_file_placeholder(name, file, 0, None, None) for name in told)
    return [value.text for value in values if isinstance(value, Part) and value.text]


def _render_file(template: str, file: TextFile, index: int, cut: FileCut | None, runtime: Runtime | None) -> Group:
    """A file in the frame that an agent puts around it."""
    names = dict.fromkeys(split_template(template)[1::2])
    values = {
        name: value for name in names if (value := _fill_file_placeholder(name, file, index, cut, runtime)) is not None
    }
    return Group(fill_template(template, values), sep="")


FILE_PLACEHOLDERS = (
    "text", "description", "path", "relative", "in_project", "folder", "file", "name", "nearby", "opened",
)  # fmt: skip
"""The placeholders in the frame of a file, besides `front.KEY`."""


def _fill_file_placeholder(
    name: str, file: TextFile, index: int, cut: FileCut | None, runtime: Runtime | None
) -> Part | Group | None:
    """The value of a placeholder in the frame of an agent's file; None if there is no such placeholder."""
    if name == "text":
        return _write_file_text(file, cut)
    if name == "description":
        description, line = _find_file_description(file)
        return Part(description, from_file(file.path, line, pinned=True), name=file.path, single=True)
    if name.startswith(FRONTMATTER_PREFIX):
        return Part(_read_frontmatter_value(file, name.removeprefix(FRONTMATTER_PREFIX)), file.where, single=True)
    word = _write_path_word(name, file, runtime)
    # In a list, such as one of commands, the source of the name is the file itself, as for a skill.
    source = file.where if name == "name" and file.said is not None else from_state(f"context_files[{index}].path")
    return None if word is None else Part(word, source, single=True)


def _write_path_word(name: str, file: TextFile, runtime: Runtime | None) -> str | None:
    """A value that is derived from the path."""
    base, cwd = posixpath.basename(file.path), runtime.cwd if runtime else None
    match name:
        case "path":
            return file.shown or file.path
        case "relative":
            return _make_relative_path(cwd, file.path)
        case "nearby":  # the full path if it is elsewhere
            return file.path.removeprefix(f"{cwd.rstrip('/')}/") if cwd else file.path
        case "opened":
            return f"{posixpath.basename(cwd)}/{_make_relative_path(cwd, file.path)}" if cwd else file.path
        case "in_project":
            return _make_relative_path(runtime.project if runtime else None, file.path)
        case "file":
            return base
        case "name":
            return file.called or base.partition(".")[0] or base
        case "folder":
            return posixpath.dirname(file.path)
    return None


def _read_frontmatter_value(file: TextFile, key: str) -> str:
    """The value of a key in the frontmatter; a list is joined with commas."""
    parsed = parse_frontmatter(file.content)
    field = None if isinstance(parsed, FrontmatterProblem) else parsed.fields.get(key)
    listed = [each for each in field.items if each] if field and field.kind == "list" else [scalar_text(field)]
    return to_one_line(", ".join(listed))


def _make_relative_path(folder: str | None, path: str) -> str:
    return posixpath.relpath(path, folder) if folder else path


def _find_file_description(file: TextFile) -> tuple[str, int]:
    """The description in the frontmatter; without frontmatter, the first line."""
    if file.said is not None:
        return file.said, file.said_line
    parsed = parse_frontmatter(file.content)
    if isinstance(parsed, FrontmatterProblem):
        return to_one_line(file.content.partition("\n")[0].lstrip("# ")), file.line
    field = parsed.fields.get("description")
    return to_one_line(scalar_text(field)), (field.line if field else 1) + file.line - 1


def _write_file_text(file: TextFile, cut: FileCut | None) -> Part | Group:
    """The text that is loaded: one part, or a part for each piece with its own source."""
    if not file.pieces:
        text = file.content if cut is None else file.content[: cut.chars]
        full = "" if cut is None else file.content
        rest = cut.limit.says if cut else ""
        return Part(text, file.where, name=file.path, whole=full, after=rest)
    remaining = len(file.content) if cut is None else cut.chars
    parts: list[Part | Group | str] = []
    for piece in file.pieces:
        text, remaining = piece.text[:remaining], max(remaining - len(piece.text), 0)
        source = from_file(piece.path, piece.line) if piece.path else None
        parts += [Part(text, source, name=piece.path or file.path)] if text else []
    return Group((*parts, *([cut.limit.says] if cut and cut.limit.says else [])), sep="")


def report_cut(file: TextFile, cut: FileCut) -> Diagnostic:
    """The warning about a file that an agent truncates or skips."""
    limit, lines = cut.limit, file.line + file.content.count("\n")
    room = f"{limit.most:,} {limit.unit} {'per file' if limit.over == 'file' else 'for all such files together'}"
    notice = "the agent reports it" if limit.says else "the agent does not report it"
    done = f"truncated after line {cut.last_line:,} of {lines:,}" if cut.chars else "skipped"
    return warning("file-cut", f"{done}: over the limit of {room}, and {notice}", file.path, max(cut.last_line, 1))

"""Instruction files as a known agent loads them: each in its frame, truncated at the agent's limits."""

import posixpath
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ..model.diagnostic import Diagnostic, warning
from ..model.file_steps import FileLimit
from ..model.recipe.body import Body, Group, Part, Skip
from ..model.source import from_file, from_state
from ..model.state.agent_and_runtime import Runtime
from ..model.state.files import TextFile
from ..model.struct import Frozen
from ..text.frontmatter import FrontmatterProblem, parse_frontmatter, scalar_text
from ..text.normalize import to_one_line
from .template import fill_template, split_template

ANNOUNCED_OUTCOMES = ("waiting", "model")
"""Files of which the agent is told that they are there, and not what they say."""


class FileCut(NamedTuple):
    """How much of a file is told."""

    chars: int
    last_line: int
    """The last line of the file whose words are all told; 0: none."""
    limit: FileLimit


def cut_files(
    files: Sequence[TextFile],
    limits: Sequence[FileLimit],
    changed: Mapping[str, int],
    frame_chars: Mapping[str, int] | None = None,
) -> dict[int, FileCut]:
    """The files that are cut or dropped, by their place. `changed` are limits that settings change.

    `frame_chars` is how many characters stand around a file of a step, for limits that count those too.
    """
    found: dict[int, FileCut] = {}
    for original in limits:
        limit = replace(original, most=changed.get(original.name, original.most))
        remaining = limit.most
        for index, file in enumerate(files):
            step, _, how = (file.kind or "").partition(":")
            if step not in limit.of or how in ANNOUNCED_OUTCOMES:
                continue
            remaining = limit.most if limit.over == "file" else remaining
            frame = _count_framed_chars(limit, (frame_chars or {}).get(file.kind or "", 0))
            room = max(remaining - frame, 0)
            size = _measure_text(file.content, limit)
            if size > room:
                chars = _fit_text(file.content, max(room - limit.kept, 0), limit)
                if index not in found or chars < found[index].chars:
                    found[index] = FileCut(chars, _find_last_line(file, chars), limit)
            remaining = max(remaining - size - frame, 0)
    return found


def _count_framed_chars(limit: FileLimit, frame_chars: int) -> int:
    """What counts of a file besides its text."""
    return frame_chars if limit.frames is True else int(limit.frames)


def _measure_text(text: str, limit: FileLimit) -> int:
    return len(text) if limit.unit == "characters" or text.isascii() else len(text.encode())


def _fit_text(text: str, room: int, limit: FileLimit) -> int:
    if limit.unit == "characters" or text.isascii():
        return room
    return len(text.encode()[:room].decode(errors="ignore"))


def _find_last_line(file: TextFile, chars: int) -> int:
    """The number of the last line whose words are all told, as the file counts."""
    last = 0
    for piece in file.all_pieces:
        if chars > 0 and piece.path == file.path and (full_lines := _count_whole_lines(piece.text, chars)):
            last = piece.line + full_lines - 1
        chars -= len(piece.text)
    return last


def _count_whole_lines(text: str, chars: int) -> int:
    """The number, in a text, of the last line with words that a beginning of the text holds whole; 0: none."""
    end = text.find("\n", chars)
    rest = text[chars : len(text) if end < 0 else end]
    head = text[: text.rfind("\n", 0, chars) + 1] if any(map(str.isalnum, rest)) else text[:chars]
    at = next((at for at in range(len(head) - 1, -1, -1) if head[at].isalnum()), None)
    return 0 if at is None else head.count("\n", 0, at) + 1


FRONTMATTER_PREFIX = "front."
"""`{{ front.KEY }}` is what the frontmatter says under a key."""


class FileTemplate(Frozen, frozen=True):
    """How a section tells of files."""

    steps: tuple[str, ...]
    each: dict[str, str]
    """By step or file name; "" is for all others."""
    between: str = "\n\n"
    turning: str | None = None
    limits: tuple[FileLimit, ...] = ()
    ranks: dict[str, int] = {}

    elsewhere: tuple[str, ...] = ()
    """Kinds that another section tells."""

    def choose_template(self, file: TextFile) -> str:
        """How one file is told."""
        kind = file.kind or ""
        for key in (posixpath.basename(file.path), kind, kind.partition(":")[0]):
            if key in self.each:
                return self.each[key]
        return self.each.get("", "{{ text }}")

    def tells(self, file: TextFile) -> bool:
        """Whether a file is told here: by its own kind, or else as one of its step."""
        kind = file.kind or ""
        return kind in self.steps or (kind.partition(":")[0] in self.steps and kind not in self.elsewhere)

    def rank(self, file: TextFile) -> int:
        """Which of the section's lists it stands in; those of steps that are told as one keep their order."""
        kind = file.kind or ""
        return self.ranks.get(kind, self.ranks.get(kind.partition(":")[0], 0))


def render_agent_files(
    template: FileTemplate, files: Sequence[TextFile], changed: Mapping[str, int], runtime: Runtime | None
) -> Body:
    """The files of the steps, step by step in the order in which they were found, or why there are none."""
    frame_chars = {step: _count_frame_chars(template, files, step) for step in template.steps}
    cuts = cut_files(files, template.limits, changed, frame_chars)
    parts: list[Part | Group | str] = []
    notes: list[Diagnostic] = []
    before: str | None = None
    for index in sorted(_select_files(template, files), key=lambda index: template.rank(files[index])):
        file, cut = files[index], cuts.get(index)
        notes += [_report_cut(file, cut)] if cut else []
        if cut and not cut.chars:
            continue
        if before is not None:
            turned = template.turning is not None and before != file.kind
            parts.append(template.turning if turned and template.turning is not None else template.between)
        parts.append(_render_file(template.choose_template(file), file, index, cut, runtime))
        before = file.kind
    if not parts:
        return Skip("there are no such files here", tuple(notes))
    return Group(tuple(parts), sep="", notes=tuple(notes))


def _select_files(template: FileTemplate, files: Sequence[TextFile]) -> list[int]:
    return [index for index, file in enumerate(files) if template.tells(file)]


def _count_frame_chars(files_template: FileTemplate, files: Sequence[TextFile], step: str) -> int:
    """The characters of the agent's words around a file of a step, with the path in them."""
    file = next((file for file in files if file.kind == step), None)
    if file is None:
        return 0
    template = files_template.choose_template(file)
    return (
        sum(map(len, split_template(template)[::2]))
        + len(files_template.between)
        + len(file.path) * ("{{ path }}" in template)
    )


def _render_file(template: str, file: TextFile, index: int, cut: FileCut | None, runtime: Runtime | None) -> Group:
    names = dict.fromkeys(split_template(template)[1::2])
    values = {
        name: value for name in names if (value := _fill_file_placeholder(name, file, index, cut, runtime)) is not None
    }
    return Group(fill_template(template, values), sep="")


def _fill_file_placeholder(
    name: str, file: TextFile, index: int, cut: FileCut | None, runtime: Runtime | None
) -> Part | Group | None:
    """What a template has in the place of a name; None where it knows no such name."""
    if name == "text":
        return _write_file_text(file, cut)
    if name == "description":
        description, line = _find_file_description(file)
        return Part(description, from_file(file.path, line, pinned=True), name=file.path, single=True)
    if name.startswith(FRONTMATTER_PREFIX):
        return Part(_read_frontmatter_value(file, name.removeprefix(FRONTMATTER_PREFIX)), file.where, single=True)
    word = _write_path_word(name, file, runtime)
    # In a list, as of commands, the name is told of the file itself, as it is of a skill.
    source = file.where if name == "name" and file.said is not None else from_state(f"context_files[{index}].path")
    return None if word is None else Part(word, source, single=True)


def _write_path_word(name: str, file: TextFile, runtime: Runtime | None) -> str | None:
    """A word that the path gives."""
    base = posixpath.basename(file.path)
    match name:
        case "path":
            return file.shown or file.path
        case "relative":
            return _make_relative_path(runtime.cwd if runtime else None, file.path)
        case "nearby":
            return _shorten_nearby_path(runtime.cwd if runtime else None, file.path)
        case "opened":
            cwd = runtime.cwd if runtime else None
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
    """What the frontmatter says under a key, a list with commas."""
    parsed = parse_frontmatter(file.content) if file.content.startswith("---") else None
    field = None if parsed is None or isinstance(parsed, FrontmatterProblem) else parsed.fields.get(key)
    listed = [each for each in field.items if each] if field and field.kind == "list" else [scalar_text(field)]
    return to_one_line(", ".join(listed))


def _make_relative_path(folder: str | None, path: str) -> str:
    """A path as it is called in a folder."""
    return posixpath.relpath(path, folder) if folder else path


def _shorten_nearby_path(folder: str | None, path: str) -> str:
    """A path as it is called in a folder, whole where it lies elsewhere."""
    return path.removeprefix(f"{folder.rstrip('/')}/") if folder else path


def _find_file_description(file: TextFile) -> tuple[str, int]:
    """What the frontmatter says of the file; without it, its first line."""
    if file.said is not None:
        return file.said, file.said_line
    parsed = parse_frontmatter(file.content) if file.content.startswith("---") else None
    if parsed is None or isinstance(parsed, FrontmatterProblem):
        return to_one_line(file.content.partition("\n")[0].lstrip("# ")), file.line
    field = parsed.fields.get("description")
    return to_one_line(scalar_text(field)), (field.line if field else 1) + file.line - 1


def _write_file_text(file: TextFile, cut: FileCut | None) -> Part | Group:
    """The text as it is told: in one piece, or in stretches that each have their own place."""
    if not file.pieces:
        text = file.content if cut is None else file.content[: cut.chars]
        full = "" if cut is None else file.content
        rest = cut.limit.says if cut else ""
        return Part(text, file.where, name=file.path, marks=None if cut else file.marks, whole=full, after=rest)
    remaining = len(file.content) if cut is None else cut.chars
    parts: list[Part | Group | str] = []
    for piece in file.pieces:
        text, remaining = piece.text[:remaining], max(remaining - len(piece.text), 0)
        source = from_file(piece.path, piece.line) if piece.path else None
        parts += [Part(text, source, name=piece.path or file.path)] if text else []
    return Group((*parts, *([cut.limit.says] if cut and cut.limit.says else [])), sep="")


def _report_cut(file: TextFile, cut: FileCut) -> Diagnostic:
    limit, lines = cut.limit, file.line + file.content.count("\n")
    room = f"{limit.most:,} {limit.unit} {'per file' if limit.over == 'file' else 'for all such files together'}"
    notice = "the agent reports it" if limit.says else "the agent does not report it"
    done = f"truncated after line {cut.last_line:,} of {lines:,}" if cut.chars else "skipped"
    return warning("file-cut", f"{done}: over the limit of {room}, and {notice}", file.path, max(cut.last_line, 1))

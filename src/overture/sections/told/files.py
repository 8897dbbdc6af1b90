"""The files of some steps, as an agent is told of them: each in its frame, cut where the agent cuts it."""

import posixpath
from collections.abc import Mapping, Sequence

from ...model.diagnostic import Diagnostic, warning
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.wants.wanted_instructions import Limit
from ...model.source import from_file, from_state
from ...model.state.files import TextFile
from ...model.state.runtime import Runtime
from ...model.struct import Frozen
from ...text.frontmatter import Problem, parse, plain_text
from ...text.normalize import one_line
from .limits import Taken, taken
from .words import filled_with, split

FRONT = "front."
"""`{{ front.KEY }}` is what the frontmatter says under a key."""


class Telling(Frozen, frozen=True):
    """How a section tells of files."""

    steps: tuple[str, ...]
    each: dict[str, str]
    """By step or file name; "" is for all others."""
    between: str = "\n\n"
    turning: str | None = None
    limits: tuple[Limit, ...] = ()
    ranks: dict[str, int] = {}

    elsewhere: tuple[str, ...] = ()
    """Kinds that another section tells."""

    def template(self, file: TextFile) -> str:
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


def told_files(
    telling: Telling, files: Sequence[TextFile], changed: Mapping[str, int], runtime: Runtime | None
) -> Body:
    """The files of the steps, step by step in the order in which they were found, or why there are none."""
    around = {step: _around(telling, files, step) for step in telling.steps}
    cuts = taken(files, telling.limits, changed, around)
    parts: list[Part | Group | str] = []
    notes: list[Diagnostic] = []
    before: str | None = None
    for index in sorted(_meant(telling, files), key=lambda index: telling.rank(files[index])):
        file, cut = files[index], cuts.get(index)
        notes += [_noted(file, cut)] if cut else []
        if cut and not cut.chars:
            continue
        if before is not None:
            turned = telling.turning is not None and before != file.kind
            parts.append(telling.turning if turned and telling.turning is not None else telling.between)
        parts.append(_told(telling.template(file), file, index, cut, runtime))
        before = file.kind
    if not parts:
        return Skip("there are no such files here", tuple(notes))
    return Group(tuple(parts), sep="", notes=tuple(notes))


def _meant(telling: Telling, files: Sequence[TextFile]) -> list[int]:
    return [index for index, file in enumerate(files) if telling.tells(file)]


def _around(telling: Telling, files: Sequence[TextFile], step: str) -> int:
    """The characters of the agent's words around a file of a step, with the path in them."""
    file = next((file for file in files if file.kind == step), None)
    if file is None:
        return 0
    template = telling.template(file)
    return sum(map(len, split(template)[::2])) + len(telling.between) + len(file.path) * ("{{ path }}" in template)


def _told(template: str, file: TextFile, index: int, cut: Taken | None, runtime: Runtime | None) -> Group:
    asked = dict.fromkeys(split(template)[1::2])
    values = {name: value for name in asked if (value := _value(name, file, index, cut, runtime)) is not None}
    return Group(filled_with(template, values), sep="")


def _value(name: str, file: TextFile, index: int, cut: Taken | None, runtime: Runtime | None) -> Part | Group | None:
    """What a template has in the place of a name; None where it knows no such name."""
    if name == "text":
        return _text(file, cut)
    if name == "description":
        said, line = _description(file)
        return Part(said, from_file(file.path, line, pinned=True), name=file.path, single=True)
    if name.startswith(FRONT):
        return Part(_front(file, name.removeprefix(FRONT)), file.where, single=True)
    word = _of_path(name, file, runtime)
    return None if word is None else Part(word, from_state(f"context_files[{index}].path"), single=True)


def _of_path(name: str, file: TextFile, runtime: Runtime | None) -> str | None:
    """A word that the path gives."""
    base = posixpath.basename(file.path)
    match name:
        case "path":
            return file.shown or file.path
        case "relative":
            return _from(runtime.cwd if runtime else None, file.path)
        case "nearby":
            return _nearby(runtime.cwd if runtime else None, file.path)
        case "opened":
            cwd = runtime.cwd if runtime else None
            return f"{posixpath.basename(cwd)}/{_from(cwd, file.path)}" if cwd else file.path
        case "in_project":
            return _from(runtime.project if runtime else None, file.path)
        case "file":
            return base
        case "name":
            return file.called or base.partition(".")[0] or base
        case "folder":
            return posixpath.dirname(file.path)
    return None


def _front(file: TextFile, key: str) -> str:
    """What the frontmatter says under a key, a list with commas."""
    parsed = parse(file.content) if file.content.startswith("---") else None
    field = None if parsed is None or isinstance(parsed, Problem) else parsed.fields.get(key)
    listed = [each for each in field.items if each] if field and field.kind == "list" else [plain_text(field)]
    return one_line(", ".join(listed))


def _from(folder: str | None, path: str) -> str:
    """A path as it is called in a folder."""
    return posixpath.relpath(path, folder) if folder else path


def _nearby(folder: str | None, path: str) -> str:
    """A path as it is called in a folder, whole where it lies elsewhere."""
    return path.removeprefix(f"{folder.rstrip('/')}/") if folder else path


def _description(file: TextFile) -> tuple[str, int]:
    """What the frontmatter says of the file; without it, its first line."""
    if file.said is not None:
        return file.said, file.said_line
    parsed = parse(file.content) if file.content.startswith("---") else None
    if parsed is None or isinstance(parsed, Problem):
        return one_line(file.content.partition("\n")[0].lstrip("# ")), file.line
    field = parsed.fields.get("description")
    return one_line(plain_text(field)), (field.line if field else 1) + file.line - 1


def _text(file: TextFile, cut: Taken | None) -> Part | Group:
    """The text as it is told: in one piece, or in stretches that each have their own place."""
    if not file.pieces:
        text = file.content if cut is None else file.content[: cut.chars]
        whole = "" if cut is None else file.content
        rest = cut.limit.says if cut else ""
        return Part(text, file.where, name=file.path, marks=None if cut else file.marks, whole=whole, after=rest)
    left = len(file.content) if cut is None else cut.chars
    parts: list[Part | Group | str] = []
    for piece in file.pieces:
        text, left = piece.text[:left], max(left - len(piece.text), 0)
        source = from_file(piece.path, piece.line) if piece.path else None
        parts += [Part(text, source, name=piece.path or file.path)] if text else []
    return Group((*parts, *([cut.limit.says] if cut and cut.limit.says else [])), sep="")


def _noted(file: TextFile, cut: Taken) -> Diagnostic:
    limit, lines = cut.limit, file.line + file.content.count("\n")
    room = f"{limit.most:,} {limit.unit} {'a file' if limit.over == 'file' else 'of all such files together'}"
    told = "the agent says so in the text" if limit.says else "the agent says nothing of it"
    done = f"only lines up to {cut.last_line:,} of {lines:,} are read" if cut.chars else "nothing of it is read"
    return warning("file-cut", f"{done}: {room} is the most, and {told}", file.path, max(cut.last_line, 1))

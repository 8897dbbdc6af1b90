"""The files that an agent is told at the start, whole or cut."""

import re
from collections.abc import Iterator

from msgspec import structs

from ...model.recipe.wants.wanted_instructions import Kind
from ...model.state.discovery import Found, Look
from ...sections.told.limits import Taken, taken
from ..report.agent_report import AgentFile, Status
from .not_fixed import not_fixed
from .seen import Seen, known_of, loaded, step_of
from .told_of_files import told_of_files
from .why_read import why_cut, why_loaded

WORDS = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)
KINDS: dict[str, Kind] = {
    "context": "instructions", "rule": "rule", "skill": "skill", "command": "command", "agent": "agent",
    "settings": "settings", "system": "instructions", "append": "instructions",
}  # fmt: skip


def told_files(seen: Seen) -> Iterator[AgentFile]:
    """The files that the agent is told at the start, in its order."""
    told, looks, cuts = told_of_files(seen.prompt), loaded(seen.found), _cuts(seen)
    lines = _told_lines(seen.found)
    arbitrary = not_fixed(seen, looks.values())
    for path in [*(path for path in told if path in looks), *(path for path in looks if path not in told)]:
        tokens, frame = told.get(path, (0, None))
        text = looks[path].what in ("context", "rule")
        file = _file(seen, looks[path], tokens, frame if text else None, cuts.get(path))
        file = structs.replace(file, told_lines=tuple(sorted(lines[path]))) if path in lines else file
        if path in arbitrary:
            file = structs.replace(file, why=f"{file.why}; {arbitrary[path]}", order_fixed=False)
        again = [look.detail for look in _again(seen.found, looks[path]) if look.detail]
        yield structs.replace(file, why=f"{file.why}; told again, {again[0]}") if again else file


def _again(found: Found, first: Look) -> Iterator[Look]:
    """Further times that a file is told, as where another imports it."""
    return (look for look in found.looked_at if look.path == first.path and look.outcome == "loaded" and look != first)


def _told_lines(found: Found) -> dict[str, list[tuple[int, int]]]:
    """The lines that are told of each file; others are replaced by what they import, or stripped."""
    told: dict[str, list[tuple[int, int]]] = {}
    for piece in (piece for file in found.state.context_files for piece in file.stretches if piece.path):
        if words := WORDS.search(piece.text):
            first = piece.line + piece.text.count("\n", 0, words.start())
            told.setdefault(piece.path or "", []).append((first, first + words.group().count("\n")))
    return told


def _cuts(seen: Seen) -> dict[str, Taken]:
    files = seen.found.state.context_files
    cut = taken(files, seen.wants.limits, {})
    return {files[index].path: each for index, each in cut.items()}


def _file(seen: Seen, look: Look, tokens: int, frame: str | None, cut: Taken | None) -> AgentFile:
    kind, step = KINDS.get(look.what, "instructions"), step_of(seen, look.step)
    touched = bool(seen.settled.touching) and look.path not in seen.before
    if cut is None:
        why = why_loaded(look, step, seen.settled.cwd, _root(seen))
        return AgentFile(
            look.path, kind, "loaded", why, tokens, None, None, frame, look.step, known_of(step), None, touched
        )
    file = next(file for file in seen.found.state.context_files if file.path == look.path)
    lines = file.line + file.content.rstrip("\n").count("\n")
    status: Status = "cut" if cut.chars else "unread"
    why = why_cut(_title(seen), cut.limit)
    frame = frame if cut.chars else None
    return AgentFile(
        look.path, kind, status, why, tokens, cut.last_line, lines, frame, look.step, known_of(step), None, touched
    )


def _title(seen: Seen) -> str:
    return seen.settled.recipe.agent.title if seen.settled.recipe.agent else seen.settled.recipe.name


def _root(seen: Seen) -> str | None:
    runtime = seen.found.state.runtime
    return runtime.project if runtime else None

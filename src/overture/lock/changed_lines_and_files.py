"""Finds the lines, files and problems that differ between two builds, each with its source."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Annotated, Literal, NamedTuple

from msgspec import structs

from ..model.diagnostic import Diagnostic
from ..model.source import Source
from ..model.state.discovery import Discovery, Look, Outcome
from ..model.state.reasons import HOW_TO_READ, explain_cause, explain_hidden
from ..model.struct import Frozen, note
from ..report.diff import SourceLine, diff_source_lines
from ..text.path_printer import make_root_printer


class Hunk(Frozen, frozen=True, omit_defaults=False):
    """Lines of one source that differ."""

    source: Annotated[str, note("the file, from the repository's root; else `recipe house`, `state runtime.cwd`, …")]
    before: Annotated[int | None, note("the line of the file where `removed` began")]
    after: Annotated[int | None, note("the line of the file where `added` begins")]
    removed: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def place(self) -> str:
        """`AGENTS.md:3`."""
        line = self.after or self.before
        return f"{self.source}:{line}" if line else self.source


def find_hunks(before: Sequence[SourceLine], after: Sequence[SourceLine], root: str) -> Iterator[Hunk]:
    """What differs, in order."""
    for old, new in diff_source_lines(before, after):
        yield from _pair_runs(_group_runs(old, root), _group_runs(new, root))


class SourceRun(NamedTuple):
    """Neighbouring lines of one source."""

    name: str
    line: int | None
    texts: tuple[str, ...]


def _group_runs(lines: Sequence[SourceLine], root: str) -> list[SourceRun]:
    """The lines by their sources; the recipe's own words around a file's go with that file."""
    names = [_format_source_name(line.source, root) if line.source.kind == "file" else None for line in lines]
    after = _fill_names(names[::-1])[::-1]
    joined = [a or b or _format_source_name(line.source, root) for a, b, line in zip(after, _fill_names(names), lines)]
    runs = []
    for name, rows in groupby(zip(joined, lines), key=lambda row: row[0]):
        own = [line for _, line in rows]
        first = next((line.source.line or 1 for line in own if line.source.kind == "file"), None)
        runs.append(SourceRun(name, first, tuple(line.text for line in own)))
    return runs


def _fill_names(names: Sequence[str | None]) -> list[str | None]:
    """A missing name is the same as the one before it."""
    filled: list[str | None] = []
    for name in names:
        filled.append(name or (filled[-1] if filled else None))
    return filled


def _pair_runs(old: list[SourceRun], new: list[SourceRun]) -> Iterator[Hunk]:
    """Pairs the removed lines of a source with the added ones."""
    rest = list(new)
    for run in old:
        match = next((other for other in rest if other.name == run.name), None)
        if match is not None:
            rest.remove(match)
        yield Hunk(run.name, run.line, match.line if match else None, run.texts, match.texts if match else ())
    yield from (Hunk(run.name, None, run.line, (), run.texts) for run in rest)


def _format_source_name(source: Source, root: str) -> str:
    if source.kind == "file":
        return make_root_printer(root).relative(source.path or "a file")
    return f"{source.kind} {source.name}"


FileCounts = Literal["now", "no longer", "not"]


class FileChange(Frozen, frozen=True, omit_defaults=False):
    """A file with a different outcome in the two revisions."""

    path: Annotated[str, note("from the repository's root, if inside it")]
    what: Annotated[str, note("what it was searched for: context, skill, system, …")]
    counts: Annotated[FileCounts, note("`not`: it was not loaded before and is not now, for another reason")]
    before: Outcome
    after: Outcome
    why: str


class ProblemChanges(Frozen, frozen=True, omit_defaults=False):
    """Problems of only one revision: new ones and resolved ones."""

    new: tuple[Diagnostic, ...] = ()
    gone: tuple[Diagnostic, ...] = ()


def find_changed_files(before: Discovery, after: Discovery, root: str) -> Iterator[FileChange]:
    """The files whose outcome differs, in the order of the search."""
    printer = make_root_printer(root)
    old, new = _index_outcomes(before.looked_at), _index_outcomes(after.looked_at)
    for path, what in dict.fromkeys((*new, *old)):
        absent = Look(path, what, "absent")
        was, now = old.get((path, what), absent), new.get((path, what), absent)
        counts = _find_load_change(was, now)
        if counts is not None:
            why = printer.relative_within(_explain_outcome(was, now))
            yield FileChange(printer.relative(path), what, counts, was.outcome, now.outcome, why)


def _index_outcomes(looks: Iterable[Look]) -> dict[tuple[str, str], Look]:
    """What a build did with each file, to compare it. A path that was looked at twice counts if it was loaded once."""
    by_path: dict[tuple[str, str], Look] = {}
    for look in looks:
        key = look.path, look.what
        if key not in by_path or by_path[key].outcome != "loaded":
            by_path[key] = look
    return by_path


def _find_load_change(was: Look, now: Look) -> FileCounts | None:
    """Whether a file is loaded now, no longer, or not for a new reason; None if nothing changed."""
    if (was.outcome == "loaded") != (now.outcome == "loaded"):
        return "now" if now.outcome == "loaded" else "no longer"
    is_new = now.outcome not in ("loaded", "absent") and (was.outcome, was.reason) != (now.outcome, now.reason)
    return "not" if is_new else None


def _explain_outcome(was: Look, now: Look) -> str:
    if now.outcome == "loaded":
        return "it is new" if was.outcome == "absent" else f"it was {_describe_outcome(was)}"
    if now.outcome == "absent":
        return "the file was removed"
    if now.outcome == "outside" and was.outcome == "absent":
        return f"it is imported now: {explain_cause(now.reason)}"
    return f"it is new, and {_describe_outcome(now)}" if was.outcome == "absent" else _describe_outcome(now)


def _describe_outcome(look: Look) -> str:
    if look.outcome == "cleared":
        return "empty"
    if look.outcome == "hidden":
        return explain_hidden(look.reason)
    return f"{look.outcome}: {explain_cause(look.reason)}"


def find_changed_problems(before: Iterable[Diagnostic], after: Iterable[Diagnostic], root: str) -> ProblemChanges:
    """The problems of one side alone. A problem whose line moved is the same."""
    old, new = ([_make_problem_relative(each, root) for each in side] for side in (before, after))
    return ProblemChanges(tuple(_list_new_diagnostics(new, old)), tuple(_list_new_diagnostics(old, new)))


def _list_new_diagnostics(some: list[Diagnostic], others: list[Diagnostic]) -> Iterator[Diagnostic]:
    """The problems of one build that the other does not have."""
    remaining = Counter(structs.replace(each, line=None) for each in others)
    for each in some:
        key = structs.replace(each, line=None)
        remaining[key] -= 1
        if remaining[key] < 0:
            yield each


def _make_problem_relative(problem: Diagnostic, root: str) -> Diagnostic:
    printer = make_root_printer(root)
    path = None if problem.path is None else printer.relative(problem.path)
    # Revisions are read from git alone: no option has a file outside read there.
    message = problem.message.removesuffix(f"; {HOW_TO_READ}")
    return structs.replace(problem, message=printer.relative_within(message), path=path)

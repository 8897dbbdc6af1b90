"""`why` explains whether one file is in the prompt of a recipe, by the record of the discovery."""

from collections.abc import Iterable, Iterator
from typing import Annotated

from ..model.diagnostic import Diagnostic
from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Discovery, Look
from ..model.state.reasons import explain_hidden
from ..model.struct import Frozen, note
from ..text.words import count_noun

OUTCOMES_BEST_FIRST = (
    "loaded",
    "cleared",
    "duplicate",
    "waiting",
    "skipped",
    "unreadable",
    "outside",
    "hidden",
    "unread",
)
"""Possible outcomes of a path that was looked at, from the best to the worst."""
ONLY_FIRST = {
    "context": ", because only the first of a folder is read.",
    "skill": ", a skill of the same name. Rename one of them.",
    **dict.fromkeys(("system", "append", "memories"), ", because only one is read."),
}
"""Why a file is hidden by another, by what was searched for."""


class PathStatus(Frozen, frozen=True, omit_defaults=False):
    """Whether one path is loaded, and why."""

    path: str
    outcome: str
    said: Annotated[str, note("the answer in a sentence")]
    chars: Annotated[int, note("characters of the prompt that come from it")] = 0
    cause: Annotated[str, note("why it is not in the prompt; empty: it is, or there is no such file")] = ""
    similar: Annotated[str, note("a path like one that does not exist")] = ""


class PromptIndex:
    """The files of a prompt by path, computed once for any number of queries."""

    def __init__(self, prompt: Prompt) -> None:
        """Index a prompt's files, and those that a budget cut."""
        self.places = _index_file_places(prompt)
        self.whole = _index_file_places(prompt.fitted.whole) if prompt.fitted else {}
        self.problems: dict[str, list[Diagnostic]] = {}
        for problem in prompt.diagnostics:
            self.problems.setdefault(problem.path or "", []).append(problem)


def _index_file_places(prompt: Prompt) -> dict[str, tuple[int, int]]:
    """For each file, the number of its characters in the prompt, and the position of the first."""
    places: dict[str, tuple[int, int]] = {}
    for span in prompt.spans:
        if span.source.kind == "file" and span.source.path is not None:
            chars, start = places.get(span.source.path, (0, span.start))
            places[span.source.path] = chars + span.end - span.start, start
    return places


def best_look(looks: Iterable[Look], path: str) -> Look | None:
    """The best `Look` at a path; one where nothing is was not looked at."""
    matching = [look for look in looks if look.path == path and look.outcome in OUTCOMES_BEST_FIRST]
    return min(matching, key=lambda look: OUTCOMES_BEST_FIRST.index(look.outcome), default=None)


def why(name: str, path: str, prompt: Prompt, discovery: Discovery) -> tuple[PathStatus, ...]:
    """Whether a file is loaded, and why. `name` is as typed, `path` is absolute.

    A bare name means every file or skill of that name that was looked at; absent ones only if none exists.
    """
    looks = list(dict.fromkeys(look.path for look in discovery.looked_at if look.outcome not in ("absent", "off")))
    named = () if name.startswith((".", "/", "~")) else (f"/{name}", f"/{name}/SKILL.md")
    paths = [each for each in looks if each in (path, f"{path}/SKILL.md")]
    paths = paths or [each for each in looks if named and each.endswith(named)]
    known = PromptIndex(prompt)
    if paths:
        found = ((each, best_look(discovery.looked_at, each)) for each in paths)
        return tuple(explain_look(look or Look(each, "recipe", "loaded"), known) for each, look in found)
    absent = [
        look
        for look in discovery.looked_at
        if look.outcome == "absent" and (look.path == path or look.path.endswith(named or "\0"))
    ]
    if absent:
        folders = f" in {len(absent)} folders" if absent[1:] else ""
        return (PathStatus(path, "absent", f"looked for{folders}, not found."),)
    return (explain_unlooked(path, prompt, discovery),)


def explain_unlooked(path: str, prompt: Prompt, discovery: Discovery) -> PathStatus:
    """The answer for a path that the recipe never looked for, with the names that it does look for."""
    off = [f" {look.path}: {look.detail}." for look in discovery.looked_at if look.outcome == "off"]
    met = (look for look in discovery.looked_at if look.what == "context" and look.outcome not in ("off", "unread"))
    names = dict.fromkeys(look.path.rpartition("/")[2] for look in met)
    reads = f" Its instruction files are {', '.join(names)}, from the root down to --cwd." if names else ""
    cause = f"the recipe {prompt.recipe.name} does not look for it.{reads}{''.join(off)}"
    return PathStatus(path, "never looked for", f"not read: {cause}", cause=cause)


def list_path_statuses(looks: Iterable[Look], prompt: Prompt) -> Iterator[PathStatus]:
    """The status of each path that was looked at, from the record alone."""
    known = PromptIndex(prompt)
    return (explain_look(look, known) for look in looks)


def explain_look(look: Look, known: PromptIndex) -> PathStatus:
    """The status of a path that was looked at."""
    chars, start = known.places.get(look.path, (0, 0))
    outside = " It is outside the repository." if look.outside and look.outcome != "outside" else ""
    match look.outcome:
        case "loaded":
            problems = known.problems.get(look.path, [])
            where = f"line {problems[0].line}: " if problems and problems[0].line else ""
            more = f", and {len(problems) - 1} more" if problems[1:] else ""
            problem = f" Problem: {where}{problems[0].message}{more}." if problems else ""
            said = _describe_place(look, known, chars, start)
            return PathStatus(look.path, look.outcome, said + outside + problem, chars)
        case "hidden":
            cause = (
                f"{explain_hidden(look.reason)}{'.' if look.reason.kind else ONLY_FIRST.get(look.what, '.')}{outside}"
            )
            return PathStatus(look.path, look.outcome, f"not used: {cause}", chars, cause)
        case "duplicate":
            return PathStatus(look.path, look.outcome, f"in the prompt already: {look.detail}.{outside}", chars)
        case "cleared":
            return PathStatus(look.path, look.outcome, f"loaded, but empty.{outside}", chars)
        case "absent":
            return PathStatus(look.path, look.outcome, "looked for, not found.", chars)
    cause = f"{look.detail}.{outside}"
    return PathStatus(look.path, look.outcome, f"not used: {cause}", chars, cause)


def _describe_place(look: Look, known: PromptIndex, chars: int, start: int) -> str:
    """Where a loaded file is in the prompt, and what a budget cut of it."""
    cut = known.whole.get(look.path, (0, 0))[0] - chars
    if cut > 0 and not chars:
        return f"loaded, but dropped to fit the budget: {count_noun(cut, 'character')}, see `overture explain`."
    if chars:
        dropped = f"; {cut:,} more {'is' if cut == 1 else 'are'} dropped to fit the budget" if cut > 0 else ""
        return f"in the prompt: {count_noun(chars, 'character')}, from character {start:,} on{dropped}."
    return f"loaded, but not in the prompt: {look.detail or 'its section was skipped: see `overture explain`'}."

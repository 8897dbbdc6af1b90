"""`why` explains whether one file is loaded: `why was my CLAUDE.md not used?`."""

from collections.abc import Iterable, Iterator
from typing import Annotated

from msgspec.structs import replace

from ..model.diagnostic import Diagnostic
from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Discovery, Look, PathFacts, best_look
from ..model.struct import Frozen, note
from ..text.words import count_noun
from .why_not_loaded import (
    PathAnswer,
    advise_on,
    describe_rest,
    explain_absence,
    explain_look,
    explain_no_look,
    path_outcome,
)

FilePlaces = dict[str, tuple[int, int]]
PURPOSES = {"hidden": "To read both", "outside": "To follow it"}
"""The purpose of a setting, by the outcome that it would change."""


class PathStatus(Frozen, frozen=True, omit_defaults=False):
    """Whether one path is loaded, and why."""

    path: str
    outcome: str
    said: Annotated[str, note("the answer in a sentence")]
    chars: Annotated[int, note("characters of the prompt that come from it")] = 0
    settings: Annotated[tuple[str, ...], note("lines for overture.toml that would load it")] = ()
    where: Annotated[str, note("where these lines take effect, e.g. `in overture.toml`")] = ""
    rest: Annotated[str, note("what would still be wrong with these lines")] = ""
    cause: Annotated[str, note("why it is not in the prompt; empty: it is, or there is no such file")] = ""
    similar: Annotated[str, note("a path like one that does not exist")] = ""


Fate = PathStatus
"""The public name of 0.1, in `overture.__all__`."""


def why(
    name: str, path: str, prompt: Prompt, discovery: Discovery, facts: tuple[PathFacts, ...] = ()
) -> tuple[PathStatus, ...]:
    """Whether a file is loaded, and why. `name` is as typed, `path` is absolute, `facts` describe what exists there.

    Without `facts`, only the record of discovery is used. A bare name then means every file, folder or skill of that
    name; absent ones only if none exists.
    """
    known = PromptIndex(prompt)
    if facts:
        return tuple(_explain_path(each, prompt, known, discovery) for each in facts)
    looks = [look for look in discovery.looked_at if look.path == path and look.outcome != "absent"]
    if not looks and not name.startswith((".", "/")):
        looks = [look for look in discovery.looked_at if _has_name(look.path, name)]
        looks = [look for look in looks if look.outcome != "absent"] or looks
    looks = looks or [look for look in discovery.looked_at if look.path == path]
    if not looks:
        return (PathStatus(path, "never looked for", explain_no_look(prompt, discovery)),)
    return tuple(_make_path_status(look, known) for look in looks)


def list_path_statuses(looks: Iterable[Look], prompt: Prompt) -> Iterator[PathStatus]:
    """The status of each path that was looked at, from the record alone."""
    known = PromptIndex(prompt)
    return (_make_path_status(look, known) for look in looks)


def _explain_path(facts: PathFacts, prompt: Prompt, known: "PromptIndex", discovery: Discovery) -> PathStatus:
    """The status of a path whose facts are known."""
    path = facts.same or facts.path
    look = best_look(discovery.looked_at, path)
    if look is None and path in known.places:
        look = Look(path, "recipe", "loaded")
    if look is None:
        absent = [each for each in discovery.looked_at if each.outcome == "absent" and _matches_request(each, facts)]
        answer = explain_absence(facts, prompt, discovery, absent)
        status = PathStatus(
            facts.path, path_outcome(facts, absent), answer.sentence, cause=answer.cause, similar=facts.near
        )
    else:
        status = _make_path_status(look, known, facts)
    settings = facts.help
    lines, where, rest = (settings.lines, settings.where, describe_rest(settings)) if settings else ((), "", "")
    sentence, cause = status.said, status.cause
    if facts.same:
        named = f"the same file as {facts.same}, which is " if sentence.startswith("in ") else f"{facts.same}: "
        sentence, cause = named + sentence, ""
    return replace(status, path=facts.path, said=sentence, settings=lines, where=where, rest=rest, cause=cause)


def _matches_request(look: Look, facts: PathFacts) -> bool:
    """Whether `why` was asked about the path of this look."""
    bare = not facts.name.startswith((".", "/", "~"))
    return look.path == facts.path or (bare and _has_name(look.path, facts.name))


def _has_name(path: str, name: str) -> bool:
    return path.endswith((f"/{name}", f"/{name}/SKILL.md"))


class PromptIndex:
    """The files of a prompt by path, computed once for any number of queries."""

    def __init__(self, prompt: Prompt) -> None:
        """Index a prompt's files, and those that a budget cut, to explain why each is loaded or not."""
        self.places = _index_file_places(prompt)
        self.whole = _index_file_places(prompt.fitted.whole) if prompt.fitted else None
        self.problems: dict[str, list[Diagnostic]] = {}
        for problem in prompt.diagnostics:
            self.problems.setdefault(problem.path or "", []).append(problem)


def _make_path_status(look: Look, known: PromptIndex, facts: PathFacts | None = None) -> PathStatus:
    """The status of a path that was looked at, in a sentence."""
    chars, start = known.places.get(look.path, (0, 0))
    cut = _describe_cut(look, known.whole, chars, start)
    answer = PathAnswer(cut) if cut else explain_look(look, chars, start, facts)
    outside = " It is outside the repository." if look.outside and look.outcome != "outside" else ""
    advice = advise_on(facts, PURPOSES[look.outcome]) if look.outcome in PURPOSES else ""
    sentence = answer.sentence + outside + advice + _describe_problem(look, known)
    return PathStatus(look.path, look.outcome, sentence, chars, cause=answer.cause and answer.cause + outside)


def _describe_problem(look: Look, known: PromptIndex) -> str:
    """The problem of a file that is loaded anyway."""
    problems = known.problems.get(look.path, [])
    if look.outcome != "loaded" or not problems:
        return ""
    where = f"line {problems[0].line}: " if problems[0].line else ""
    more = f", and {len(problems) - 1} more" if problems[1:] else ""
    return f" Problem: {where}{problems[0].message}{more}."


def _index_file_places(prompt: Prompt) -> FilePlaces:
    """For `why`: for each file, the number of its characters in the prompt, and the position of the first."""
    places: FilePlaces = {}
    for span in prompt.spans:
        if span.source.kind == "file" and span.source.path is not None:
            chars, start = places.get(span.source.path, (0, span.start))
            places[span.source.path] = chars + span.end - span.start, start
    return places


def _describe_cut(look: Look, lengths: FilePlaces | None, chars: int, start: int) -> str | None:
    """What a budget did to a file that would be in the prompt."""
    if lengths is None or look.outcome != "loaded":
        return None
    length = lengths.get(look.path, (0, 0))[0]
    if chars >= length:
        return None
    if not chars:
        return f"loaded, but dropped to fit the budget: {count_noun(length, 'character')}, see `overture explain`."
    cut = f"{length - chars:,} more {'is' if length - chars == 1 else 'are'} dropped to fit the budget"
    return f"in the prompt: {count_noun(chars, 'character')}, from character {start:,} on; {cut}."

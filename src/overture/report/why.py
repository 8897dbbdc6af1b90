"""`why` explains whether one file is loaded, or why not and which setting would change that."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, NamedTuple

from msgspec.structs import replace

from ..model.diagnostic import Diagnostic
from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Discovery, Look, PathFacts, best_look
from ..model.state.reasons import explain_hidden
from ..model.struct import Frozen, note
from ..text.words import count_noun, join_words

MAX_LISTED_NAMES = 6
"""How many names are listed; the others are counted."""
NOT_READ, NOT_USED, NOT_IN_PROMPT = "not read", "not used", "not in the prompt"
ROLES = {
    "recipe": ("", "the recipe itself: it defines the prompt."),
    "settings": ("", "Overture settings, not instructions: they apply here."),
    "no settings": (NOT_READ, "it has no [tool.overture] table and is not an instruction file."),
    "tools": ("", "read for the agent's tools, because of `tools` in {of}."),
    "models": ("", "read for limits and prices of models, because of `models` in {of}."),
    "template": (NOT_IN_PROMPT, "it is a template that a session sends for the message /{of}."),
    "extension": (NOT_IN_PROMPT, "it is an extension that a session runs."),
    "part": (NOT_IN_PROMPT, "it belongs to the skill {of}; the agent reads it when it uses that skill."),
    "miscased": (NOT_READ, "the name must be {of}, and case matters. Rename it."),
}
"""The answer for a file by its role, whatever else is known: its status, and the cause."""
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
    settings: Annotated[tuple[str, ...], note("lines for overture.toml that would load it")] = ()
    where: Annotated[str, note("where these lines take effect, e.g. `in overture.toml`")] = ""
    rest: Annotated[str, note("what would still be wrong with these lines")] = ""
    cause: Annotated[str, note("why it is not in the prompt; empty: it is, or there is no such file")] = ""
    similar: Annotated[str, note("a path like one that does not exist")] = ""


class Answer(NamedTuple):
    """The answer for a path: with a status, `text` is the cause of its absence; without one, the whole answer."""

    text: str
    status: str = ""
    advice: str = ""

    @property
    def sentence(self) -> str:
        """The whole, such as `not read: it is not a regular file.`."""
        return f"{self.status}: {self.text}{self.advice}" if self.status else self.text + self.advice

    @property
    def cause(self) -> str:
        """Why a path is not in the prompt, without the settings that would change that."""
        return self.text if self.status else ""


class PromptIndex:
    """The files of a prompt by path, computed once for any number of queries."""

    def __init__(self, prompt: Prompt) -> None:
        """Index a prompt's files, and those that a budget cut."""
        self.places = _index_file_places(prompt)
        self.whole = _index_file_places(prompt.fitted.whole) if prompt.fitted else None
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
        return (PathStatus(path, "never looked for", _explain_no_look(prompt, discovery)),)
    return tuple(_explain_look(look, known) for look in looks)


def list_path_statuses(looks: Iterable[Look], prompt: Prompt) -> Iterator[PathStatus]:
    """The status of each path that was looked at, from the record alone."""
    known = PromptIndex(prompt)
    return (_explain_look(look, known) for look in looks)


def _has_name(path: str, name: str) -> bool:
    return path.endswith((f"/{name}", f"/{name}/SKILL.md"))


def _explain_no_look(prompt: Prompt, discovery: Discovery) -> str:
    """The answer for a path that the recipe never looked for, with the names that it does look for."""
    off = [f" {look.path} {look.detail}." for look in discovery.looked_at if look.outcome == "off"]
    names = dict.fromkeys(
        look.path.rpartition("/")[2]
        for look in discovery.looked_at
        if look.what == "context" and look.outcome not in ("off", "unread")
    )
    reads = f" Its project files are {', '.join(names)}, from the root down to --cwd." if names else ""
    return f"recipe {prompt.recipe.name} never looked for it.{reads}{''.join(off)}"


def _explain_path(facts: PathFacts, prompt: Prompt, known: PromptIndex, discovery: Discovery) -> PathStatus:
    """The status of a path whose facts are known."""
    path = facts.same or facts.path
    look = best_look(discovery.looked_at, path)
    if look is None and path in known.places:
        look = Look(path, "recipe", "loaded")
    if look is not None:
        status = _explain_look(look, known, facts)
    else:
        bare = not facts.name.startswith((".", "/", "~"))
        absent = sum(
            each.outcome == "absent" and (each.path == facts.path or (bare and _has_name(each.path, facts.name)))
            for each in discovery.looked_at
        )
        answer = _explain_absence(facts, prompt, discovery, absent)
        outcome = _name_outcome(facts, absent)
        status = PathStatus(path, outcome, answer.sentence, cause=answer.cause, similar=facts.near)
    sentence, cause = status.said, status.cause
    if facts.same:
        named = f"the same file as {facts.same}, which is " if sentence.startswith("in ") else f"{facts.same}: "
        sentence, cause = named + sentence, ""
    status = replace(status, path=facts.path, said=sentence, cause=cause)
    if facts.help is None:
        return status
    return replace(status, settings=facts.help.lines, where=facts.help.where, rest=_describe_rest(facts))


def _explain_look(look: Look, known: PromptIndex, facts: PathFacts | None = None) -> PathStatus:
    """The status of a path that was looked at."""
    chars, start = known.places.get(look.path, (0, 0))
    answer = _answer_look(look, known, chars, start)
    outside = " It is outside the repository." if look.outside and look.outcome != "outside" else ""
    advice = _advise(facts, "To read both") if look.outcome == "hidden" else ""
    problem = ""
    if look.outcome == "loaded" and (problems := known.problems.get(look.path)):
        where = f"line {problems[0].line}: " if problems[0].line else ""
        more = f", and {len(problems) - 1} more" if problems[1:] else ""
        problem = f" Problem: {where}{problems[0].message}{more}."
    cause = answer.cause and answer.cause + outside
    return PathStatus(look.path, look.outcome, answer.sentence + outside + advice + problem, chars, cause=cause)


def _answer_look(look: Look, known: PromptIndex, chars: int, start: int) -> Answer:
    match look.outcome:
        case "loaded":
            return Answer(_describe_place(look, known, chars, start))
        case "hidden":
            return Answer(_describe_hidden(look), NOT_USED)
        case "duplicate":
            return Answer(f"in the prompt already: {look.detail}.")
        case "cleared":
            return Answer("loaded, but empty.")
        case "absent":
            return Answer("looked for, not found.")
    return Answer(f"{look.detail}.", NOT_USED)


def _describe_place(look: Look, known: PromptIndex, chars: int, start: int) -> str:
    """Where a loaded file is in the prompt, and what a budget cut of it."""
    cut = (known.whole or {}).get(look.path, (0, 0))[0] - chars
    if cut > 0 and not chars:
        return f"loaded, but dropped to fit the budget: {count_noun(cut, 'character')}, see `overture explain`."
    if chars:
        dropped = f"; {cut:,} more {'is' if cut == 1 else 'are'} dropped to fit the budget" if cut > 0 else ""
        return f"in the prompt: {count_noun(chars, 'character')}, from character {start:,} on{dropped}."
    if look.what == "recipe":
        return ROLES["recipe"][1]
    return f"loaded, but not in the prompt: {look.detail or 'its section was skipped: see `overture explain`'}."


def _describe_hidden(look: Look) -> str:
    return f"{explain_hidden(look.reason)}{'.' if look.reason.kind else ONLY_FIRST.get(look.what, '.')}"


def _name_outcome(facts: PathFacts, absent: int) -> str:
    """The outcome of a path that is not in the record, in a word or two."""
    if facts.kind == "missing":
        return "absent" if absent else "missing"
    if facts.kind == "folder":
        return "folder"
    if facts.nested is not None and facts.help is None:
        return "nested"
    if facts.role in ("skill", "foreign", "text"):
        return "unread"
    return "never looked for" if facts.role == "plain" else facts.role


def _explain_absence(facts: PathFacts, prompt: Prompt, discovery: Discovery, absent: int) -> Answer:
    """Why a path that is not in the record is not loaded; `absent` is in how many folders it was looked for."""
    match facts.kind:
        case "missing":
            return _explain_missing(facts, absent)
        case "folder":
            return _explain_folder(facts, discovery)
        case "nothing":
            return Answer(f"{facts.missing or 'it is a broken symlink'}.", NOT_READ)
        case "other":
            return Answer("it is not a regular file.", NOT_READ)
    if facts.role in ROLES:
        status, cause = ROLES[facts.role]
        return Answer(cause.format(of=facts.of), status)
    if facts.role == "far settings":
        applies = f"{facts.of} is nearer" if facts.of else f"they apply in {facts.path.rpartition('/')[0]} and below"
        return Answer(f"Overture settings that do not apply here: {applies}.")
    if facts.role == "skill":
        return _explain_skill(facts, prompt)
    return _explain_nested(facts, facts.nested) if facts.nested is not None else _explain_unread(facts, prompt)


def _explain_missing(facts: PathFacts, absent: int) -> Answer:
    if absent:
        folders = f" in {absent} folders" if absent > 1 else ""
        return Answer(f"looked for{folders}, not found.")
    suggestion = f" Did you mean {facts.near}?" if facts.near else ""
    if facts.missing:
        return Answer(f"no such file: {facts.missing}.{suggestion}")
    is_skill = bool(facts.near) and "/" not in facts.name and "/" not in facts.near
    return Answer(f"no such file{', and no skill of that name' * is_skill}.{suggestion}")


def _explain_folder(facts: PathFacts, discovery: Discovery) -> Answer:
    """What is loaded from a folder, and what is not."""
    top = (facts.same or facts.path).rstrip("/") + "/"
    if facts.skills and facts.help:
        skills = count_noun(facts.skills, "skill")
        return Answer(f"a folder with {skills}, which is not searched.{_advise(facts, 'To read them')}")
    looks = [look for look in discovery.looked_at if look.path.startswith(top) and look.outcome != "absent"]
    read = [look.path.removeprefix(top) for look in looks if look.outcome == "loaded"]
    skipped = [look.path.removeprefix(top) for look in looks if look.outcome not in ("loaded", "unread")]
    unread = list(dict.fromkeys([*skipped, *(name for name in facts.unread if name not in read)]))
    first = " at first" if facts.delivered else ""
    text = f"a folder. Read from it: {_join_names(read)}." if read else f"a folder; nothing in it is read{first}."
    if facts.delivered:
        text += f" A session adds {_join_names(facts.delivered)} when a tool touches a file there."
    return Answer(text + (f" Not read: {_join_names(unread)}." if unread else ""))


def _explain_skill(facts: PathFacts, prompt: Prompt) -> Answer:
    folder = (facts.same or facts.path).removesuffix("/SKILL.md").rpartition("/")[0]
    if facts.off:
        return Answer(f"{facts.off} is false.", NOT_READ, _advise(facts, "To read it"))
    if facts.help is None:
        return Answer(f"it is a skill, and the recipe {prompt.recipe.name} has none.", NOT_READ)
    purpose = f"To read the {count_noun(facts.skills, 'skill')} there" if facts.skills > 1 else "To read it"
    return Answer(f"it is a skill, and {folder} is not searched.", NOT_READ, _advise(facts, purpose))


def _explain_nested(facts: PathFacts, nested: Look) -> Answer:
    """Why a file below the working directory is not in the prompt; `nested` is what a session does with it."""
    below = "it is below the working directory"
    near = f"when a tool touches a file in {(facts.same or facts.path).rpartition('/')[0]}"
    if nested.outcome == "hidden":
        return Answer(_describe_hidden(nested), NOT_USED, _advise(facts, "To read both"))
    if nested.outcome == "cleared":
        return Answer(f"{below}, and it is empty.")
    if nested.outcome != "loaded":
        return Answer(f"{nested.detail}.", NOT_USED)
    if facts.help is not None:
        return Answer(f"{below}.", NOT_READ, _advise(facts, f"To load it {near}"))
    return Answer(f"{NOT_IN_PROMPT} at first: {below}, and a session adds it {near}.")


def _explain_unread(facts: PathFacts, prompt: Prompt) -> Answer:
    """Why a file that exists is not loaded: no step looks for it there."""
    advice = ""
    if not facts.names:
        cause = f"the recipe {prompt.recipe.name} reads no instruction files. Others do, such as house."
    elif facts.off:
        cause, advice = f"{facts.off} is false.", _advise(facts, "To read it")
    elif facts.root:
        cause = f"it is above the searched folders. To read it, pass --root {facts.root}."
    elif facts.cwd:
        cause = f"it is outside the searched folders. To read it, pass --cwd {facts.cwd}."
    elif facts.role == "plain":
        names = f"Those are {_join_names(facts.names)}, and SKILL.md of skills"
        cause = f"it is not an instruction file. {names}; the agent reads other files with its tools."
    else:
        whose = f"it is a file for {facts.of}, and " if facts.of and facts.role == "foreign" else ""
        cause = f"{whose}instruction files here are {_join_names(facts.names)}."
        advice = _advise(facts, "To read it too")
    return Answer(cause, NOT_READ, advice)


def _advise(facts: PathFacts | None, purpose: str) -> str:
    """The settings that help, and what would still be wrong with them."""
    if facts is None or facts.help is None:
        return ""
    rest = _describe_rest(facts)
    return f" {purpose}, set {' and '.join(facts.help.lines)} {facts.help.where}.{f' {rest}' if rest else ''}"


def _describe_rest(facts: PathFacts) -> str:
    """What would still be wrong with a path under the settings that help."""
    if facts.help is None or facts.help.look.outcome == "loaded":
        return ""
    then = facts.help.look
    return "But it is empty." if then.outcome == "cleared" else f"But then: {then.detail}."


def _join_names(names: Sequence[str]) -> str:
    """`a, b and c`; the last of many are counted."""
    rest = len(names) - MAX_LISTED_NAMES + 1
    return join_words(names if rest < 2 else [*names[: MAX_LISTED_NAMES - 1], f"{rest} more"])

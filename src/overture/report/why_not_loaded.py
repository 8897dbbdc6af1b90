"""The answer for a path: whether it is loaded, or why not and which setting would change that."""

from collections.abc import Sequence
from typing import NamedTuple

from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Discovery, Look, PathFacts, SettingsHint
from ..text.words import count_noun, join_words

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
MAX_LISTED_NAMES = 6
"""How many names are listed; the others are counted."""


class PathAnswer(NamedTuple):
    """The answer for a path."""

    sentence: str
    cause: str = ""
    """Why a path is not in the prompt, without the settings that would change that."""


def make_absence(status: str, cause: str, advice: str = "") -> PathAnswer:
    """`not read: it is not a regular file.`; without a status, the sentence alone."""
    return PathAnswer(f"{status}: {cause}{advice}", cause) if status else PathAnswer(cause + advice)


def path_outcome(facts: PathFacts, absent: Sequence[Look]) -> str:
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


def explain_absence(facts: PathFacts, prompt: Prompt, discovery: Discovery, absent: Sequence[Look]) -> PathAnswer:
    """Why a path is not loaded, if it is not in the record."""
    match facts.kind:
        case "missing":
            return PathAnswer(_describe_missing(facts, absent))
        case "folder":
            return PathAnswer(_describe_folder(facts, discovery))
        case "nothing":
            return make_absence(NOT_READ, f"{facts.missing or 'it is a broken symlink'}.")
        case "other":
            return make_absence(NOT_READ, "it is not a regular file.")
    if facts.role in ROLES:
        status, cause = ROLES[facts.role]
        return make_absence(status, cause.format(of=facts.of))
    if facts.role == "far settings":
        counts = f"{facts.of} is nearer" if facts.of else f"they apply in {facts.path.rpartition('/')[0]} and below"
        return PathAnswer(f"Overture settings that do not apply here: {counts}.")
    if facts.role == "skill":
        return _explain_skill(facts, prompt)
    return _explain_nested(facts) if facts.nested is not None else _explain_unread(facts, prompt)


def _describe_missing(facts: PathFacts, absent: Sequence[Look]) -> str:
    """Why nothing is loaded from a path that does not exist."""
    bare = "/" not in facts.name
    if len(absent) > 1:
        return f"looked for in {len(absent)} folders, not found."
    if absent:
        return "looked for, not found."
    suggestion = f" Did you mean {facts.near}?" if facts.near else ""
    if facts.missing:
        return f"no such file: {facts.missing}.{suggestion}"
    is_skill = bare and bool(facts.near) and "/" not in facts.near
    return f"no such file{', and no skill of that name' * is_skill}.{suggestion}"


def _describe_folder(facts: PathFacts, discovery: Discovery) -> str:
    """What is loaded from a folder, and what is not."""
    top = (facts.same or facts.path).rstrip("/") + "/"
    if facts.skills and facts.help:
        skills = count_noun(facts.skills, "skill")
        return f"a folder with {skills}, which is not searched.{advise_on(facts, 'To read them')}"
    looks = [look for look in discovery.looked_at if look.path.startswith(top) and look.outcome != "absent"]
    read = [look.path.removeprefix(top) for look in looks if look.outcome == "loaded"]
    skipped = [look.path.removeprefix(top) for look in looks if look.outcome not in ("loaded", "unread")]
    unread = list(dict.fromkeys([*skipped, *(name for name in facts.unread if name not in read)]))
    first = "" if not facts.delivered else " at first"
    message = f"a folder. Read from it: {join_names(read)}." if read else f"a folder; nothing in it is read{first}."
    if facts.delivered:
        message += f" A session adds {join_names(facts.delivered)} when a tool touches a file there."
    return message + (f" Not read: {join_names(unread)}." if unread else "")


def _explain_skill(facts: PathFacts, prompt: Prompt) -> PathAnswer:
    folder = (facts.same or facts.path).removesuffix("/SKILL.md").rpartition("/")[0]
    if facts.off:
        return make_absence(NOT_READ, f"{facts.off} is false.", advise_on(facts, "To read it"))
    if facts.help is None:
        return make_absence(NOT_READ, f"it is a skill, and the recipe {prompt.recipe.name} has none.")
    if "features.links.allow" in facts.help.lines[-1]:
        return make_absence(NOT_READ, f"{folder} leads out of the project.", advise_on(facts, "To follow it"))
    purpose = f"To read the {count_noun(facts.skills, 'skill')} there" if facts.skills > 1 else "To read it"
    return make_absence(NOT_READ, f"it is a skill, and {folder} is not searched.", advise_on(facts, purpose))


def _explain_nested(facts: PathFacts) -> PathAnswer:
    below = "it is below the working directory"
    folder = (facts.same or facts.path).rpartition("/")[0]
    assert facts.nested is not None
    if facts.nested.outcome == "hidden":
        hidden = f"hidden {facts.nested.detail}{why_hidden(facts.nested)}"
        return make_absence(NOT_USED, hidden, advise_on(facts, "To read both"))
    if facts.nested.outcome == "cleared":
        return PathAnswer(f"{below}, and it is empty.")
    if facts.nested.outcome != "loaded":
        return make_absence(NOT_USED, f"{facts.nested.detail}.")
    if facts.help is not None:
        purpose = f"To load it when a tool touches a file in {folder}"
        return make_absence(NOT_READ, f"{below}.", advise_on(facts, purpose))
    return PathAnswer(
        f"{NOT_IN_PROMPT} at first: {below}, and a session adds it when a tool touches a file in {folder}."
    )


def _explain_unread(facts: PathFacts, prompt: Prompt) -> PathAnswer:
    """Why a file that exists is not loaded: no step looks for it there."""
    if not facts.names:
        cause = f"the recipe {prompt.recipe.name} reads no instruction files. Others do, such as house."
        return make_absence(NOT_READ, cause)
    if facts.off:
        return make_absence(NOT_READ, f"{facts.off} is false.", advise_on(facts, "To read it"))
    if facts.root:
        return make_absence(NOT_READ, f"it is above the searched folders. To read it, pass --root {facts.root}.")
    if facts.cwd:
        return make_absence(NOT_READ, f"it is outside the searched folders. To read it, pass --cwd {facts.cwd}.")
    if facts.role == "plain":
        names = f"Those are {join_names(facts.names)}, and SKILL.md of skills"
        others = "the agent reads other files with its tools"
        return make_absence(NOT_READ, f"it is not an instruction file. {names}; {others}.")
    whose = f"it is a file for {facts.of}, and " if facts.of and facts.role == "foreign" else ""
    cause = f"{whose}instruction files here are {join_names(facts.names)}."
    return make_absence(NOT_READ, cause, advise_on(facts, "To read it too"))


def why_hidden(look: Look) -> str:
    """Why only the first one is used, and what to do if no setting helps."""
    if not look.detail.startswith("by /"):
        return "."
    if look.what == "context":
        return ", because only the first of a folder is read."
    if look.what == "skill":
        return ", a skill of the same name. Rename one of them."
    return ", because only one is read." if look.what in ("system", "append", "memories") else "."


def advise_on(facts: PathFacts | None, purpose: str) -> str:
    """The settings that help, and what would still be wrong with them."""
    if facts is None or facts.help is None:
        return ""
    still = describe_rest(facts.help)
    return f" {purpose}, set {' and '.join(facts.help.lines)} {facts.help.where}.{f' {still}' if still else ''}"


def describe_rest(settings: SettingsHint) -> str:
    """What would still be wrong with a path under these settings."""
    then = settings.look
    return {"loaded": "", "cleared": "But it is empty."}.get(then.outcome, f"But then: {then.detail}.")


def join_names(names: Sequence[str]) -> str:
    """`a, b and c`; the last of many are counted."""
    rest = len(names) - MAX_LISTED_NAMES + 1
    return join_words(names if rest < 2 else [*names[: MAX_LISTED_NAMES - 1], f"{rest} more"])


def explain_look(look: Look, chars: int, start: int, facts: PathFacts | None) -> PathAnswer:
    """The answer for a path that was looked at."""
    match look.outcome:
        case "loaded" if chars:
            return PathAnswer(f"in the prompt: {count_noun(chars, 'character')}, from character {start:,} on.")
        case "loaded" if look.what == "recipe":
            return PathAnswer("the recipe itself: it defines the prompt.")
        case "loaded":
            reason = look.detail or "its section was skipped: see `overture explain`"
            return PathAnswer(f"loaded, but not in the prompt: {reason}.")
        case "hidden":
            return make_absence(NOT_USED, f"hidden {look.detail}{why_hidden(look)}")
        case "outside" if facts and facts.help:
            return make_absence(NOT_USED, f"{_name_target(look)}.")
        case "duplicate":
            return PathAnswer(f"in the prompt already: {look.detail}.")
        case "cleared":
            return PathAnswer("loaded, but empty.")
        case "absent":
            return PathAnswer("looked for, not found.")
    return make_absence(NOT_USED, f"{look.detail}.")


def _name_target(look: Look) -> str:
    """`it is a symlink to /home/ada/notes.md (7 bytes), outside the project`; for an import, the detail itself."""
    detail = look.detail.partition("; pass ")[0]
    where, _, target = detail.removesuffix(f", {look.path} is a symlink").partition(": ")
    return f"it is a symlink to {target}, {where}" if detail.endswith(" is a symlink") else detail


def explain_no_look(prompt: Prompt, discovery: Discovery) -> str:
    """The answer for a path that the recipe never looked for, with the names that it does look for."""
    off = [f"{look.path} {look.detail}" for look in discovery.looked_at if look.outcome == "off"]
    names = dict.fromkeys(
        look.path.rpartition("/")[2]
        for look in discovery.looked_at
        if look.what == "context" and look.outcome not in ("off", "unread")
    )
    reads = f" Its project files are {', '.join(names)}, from the root down to --cwd." if names else ""
    return f"recipe {prompt.recipe.name} never looked for it.{reads}" + "".join(f" {each}." for each in off)

"""A path that was not loaded: why, in a sentence, and the setting that would change that."""

from collections.abc import Sequence

from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Discovery, Look, PathFacts
from ..text.normalize import join_words

ROLES = {
    "recipe": "the recipe itself: it says what the prompt holds.",
    "settings": "settings of Overture, not instructions: they count here.",
    "no settings": "not read: it has no [tool.overture] table, and it is no instruction file.",
    "tools": "read for the agent's tools, as `tools` in {of} says.",
    "models": "read for limits and prices of models, as `models` in {of} says.",
    "template": "not in the prompt: it is a template, which a session sends for the message /{of}.",
    "extension": "not in the prompt: it is an extension, which a session runs.",
    "part": "not in the prompt: it belongs to the skill {of}, and the agent reads it when it uses that skill.",
    "miscased": "not read: the file is looked for as {of}, and case counts. Rename it.",
}
"""What is to be said of a file for what it is, whatever else is known."""
MAX_LISTED_NAMES = 6
"""Names that are listed; the others are counted."""


def path_outcome(asked: PathFacts, absent: Sequence[Look]) -> str:
    """One word for it."""
    if asked.kind == "missing":
        return "absent" if absent else "missing"
    if asked.kind == "folder":
        return "folder"
    if asked.nested is not None and asked.help is None:
        return "nested"
    if asked.role in ("skill", "foreign", "text"):
        return "unread"
    return "never looked for" if asked.role == "plain" else asked.role


def explain_path(asked: PathFacts, prompt: Prompt, found: Discovery, absent: Sequence[Look]) -> str:
    """Why a path is not in the record."""
    match asked.kind:
        case "missing":
            return _missing(asked, absent)
        case "folder":
            return _folder(asked, found)
        case "nothing":
            return f"not read: {asked.missing or 'it is a link to nothing'}."
        case "other":
            return "not read: it is not a regular file."
    if asked.role in ROLES:
        return ROLES[asked.role].format(of=asked.of)
    if asked.role == "far settings":
        counts = f"{asked.of} is nearer" if asked.of else f"they count in {asked.path.rpartition('/')[0]} and below"
        return f"settings of Overture that do not count here: {counts}."
    if asked.role == "skill":
        return _skill(asked, prompt)
    return _nested(asked) if asked.nested is not None else _not_read(asked, prompt)


def _missing(asked: PathFacts, absent: Sequence[Look]) -> str:
    bare = "/" not in asked.name
    if len(absent) > 1:
        return f"looked for in {len(absent)} folders, and not there."
    if absent:
        return "looked for, and not there."
    near = f" Did you mean {asked.near}?" if asked.near else ""
    if asked.missing:
        return f"no such file: {asked.missing}.{near}"
    is_skill = bare and bool(asked.near) and "/" not in asked.near
    return f"no such file{', and no skill of that name' * is_skill}.{near}"


def _folder(asked: PathFacts, found: Discovery) -> str:
    top = (asked.same or asked.path).rstrip("/") + "/"
    if asked.skills and asked.help:
        return f"a folder with {_skills(asked.skills)}, which is not searched.{advise_on(asked, 'To have them')}"
    looks = [look for look in found.looked_at if look.path.startswith(top) and look.outcome != "absent"]
    read = [look.path.removeprefix(top) for look in looks if look.outcome == "loaded"]
    left = [look.path.removeprefix(top) for look in looks if look.outcome not in ("loaded", "unread")]
    unread = list(dict.fromkeys([*left, *(name for name in asked.unread if name not in read)]))
    first = "" if not asked.delivered else " at first"
    said = f"a folder. Read from it: {join_names(read)}." if read else f"a folder, of which nothing is read{first}."
    said += (
        f" A session adds {join_names(asked.delivered)} when a tool touches a file there." if asked.delivered else ""
    )
    return said + (f" Not read: {join_names(unread)}." if unread else "")


def _skill(asked: PathFacts, prompt: Prompt) -> str:
    place = (asked.same or asked.path).removesuffix("/SKILL.md").rpartition("/")[0]
    if asked.off:
        return f"not read: {asked.off} is false.{advise_on(asked, 'To read it')}"
    if asked.help is None:
        return f"not read: it is a skill, and the recipe {prompt.recipe.name} has none."
    if "features.links.allow" in asked.help.lines[-1]:
        return f"not read: {place} leads out of the project.{advise_on(asked, 'To follow it')}"
    wish = f"To have the {_skills(asked.skills)} there" if asked.skills > 1 else "To have it"
    return f"not read: it is a skill, and {place} is not searched.{advise_on(asked, wish)}"


def _nested(asked: PathFacts) -> str:
    below = "it lies below the working directory"
    folder = (asked.same or asked.path).rpartition("/")[0]
    assert asked.nested is not None
    if asked.nested.outcome == "shadowed":
        return f"not used: shadowed {asked.nested.detail}{why_hidden(asked.nested)}{advise_on(asked, 'To read both')}"
    if asked.nested.outcome == "cleared":
        return f"{below}, and it is empty: it says nothing."
    if asked.nested.outcome != "loaded":
        return f"not used: {asked.nested.detail}."
    if asked.help is not None:
        wish = f"To have a session add it when a tool touches a file in {folder}"
        return f"not read: {below}.{advise_on(asked, wish)}"
    return f"not in the prompt at first: {below}, and a session adds it when a tool touches a file in {folder}."


def _not_read(asked: PathFacts, prompt: Prompt) -> str:
    if not asked.names:
        return f"not read: the recipe {prompt.recipe.name} reads no instruction files. Others do, such as house."
    if asked.off:
        return f"not read: {asked.off} is false.{advise_on(asked, 'To read it')}"
    if asked.root:
        return f"not read: it lies above the folders that are looked in. With --root {asked.root} it is read."
    if asked.cwd:
        where = "outside the folders that are looked in"
        return f"not read: it lies {where}. For an agent that works there it is read: --cwd {asked.cwd}."
    if asked.role == "plain":
        return (
            f"not read: it is no instruction file. Those are {join_names(asked.names)}, and SKILL.md of skills; "
            "the agent reads other files with its tools."
        )
    whose = f"it is a file for {asked.of}, and " if asked.of and asked.role == "foreign" else ""
    return f"not read: {whose}instruction files here are {join_names(asked.names)}.{advise_on(asked, 'To read it too')}"


def why_hidden(look: Look) -> str:
    """Why the one that comes first counts alone, and what to do where no setting helps."""
    if not look.detail.startswith("by /"):
        return "."
    if look.what == "context":
        return ", as only the first of a folder is read."
    if look.what == "skill":
        return ", a skill of the same name. Rename one of them."
    return ", which counts alone." if look.what in ("system", "append", "memories") else "."


def advise_on(asked: PathFacts | None, wish: str) -> str:
    """The settings that help, and what would still be wrong with them."""
    if asked is None or asked.help is None:
        return ""
    then = asked.help.look
    still = {"loaded": "", "cleared": " But it is empty: it says nothing."}.get(then.outcome)
    still = f" But then: {then.detail}." if still is None else still
    return f" {wish}, set {' and '.join(asked.help.lines)} {asked.help.where}.{still}"


def join_names(names: Sequence[str]) -> str:
    """`a, b and c`; the last of many are counted."""
    rest = len(names) - MAX_LISTED_NAMES + 1
    return join_words(names if rest < 2 else [*names[: MAX_LISTED_NAMES - 1], f"{rest} more"])


def _skills(count: int) -> str:
    return f"{count} skill{'s' * (count != 1)}"

"""Limits of an agent's, and the settings and variables that change what it reads: in words."""

from collections.abc import Callable, Mapping, Sequence

from names_in_words import quoted

from overture.model.file_steps import FileLimit, SettingsFile
from overture.model.wants import Wants

Called = Callable[[Sequence[str]], str]
"""What a page calls rules: `number 2`, `numbers 1 and 3`."""
PLACES = {
    "cwd": "in the working directory",
    "root": "in the repository's root",
    "walk": "in every folder from the repository's root down",
}
SETS = {
    "at_home": "sets the folders of {}",
    "names": "sets the names of {}",
    "names+": "adds names to {}",
    "+names": "adds names before those of {}",
    "off": "disables {}",
    "on": "enables or disables {}",
    "always": "loads {} whatever other files exist",
    "anywhere": "lets imports of {} lead anywhere",
    "tops": "sets where {} begin",
    "folders": "adds or removes folders of {}",
    "walk": "makes {} search every folder from the repository's root down",
    "take": "changes which of the names of {} are loaded",
}
SKILLS = {
    "project+": "adds skill folders",
    "home": "sets the skill folders under home",
    "folders": "adds or removes skill folders",
    "disabled+": "excludes skills by name",
    "on": "enables or disables skills",
    "walk": "makes it search every folder from the repository's root down for skills",
}
MENU = {"most": "sets the limit for the list of skills", "entry": "sets the limit for descriptions of skills"}


def limit_in_words(limit: FileLimit, called: Called) -> str:
    """How much is read of which files, and what becomes of the rest."""
    room = f"{limit.most:,} {limit.unit}"
    kib = f" ({limit.most // 1024} KiB)" if limit.unit == "bytes" and limit.most % 1024 == 0 else ""
    which = "each file" if limit.over == "file" else "all files together"
    of = f"of {which} ({called(limit.of)})"
    frames = " The frame around a file counts too." if limit.frames else ""
    frames += f" {limit.kept} characters are reserved for the notice in a truncated file." if limit.kept else ""
    return f"{room}{kib} {of}.{frames} {beyond(limit)}"


def beyond(limit: FileLimit) -> str:
    """What becomes of the rest, and whether the model is told."""
    if limit.says:
        return f"The rest is dropped, and the model gets a notice: `{limit.says}`"
    return "The rest is dropped silently."


def settings_in_words(file: SettingsFile, called: Called) -> list[tuple[str, str]]:
    """Each key of a settings file, and what it does."""
    return [(_key(key), effect(sets, called)) for key, sets in file.keys.items()]


def paths_in_words(file: SettingsFile) -> str:
    """Where a settings file lies."""
    own = [path for path in file.paths if path[0] not in "~/"]
    rest = [path for path in file.paths if path[0] in "~/"]
    here = f"{quoted(own)} {PLACES[file.where]}" if own else ""
    last = "; the last file that sets a key wins" if file.several == "last" else ""
    return ", then ".join(part for part in (quoted(rest), here) if part) + last


def _key(key: str) -> str:
    name, given, value = key.partition("=")
    return f"`{name.strip(chr(34))}`" + (f" = `{value}`" if given else "")


def effect(sets: str, called: Called) -> str:
    """What a key or a variable does."""
    if not sets:
        return "may change what is loaded; Overture only reports that it is set"
    by_way: dict[str, list[str]] = {}
    for each in sets.split():
        target, _, way = each.rpartition(".")
        by_way.setdefault(way if target not in ("limits", "skills", "menu") else each, []).append(target)
    return "; ".join(_one(way, targets, called) for way, targets in by_way.items())


def _one(way: str, targets: list[str], called: Called) -> str:
    if way == "exclude":
        return "excludes files whose paths match"
    if way.startswith("limits."):
        return "sets the limit"
    if way.startswith("menu."):
        return MENU[way.removeprefix("menu.")]
    if way.startswith("skills."):
        return SKILLS[way.removeprefix("skills.")]
    return SETS[way].format(called(targets))


FORMS = {
    "json": ", as a JSON list; any other value is ignored",
    "folders": ", separated by commas, relative to the working directory",
}
"""How a variable gives its names."""


def variables_in_words(wants: Wants, defaults: Mapping[str, str], called: Called) -> list[tuple[str, str]]:
    """Each environment variable, and what it does."""
    moved = [
        (f"`{variable.partition('/')[0]}`", f"{_with(variable)}replaces `~/{defaults[setting]}`")
        for setting, variables in wants.moves.items()
        for variable in variables.split()
    ]
    return [*moved, *((f"`{name}`", _by_variable(sets, called)) for name, sets in wants.environment.items())]


def _by_variable(sets: str, called: Called) -> str:
    way, _, rest = sets.partition(" ")
    form = FORMS.get(way, "")
    return effect(rest if form else sets, called) + form


def _with(variable: str) -> str:
    _, slash, below = variable.partition("/")
    return f"with `{slash}{below}` behind it " if below else ""

"""Limits of an agent's, and the settings and variables that change what it reads: in words."""

from collections.abc import Callable, Mapping, Sequence

from names_in_words import quoted

from overture.model.wants.instruction_files import FileLimit, SettingsFile
from overture.model.wants.wants import Wants

Called = Callable[[Sequence[str]], str]
"""What a page calls rules: `number 2`, `numbers 1 and 3`."""
PLACES = {
    "cwd": "in the working directory",
    "root": "in the repository's root",
    "walk": "in every folder from the repository's root down",
}
SETS = {
    "at_home": "names the folders of {}",
    "names": "gives the names of {}",
    "names+": "adds names to {}",
    "+names": "puts names before those of {}",
    "off": "switches {} off",
    "on": "switches {} on or off",
    "always": "makes {} count whatever else lies there",
    "anywhere": "lets imports of {} lead anywhere",
    "tops": "says where {} begin",
    "folders": "adds folders to {}, or leaves some out",
    "walk": "lets {} look in every folder from the repository's root down",
    "take": "changes which of the names count for {}",
}
SKILLS = {
    "project+": "adds folders of skills",
    "home": "gives the folders of skills under home",
    "folders": "adds folders of skills, or leaves some out",
    "disabled+": "names skills that are not listed",
    "on": "switches skills on or off",
    "walk": "lets it look for skills in every folder from the repository's root down",
}
MENU = {"most": "sets how much room the menu of skills has", "entry": "sets how long descriptions of skills may be"}


def limit_in_words(limit: FileLimit, called: Called) -> str:
    """How much is read of which files, and what becomes of the rest."""
    room = f"{limit.most:,} {limit.unit}"
    kib = f" ({limit.most // 1024} KiB)" if limit.unit == "bytes" and limit.most % 1024 == 0 else ""
    which = "each file" if limit.over == "file" else "all files together"
    of = f"of {which} ({called(limit.of)})"
    frames = " What stands around a file counts too." if limit.frames else ""
    frames += f" Where a file is cut, {limit.kept} characters more are left free." if limit.kept else ""
    return f"{room}{kib} {of}.{frames} {beyond(limit)}"


def beyond(limit: FileLimit) -> str:
    """What becomes of the rest, and whether the model is told."""
    if limit.says:
        return f"The rest is left out, and the model is told so: `{limit.says}`"
    return "The rest is left out, and nobody is told."


def settings_in_words(file: SettingsFile, called: Called) -> list[tuple[str, str]]:
    """Each key of a settings file, and what it does."""
    return [(_key(key), effect(sets, called)) for key, sets in file.keys.items()]


def paths_in_words(file: SettingsFile) -> str:
    """Where a settings file lies."""
    own = [path for path in file.paths if path[0] not in "~/"]
    rest = [path for path in file.paths if path[0] in "~/"]
    here = f"{quoted(own)} {PLACES[file.where]}" if own else ""
    last = ", of which the last that says a key counts" if file.several == "last" else ""
    return ", then ".join(part for part in (quoted(rest), here) if part) + last


def _key(key: str) -> str:
    name, given, value = key.partition("=")
    return f"`{name.strip(chr(34))}`" + (f" = `{value}`" if given else "")


def effect(sets: str, called: Called) -> str:
    """What a key or a variable does."""
    if not sets:
        return "may change what is read; Overture only reports that it is set"
    by_way: dict[str, list[str]] = {}
    for each in sets.split():
        target, _, way = each.rpartition(".")
        by_way.setdefault(way if target not in ("limits", "skills", "menu") else each, []).append(target)
    return "; ".join(_one(way, targets, called) for way, targets in by_way.items())


def _one(way: str, targets: list[str], called: Called) -> str:
    if way == "exclude":
        return "leaves out the files whose paths match"
    if way.startswith("limits."):
        return "sets the limit"
    if way.startswith("menu."):
        return MENU[way.removeprefix("menu.")]
    if way.startswith("skills."):
        return SKILLS[way.removeprefix("skills.")]
    return SETS[way].format(called(targets))


FORMS = {
    "json": ", as a list in JSON; anything else counts for nothing",
    "folders": ", with commas between them, seen from the working directory",
}
"""How a variable gives its names."""


def variables_in_words(wants: Wants, defaults: Mapping[str, str], called: Called) -> list[tuple[str, str]]:
    """Each environment variable, and what it does."""
    moved = [
        (f"`{variable.partition('/')[0]}`", f"{_with(variable)}takes the place of `~/{defaults[setting]}`")
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

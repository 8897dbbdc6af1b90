"""A rule of an agent's in words: which files, in which folders, in which order.

Names stand in backticks, as Markdown has them; `plain` takes them away for a terminal.
"""

from collections.abc import Iterable, Sequence

from ...model.recipe.wanted_instructions import Files

LATER = ("below", "project")
TOPS = {
    "repository": "the repository's root",
    "above-repository": "the folder above the repository",
    "root": "the file system's root",
}
TOLD = {
    "text": "",
    "description": "The model is told its name and description, not its text.",
    "name": "The model is told its name alone.",
    "path": "The model is told its path alone, and has to open it.",
}


def listed(words: Iterable[str], last: str = "and") -> str:
    """`a, b and c`."""
    given = list(words)
    return f" {last} ".join([", ".join(given[:-1]), given[-1]] if len(given) > 1 else given)


def quoted(names: Iterable[str], last: str = "and") -> str:
    """The same, each in backticks."""
    return listed([f"`{name}`" for name in names], last)


def begun(words: str) -> str:
    """As the beginning of a sentence."""
    return words[:1].upper() + words[1:]


def plain(words: str) -> str:
    """Words for a terminal."""
    return words.replace("`", "")


def is_later(rule: Files) -> bool:
    """Whether its files are read only once the agent works in their folder."""
    return rule.where in LATER


def rule_in_words(rule: Files) -> str:
    """One or more sentences: where which files are read, and what is special about it."""
    place = where(rule)
    said = f"{begun(place)}{how_many(rule)}: {which(rule)}."
    more = (order(rule), twice(rule), unless(rule), TOLD[rule.tells], switched(rule), since(rule))
    return " ".join([said, *(sentence for sentence in more if sentence)])


def where(rule: Files) -> str:
    """The folders, in the order in which they are read."""
    if rule.where == "home":
        names = full_names(rule)
        return "for the whole machine" if all(name.startswith("/") for name in names) else "under home"
    too = " and under home" if any(name.startswith("~") for name in rule.names) else ""
    if not rule.at_home:
        return folders(rule) + too
    return f"{'under home' if rule.at_home == ('',) else f'in {_homes(rule)}'}, then {folders(rule)}{too}"


def folders(rule: Files) -> str:
    """The folders of a project, in words."""
    top = TOPS[rule.up]
    ways = {
        "outermost": f"in every folder from {top} down to the working directory",
        "nearest": f"in every folder from the working directory up to {top}",
    }
    ends = [f"in {top}", "in the working directory"]
    return {
        "walk": ways.get(rule.order, f"in every folder between {top} and the working directory"),
        "ends": ", then ".join(ends if rule.order != "nearest" else ends[::-1]),
        "between": f"in the folders between {top} and the working directory"
        + (", the nearest first" if rule.order == "nearest" else ""),
        "cwd": "in the working directory",
        "root": "in the repository's root",
        "below": "in folders below the working directory, once it works on a file there",
        "project": "in other folders of the repository, once it works on a file there",
        "home": "under home",
    }[rule.where]


def _homes(rule: Files) -> str:
    return quoted(f"~/{place}".rstrip("/") if not place.startswith("/") else place for place in rule.at_home)


def full_names(rule: Files) -> tuple[str, ...]:
    """The names as a user would look for them: those under home with the folder that they lie in."""
    if rule.where != "home" or not rule.at_home:
        return rule.names
    return tuple(name if name[0] in "/~" else _under_home(place, name) for place in rule.at_home for name in rule.names)


def _under_home(place: str, name: str) -> str:
    return "|".join(f"~/{place}/{each}".replace("~//", "~/") for each in name.split("|"))


def how_many(rule: Files) -> str:
    """Whether of several names one counts: `, one file a folder`."""
    if rule.take == "all" or len(rule.names) < 2:
        return ""
    if rule.take == "name":
        return ", one name for all of them"
    return ", one file" if rule.where in ("home", "cwd", "root") else ", one file a folder"


def which(rule: Files) -> str:
    """The names, and which of them count."""
    names = [_either(name, several=len(rule.names) > 1) for name in folded(full_names(rule))]
    if not names:
        return "the files that its settings name"
    if len(names) == 1 or rule.take == "all":
        return listed(names)
    chain = ", else ".join(names)
    return {
        "first": f"{chain}; an empty file counts too",
        "full": f"{chain}; an empty file is passed over",
        "name": f"{chain}; the first name that lies in any of the folders counts",
    }[rule.take]


def folded(names: Sequence[str]) -> list[str]:
    """The names; neighbours that differ in their ending alone, as one: `*.{md,txt}`."""
    found: list[tuple[str, list[str]]] = []
    for name in names:
        stem, dot, ending = name.rpartition(".")
        if dot and stem.endswith("*") and found and found[-1][0] == stem:
            found[-1][1].append(ending)
        else:
            found.append((stem, [ending]) if dot and stem.endswith("*") else (name, []))
    return [f"{stem}.{{{','.join(ends)}}}" if len(ends) > 1 else ".".join([stem, *ends]) for stem, ends in found]


def _either(name: str, *, several: bool) -> str:
    said = ", else ".join(f"`{each}`" for each in name.split("|"))
    return f"({said})" if several and "|" in name else said


def outside(rule: Files) -> str:
    """Where it looks without a repository."""
    if rule.where not in ("walk", "ends", "between", "root"):
        return ""
    if rule.where != "root" and rule.alone == "up":
        return "Outside a repository it looks in all folders above, too." if rule.up != "root" else ""
    return "Outside a repository it looks in the working directory alone."


def order(rule: Files) -> str:
    """What is to be said of the order, where it does not follow the folders and names."""
    said = {"name": "They are sorted by file name.", "path": "They are sorted by the letters of their whole paths."}
    by = "All files of one name come before all of the next." if rule.by == "name" and len(rule.names) > 1 else ""
    return " ".join(each for each in (by, said.get(rule.order, "")) if each)


def twice(rule: Files) -> str:
    """What becomes of files with one name or one text."""
    names = {
        "first": "Of files with one name only the first counts.",
        "last": "Of files with one name the last counts.",
    }
    texts = "Of files with one text only the first is sent." if rule.same_text == "first" else ""
    called = [f"`{name}` goes by the name `{other}`" for name, other in rule.called.items()]
    known = f"{listed(called)}." if called else ""
    return " ".join(each for each in (names.get(rule.same_name, ""), known, texts) if each)


def unless(rule: Files) -> str:
    """The files that switch the rule off."""
    if not rule.unless:
        return ""
    return f"Only where {quoted(rule.unless, 'or')}, with words in it, lies in none of the folders that it looks in."


def switched(rule: Files) -> str:
    """Whether it counts by itself."""
    return "" if rule.on else "Only where a setting switches it on."


def since(rule: Files) -> str:
    """The version that began with it."""
    return f"Since {rule.since}." if rule.since else ""

"""A rule of an agent's in words: which files, in which folders, in which order.

Names stand in backticks, as Markdown has them; `listing.plain` takes them away for a terminal.
"""

from collections.abc import Iterator

from names_in_words import begun, full_names, how_many, is_for_each_home, listed, quoted, which
from quirks_in_words import quirks_in_words
from skills_in_words import BORROWS

from overture.model.file_steps import ON_DEMAND_PLACES, FileStep

LATER = ON_DEMAND_PLACES
TOPS = {
    "repository": "the repository's root",
    "above-repository": "the folder above the repository",
    "root": "the file system's root",
}
TOLD = {
    "text": "",
    "description": "It is listed: the model gets its name and description, not its text.",
    "path": "It is listed: the model gets only its path and has to open it.",
}


def is_later(rule: FileStep) -> bool:
    """Whether its files are read only once the agent works in their folder."""
    return rule.where in LATER


def rule_in_words(rule: FileStep) -> str:
    """One or more sentences: where which files are read, and what is special about it."""
    place = where(rule)
    said = f"{begun(place)}{how_many(rule)}: {which(rule)}."
    names = (left_out(rule), order(rule), twice(rule), unless(rule), in_worktrees(rule))
    odd = quirks_in_words(rule.quirks, *_hooks(rule))
    more = (*names, *odd, TOLD[rule.tells], switched(rule))
    return " ".join([said, *(sentence for sentence in more if sentence)])


def _hooks(rule: FileStep) -> Iterator[str]:
    """The oddities that may be seen in such a rule."""
    yield "take_folders"
    if not rule.listing:
        yield "order_names"
    if is_later(rule):
        yield "choose_touched_files"


def where(rule: FileStep) -> str:
    """The folders, in the order in which they are read."""
    if rule.where == "home" and is_for_each_home(rule):
        return f"in {_homes(rule)}"
    if rule.where == "home":
        names = full_names(rule)
        if not rule.at_home and not any(name.startswith(("/", "~")) for name in names):
            return "in folders from a variable"
        return "for the whole machine" if all(name.startswith("/") for name in names) else "under home"
    if rule.names and not rule.at_home and all(name.startswith("~/") for name in rule.names):
        return "under home"
    too = " and under home" if any(name.startswith("~") for name in rule.names) else ""
    if not rule.at_home:
        return folders(rule) + too
    return f"{'under home' if rule.at_home == ('',) else f'in {_homes(rule)}'}, then {folders(rule)}{too}"


def folders(rule: FileStep) -> str:
    """The folders of a project, in words."""
    top = f"the outermost of {quoted(rule.tops)}" if rule.tops else TOPS[rule.up]
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
        "below-root": "in folders below the repository's root, once it works on a file there",
        "home": "under home",
    }[rule.where]


def _homes(rule: FileStep) -> str:
    return quoted(f"~/{place}".rstrip("/") if not place.startswith("/") else place for place in rule.at_home)


def outside(rule: FileStep) -> str:
    """Where it looks without a repository."""
    if rule.where not in ("walk", "ends", "between", "root"):
        return ""
    if rule.where != "root" and rule.alone == "up":
        return "Outside a repository it also searches all folders above." if rule.up != "root" else ""
    return "Outside a repository it searches only the working directory."


def order(rule: FileStep) -> str:
    """What is to be said of the order, where it does not follow the folders and names."""
    said = {
        "name": "They are sorted by name." if rule.listing else "They are sorted by file name.",
        "file": "Within a folder they are sorted by file name, including those of its subfolders.",
        "path": "They are sorted by path.",
        "here": "Those in the working directory come first, by name, then all others by name.",
    }
    by = "All files of one name come before all files of the next." if rule.by == "name" and len(rule.names) > 1 else ""
    loose = {"rules": "Within a folder of rules their order is not fixed.", "all": "Their order is not fixed."}
    return " ".join(each for each in (by, said.get(rule.order, ""), loose.get(rule.unordered, "")) if each)


def twice(rule: FileStep) -> str:
    """What becomes of files with one name or one text."""
    names = {
        "first": "Of files with the same name only the first is loaded.",
        "last": "Of files with the same name the last is loaded.",
    }
    texts = "Of files with the same text only the first is sent." if rule.same_text == "first" else ""
    called = [f"`{name}` has the name `{other}`" for name, other in rule.called.items()]
    known = f"{listed(called)}." if called else ""
    before = f"A file with the same name in {quoted(rule.hidden_by)} hides it." if rule.hidden_by else ""
    linked = "A file is sent under each of its names, including symlinks." if rule.same_file == "each" else ""
    return " ".join(each for each in (names.get(rule.same_name, ""), before, known, texts, linked) if each)


def unless(rule: FileStep) -> str:
    """The files that switch the rule off."""
    if not rule.unless:
        return ""
    words = "empty or not" if quirks_in_words(rule.quirks, "stop_for_empty_file") else "with text in it"
    return f"Only if {quoted(rule.unless, 'or')}, {words}, is in none of the folders that it searches."


def in_worktrees(rule: FileStep) -> str:
    """What of the checkout counts in a worktree, and which worktrees it passes over."""
    inside = "In a worktree inside its checkout"
    around = f"{inside}, the checkout's folders around it are skipped."
    if rule.around == "others":
        around = f"{inside}, the name that its top has is skipped at the checkout's top."
    elif rule.around == "all":
        around = ""
    elif rule.around:
        around = f"{inside}, only {quoted(rule.around)} of the checkout's folders around it are loaded."
    lent = BORROWS[rule.borrows]
    return " ".join(each for each in (around, lent) if each)


def left_out(rule: FileStep) -> str:
    """The files that its patterns do not stand for."""
    return f"Not {quoted(rule.but_not, 'or')}." if rule.but_not and any("*" in name for name in rule.names) else ""


def switched(rule: FileStep) -> str:
    """Whether it counts by itself."""
    return "" if rule.on else "Only if a setting enables it."

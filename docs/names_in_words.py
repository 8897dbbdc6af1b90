"""The names of a rule in words, and lists of names as a sentence has them."""

from collections.abc import Iterable, Sequence

from overture.model.file_steps import FileStep


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


# The names of a rule in words: under which path one finds them, and which of several counts.


def full_names(rule: FileStep) -> tuple[str, ...]:
    """The names as a user would look for them: those under home with the folder that they lie in."""
    if rule.where != "home" or not rule.at_home or is_for_each_home(rule):
        return rule.names
    return tuple(name if name[0] in "/~" else _under_home(place, name) for place in rule.at_home for name in rule.names)


def _under_home(place: str, name: str) -> str:
    return "|".join(f"~/{place}/{each}".replace("~//", "~/") for each in name.split("|"))


def is_for_each_home(rule: FileStep) -> bool:
    """Whether one of its names counts in each of several folders under home."""
    return rule.take != "all" and len(rule.at_home) > 1


def how_many(rule: FileStep) -> str:
    """Whether of several names one counts: `, one file a folder`."""
    if rule.take == "all" or len(rule.names) < 2:
        return ""
    if rule.take == "name":
        return ", one name for all of them"
    single = rule.where in ("home", "cwd", "root") and not is_for_each_home(rule)
    return ", one file" if single else ", one file per folder"


def which(rule: FileStep) -> str:
    """The names, and which of them count."""
    names = [_either(name, several=len(rule.names) > 1) for name in folded(full_names(rule))]
    if not names:
        return "the files that its settings name"
    if len(names) == 1 or rule.take == "all":
        return listed(names)
    chain = ", else ".join(names)
    return {
        "first": f"{chain}; an empty one hides those after it",
        "full": f"{chain}; an empty one is skipped",
        "name": f"{chain}; the first name that exists in any of the folders is used",
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
    """Of names that differ in letter case alone, the first, with the others behind it."""
    first, *rest = name.split("|")
    if rest and all(each.casefold() == first.casefold() for each in rest):
        others = [f"`{each.rpartition('/')[2]}`" for each in rest]
        return f"`{first}` (or {listed(others, 'or')})"
    said = ", else ".join(f"`{each}`" for each in (first, *rest))
    return f"({said})" if several and rest else said

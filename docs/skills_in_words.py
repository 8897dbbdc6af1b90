"""Which skills, sub-agents and commands an agent lists, and how much of each: in words."""

from collections.abc import Iterator

from frontmatter_in_words import spoiled_in_words
from names_in_words import listed, quoted
from quirks_in_words import quirks_in_words

from overture.model.skill_dirs import HelperListing, SkillDirs, SkillMenu, SkillNeed

FOLDERS = {
    "cwd": "in the working directory",
    "walk": "in every folder from the working directory up to the repository's root",
    "root": "in the repository's root",
    "ends": "in the working directory, then in the repository's root",
}
NEEDS: dict[SkillNeed, str] = {
    "frontmatter": "frontmatter",
    "yaml": "valid YAML as frontmatter{}",
    "name": "a `name`",
    "description": "a `description`",
    "name-is-folder": "a `name` that is the name of its folder",
    "name-like-folder": "a `name` that is the name of its folder, ignoring case",
    "plain-name": "a name of letters, digits and hyphens",
    "lower-case-name": "a name of lower-case letters, digits and hyphens",
    "words": "text below its frontmatter",
    "utf-8": "a file in UTF-8",
    "texts": "only strings in `name` and `description`",
    "texts-or-none": "only strings or nothing in `name` and `description`",
    "keys-once": "no duplicate keys",
    "keys": "the keys `name` and `description`, even if empty",
}
DESCRIBED = {
    "body": "its first three lines, without headings, are",
    "words": "its first line that is not a heading is",
    "prose": "its first paragraph that is not a heading is",
    "line": "its first line is",
}
SAID_BY: dict[SkillNeed, set[SkillNeed]] = {"frontmatter": {"yaml"}, "name": {"name-is-folder", "name-like-folder"}}
"""Needs that others hold already."""
BY_PATH = {
    "first": "Of two skills with the same name, the one with the alphabetically first path wins.",
    "last": "Of two skills with the same name, the one with the alphabetically last path wins.",
}
"""Where not the place counts."""
SAME = {
    "first": "Of two skills with the same name, the first in this order wins.",
    "last": "Of two skills with the same name, the last in this order wins.",
    "all": "Of two skills with the same name, both are listed.",
}
BELOW = {
    "listed": "Those below the working directory are listed once it works on a file in their folder.",
    "scoped": (
        "Those below the working directory are listed once it works on a file in their folder, unless "
        "git ignores it; one with a name in use is called `folder:name`."
    ),
}
BORROWS = {
    "never": "",
    "lacking": "A worktree without the folder at its top uses its checkout's.",
    "always": "In a worktree, those at the top of its checkout are listed too.",
}
BY = {
    "place": (),
    "folder": ("It searches one folder after the other, each in all places of the project.",),
    "everywhere": ("It searches one folder after the other, each in all places.",),
}
ORDERS = {
    "name": "The list is sorted by name.",
    "owner": "The list has the project's first, then those under home.",
    "place": "The list follows the order of the places above.",
    "path": "The list follows the order of the places above, and within a place it is sorted by path.",
    "disk": "The list follows the order of the places above, and within a place the order on the disk.",
    "source": (
        "The list follows the order of the places above, and is sorted by name where neighbours are all "
        "from the working directory, all from above it, or all from one folder under home."
    ),
    "location": "The list is sorted by path, ignoring case.",
    "backwards": "The list follows the order of the places above, and within a place it is sorted backwards.",
}
BEYOND = {
    "names": "over it, skills are listed by name only",
    "shorten": "over it, all descriptions are shortened",
    "drop": "over it, skills are not listed",
}


def at_home(place: str) -> str:
    """A folder under home, or wherever it lies."""
    return place if place.startswith("/") else f"~/{place}"


def places_in_words(skills: SkillDirs) -> list[str]:
    """The places, the first that counts at the top."""
    near = FOLDERS[skills.where or ("walk" if skills.ancestors else "cwd")]
    project = [f"{quoted(skills.here)}, {FOLDERS['cwd']}"] if skills.here else []
    project += [f"{quoted(skills.project)}, {near}"] if skills.project else []
    user = [at_home(place) for place in skills.home if not place.startswith("/")]
    machine = [place for place in skills.home if place.startswith("/")]
    own = [f"under home: {quoted(user)}"] if user else []
    own += [f"for the whole machine: {quoted(machine)}"] if machine else []
    return [*own, *project] if skills.home_first else [*project, *own]


def skills_in_words(skills: SkillDirs) -> list[str]:
    """Which of two wins, what a skill needs, what is odd: a sentence each."""
    depth = f"up to {skills.depth} levels below such a folder" if skills.depth > 1 else "directly below such a folder"
    which = f" for {quoted(skills.alone)}" if isinstance(skills.alone, tuple) else ""
    alone = [] if skills.alone == "up" else [f"Outside a repository it searches{which} only the working directory."]
    alone += [each for each in (BELOW.get(skills.below), BORROWS[skills.borrows]) if each]
    same = BY_PATH.get(skills.same_name) if skills.order == "location" else None
    folder = f"A skill is a folder with a `SKILL.md`, {depth}."
    winner = [same or SAME[skills.same_name]] if skills.unordered != "winners" else []
    said = [*alone, folder, *winner, _needs(skills)]
    if skills.same_place == "first":
        said.append("A file at the same place below an earlier folder hides it, whatever its text.")
    if skills.same_text == "first":
        said.append("Of skills with the same text in one folder of a project, or under home, only the first is listed.")
    if skills.longest is not None:
        said.append(f"It is not listed if its description has more than {skills.longest:,} characters.")
    if skills.described != "frontmatter":
        said.append(f"Without a `description`, {DESCRIBED[skills.described]} used.")
    if skills.spoiled_by:
        said.append(spoiled_in_words(skills.spoiled_by))
    if skills.broken == "mended":
        said.append("Invalid YAML is parsed again with quotes around values.")
    if skills.hidden_by:
        said.append(f"{quoted(skills.hidden_by, 'or')} in its frontmatter excludes it.")
    if skills.disabled:
        said.append(f"It does not list {quoted(skills.disabled, 'or')}.")
    odd = quirks_in_words(skills.quirks, "rename_skill", "choose_skill_needs")
    return [*said, *_named(skills), *_files(skills), *odd, *BY[skills.by], *_order(skills)]


def _named(skills: SkillDirs) -> Iterator[str]:
    """What its name is, and which count."""
    if skills.name_from == "folder":
        yield "Its name is that of its folder, whatever its frontmatter says."
    if skills.name_from == "both":
        yield "Its name is that of its folder; a different one in its frontmatter follows in parentheses."
    if skills.largest is not None:
        yield f"A SKILL.md of more than {skills.largest:,} bytes is not listed."
    if skills.longest_name is not None:
        yield f"It is not listed if its name has more than {skills.longest_name:,} characters."
    if skills.name_like:
        yield f"Its name must match `{skills.name_like}`."


def _order(skills: SkillDirs) -> list[str]:
    said = [ORDERS[skills.order]]
    if skills.unordered == "menu" or skills.order == "disk":
        said.append("The order within a folder is not fixed.")
    if skills.unordered == "winners":
        said.append("Which of two with the same name wins is not fixed: identical runs had different winners.")
    if not skills.capitals:
        said.append("Upper case does not come before lower case.")
    return said


def _needs(skills: SkillDirs) -> str:
    if skills.needs is None and skills.invalid == "skip":
        return "A skill that breaks a rule of the format is not listed."
    if skills.needs is None:
        return "It is unknown what makes a skill invalid there; here it needs a `description`."
    if not skills.needs:
        return "No skill is invalid."
    needs = [need for need in skills.needs if not SAID_BY.get(need, set()) & set(skills.needs)]
    maybe = " (if any)" if "frontmatter" not in skills.needs else ""
    return f"It is listed if it has {listed([NEEDS[need].format(maybe) for need in needs])}."


def _files(skills: SkillDirs) -> list[str]:
    said = []
    if skills.flat:
        where = "such a folder" if isinstance(skills.flat, bool) else quoted(skills.flat)
        said.append(f"A file `NAME.md` directly in {where} is a skill too.")
    if skills.loose:
        said.append(f"In a folder of {quoted(skills.loose)} without a `SKILL.md`, every `.md` file is a skill.")
    if skills.nested:
        said.append("Skills may be below the folder of another skill.")
    if skills.any_case:
        said.append("`skill.md` is accepted as `SKILL.md`.")
    if skills.dotted == "itself":
        said.append("A folder whose name begins with a dot may be a skill, but is not searched.")
    elif skills.dotted:
        below = f" below {quoted(skills.dotted)}" if isinstance(skills.dotted, tuple) else ""
        said.append(f"Folders{below} whose names begin with a dot are searched too.")
    said += quirks_in_words(skills.quirks, "find_linked_skill")
    if not skills.linked:
        said.append("Symlinked folders are skipped.")
    elif skills.links == "follow":
        said.append("Symlinked folders are followed wherever they lead.")
    return said


ENTITIES = {
    "tags": "It writes `<` and `>` as entities there.",
    "xml": "It writes the five characters of XML as entities there.",
    "html": "It writes the five characters of XML, backticks and `=` as entities there.",
}


def menu_in_words(menu: SkillMenu | None) -> str:
    """How much room the menu has, and what it changes in a description."""
    remark = [text for text in (menu.remark, ENTITIES.get(menu.escapes, "")) if text] if menu else []
    if menu is None or (menu.most is None and menu.entry is None):
        return " ".join(remark if menu and menu.remark else ["No limit of its list is known.", *remark])
    each = f"{menu.entry:,} characters of each description" if menu.entry is not None else ""
    mark = f", then `{menu.mark}`" if each and menu.mark else ""
    what = "of names and descriptions" if menu.counts == "words" else "in all"
    most = f"{menu.most:,} characters {what}; {BEYOND[menu.over]}" if menu.most is not None else ""
    most += ", and the names of all skills count first" * (most != "" and menu.counts == "names")
    if most and menu.over == "names" and menu.bare_most is not None:
        most += f", within {menu.bare_most:,} more characters"
    room = ", and ".join(part for part in (each + mark, most) if part)
    return " ".join([f"The list has {room}.", *remark])


# Which sub-agents and commands an agent is told of, and as what: in words.


WORDS = {"body": "the first three lines of its text are used, without headings", "line": "its first line is used"}


def listing_in_words(listing: HelperListing) -> list[str]:
    """A sentence for each thing that decides."""
    return [*_helper_needs(listing), *_helper_name(listing), *_helper_description(listing)]


def _helper_needs(listing: HelperListing) -> Iterator[str]:
    maybe = " (if any)" if "frontmatter" not in listing.needs else ""
    if listing.needs:
        yield f"It is listed if it has {listed([NEEDS[need].format(maybe) for need in listing.needs])}."
    if listing.hidden_by:
        yield f"{quoted(listing.hidden_by, 'or')} in its frontmatter excludes it."
    if listing.broken == "mended":
        yield "Invalid YAML is parsed again with quotes around values."


def _helper_name(listing: HelperListing) -> Iterator[str]:
    if listing.named == "name":
        yield "Its name is the value of `name` in its frontmatter, or else its file name."
    if listing.folders:
        yield f"The folders above it are part of its name: `folder{listing.folders}file`."
    if listing.same_name != "all":
        yield f"Of several with the same name the {listing.same_name} in this order wins."
    if listing.hidden_by_skill != "never":
        which = " that the model sees" if listing.hidden_by_skill == "listed" else ""
        yield f"A skill with the same name{which} hides it."
    if listing.name_like:
        yield f"Its name must match `{listing.name_like}`."
    if listing.longest_name is not None:
        yield f"Its name has at most {listing.longest_name:,} characters."


def _helper_description(listing: HelperListing) -> Iterator[str]:
    if listing.described != "frontmatter":
        yield f"Without a `description`, {WORDS[listing.described]}."
    if listing.longest is not None:
        yield f"It is not listed if its description has more than {listing.longest:,} characters."
    if listing.entry is not None:
        yield f"A description has at most {listing.entry:,} characters, then `…`."

"""Which skills, sub-agents and commands an agent lists, and how much of each: in words."""

from collections.abc import Iterator

from frontmatter_in_words import spoiled_in_words
from names_in_words import listed, quoted
from quirks_in_words import quirks_in_words

from overture.model.wants.skills import HelperListing, SkillDirs, SkillMenu, SkillNeed

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
    "name-like-folder": "a `name` that is the name of its folder, whatever its letter case",
    "plain-name": "a name of letters, digits and hyphens",
    "lower-case-name": "a name of small letters, digits and hyphens",
    "words": "words below its frontmatter",
    "utf-8": "a file in UTF-8",
    "texts": "a `name` and a `description` (if any) that YAML takes for text",
    "texts-or-none": "a `name` and a `description` (if any) that YAML takes for text or for nothing",
    "keys-once": "no key twice",
    "keys": "the keys `name` and `description`, be they empty",
}
DESCRIBED = {
    "body": "its words, without headings, are",
    "words": "its first line that is no heading is",
    "prose": "its first paragraph that is no heading is",
    "line": "its first line is",
}
SAID_BY: dict[SkillNeed, set[SkillNeed]] = {"frontmatter": {"yaml"}, "name": {"name-is-folder", "name-like-folder"}}
"""Needs that others hold already."""
BY_PATH = {
    "first": "Of two skills with one name, the one whose path comes first in the alphabet counts.",
    "last": "Of two skills with one name, the one whose path comes last in the alphabet counts.",
}
"""Where not the place counts."""
SAME = {
    "first": "Of two skills with one name, the one that comes first in this order counts.",
    "last": "Of two skills with one name, the one that comes last in this order counts.",
    "all": "Of two skills with one name, both are listed.",
}
BELOW = {
    "listed": "Those below the working directory are listed once it works on a file in their folder.",
    "scoped": "Those below the working directory are listed once it works on a file in their folder, unless git "
    "ignores that; one whose name is taken is called `folder:name`.",
}
BORROWS = {
    "never": "",
    "lacking": "A worktree whose top lacks the folder has its checkout's.",
    "always": "In a worktree, those at the top of its checkout count too.",
}
BY = {
    "place": (),
    "folder": ("It takes one folder after the other, each in all places of the project.",),
    "everywhere": ("It takes one folder after the other, each in all places.",),
}
ORDERS = {
    "name": "The menu is sorted by name.",
    "owner": "The menu has the project's first, then those under home.",
    "place": "The menu has them in the order of the places above.",
    "path": "The menu has them in the order of the places above, and within a place by their paths.",
    "disk": "The menu has them in the order of the places above, and within a place as the disk lists them.",
    "source": "The menu has them in the order of the places above, and by name where neighbours are all from the "
    "working directory, all from above it, or all from one folder under home.",
    "location": "The menu is sorted by the letters of whole paths, whatever their case.",
    "backwards": "The menu has them in the order of the places above, and within a place backwards.",
}
BEYOND = {
    "names": "skills beyond that are listed by name alone",
    "shorten": "beyond that all descriptions get shorter",
    "drop": "skills beyond that are not listed",
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
    depth = f"up to {skills.depth} levels below such a folder" if skills.depth > 1 else "right below such a folder"
    which = f" for {quoted(skills.alone)}" if isinstance(skills.alone, tuple) else ""
    alone = [] if skills.alone == "up" else [f"Outside a repository it looks{which} in the working directory alone."]
    alone += [each for each in (BELOW.get(skills.below), BORROWS[skills.borrows]) if each]
    same = BY_PATH.get(skills.same_name) if skills.order == "location" else None
    folder = f"A skill is a folder with a `SKILL.md`, {depth}."
    winner = [same or SAME[skills.same_name]] if skills.unordered != "winners" else []
    said = [*alone, folder, *winner, _needs(skills)]
    if skills.same_place == "first":
        said.append("A file at the same place below an earlier folder hides it, whatever that says.")
    if skills.same_text == "first":
        said.append("Of skills with one text in one folder of a project, or under home, only the first is listed.")
    if skills.longest is not None:
        said.append(f"A description of more than {skills.longest:,} characters keeps it out.")
    if skills.described != "frontmatter":
        said.append(f"Without a `description`, {DESCRIBED[skills.described]} taken.")
    if skills.spoiled_by:
        said.append(spoiled_in_words(skills.spoiled_by))
    if skills.broken == "mended":
        said.append("YAML that can't be read counts where quotes around values would mend it.")
    if skills.hidden_by:
        said.append(f"{quoted(skills.hidden_by, 'or')} in its frontmatter keeps it out of the menu.")
    if skills.disabled:
        said.append(f"It does not list {quoted(skills.disabled, 'or')}.")
    odd = quirks_in_words(skills.quirks, "rename_skill", "choose_skill_needs")
    return [*said, *_named(skills), *_files(skills), *odd, *BY[skills.by], *_order(skills)]


def _named(skills: SkillDirs) -> Iterator[str]:
    """What its name is, and which count."""
    if skills.name_from == "folder":
        yield "Its name is that of its folder, whatever its frontmatter says."
    if skills.name_from == "both":
        yield "Its name is that of its folder; where its frontmatter says another, that follows in brackets."
    if skills.largest is not None:
        yield f"A SKILL.md of more than {skills.largest:,} bytes is not listed."
    if skills.longest_name is not None:
        yield f"A name of more than {skills.longest_name:,} characters keeps it out."
    if skills.name_like:
        yield f"Its name must match `{skills.name_like}`."


def _order(skills: SkillDirs) -> list[str]:
    said = [ORDERS[skills.order]]
    if skills.unordered == "menu" or skills.order == "disk":
        said.append("The order within a folder is not fixed.")
    if skills.unordered == "winners":
        said.append("Which of two with one name counts is not fixed: equal runs had different ones.")
    if not skills.capitals:
        said.append("Capital letters do not come before small ones.")
    return said


def _needs(skills: SkillDirs) -> str:
    if skills.needs is None and skills.invalid == "skip":
        return "A skill that breaks a rule of the format is not listed."
    if skills.needs is None:
        return "What makes a skill invalid there is not known; here one counts that has a `description`."
    if not skills.needs:
        return "Nothing makes a skill invalid."
    needs = [need for need in skills.needs if not SAID_BY.get(need, set()) & set(skills.needs)]
    maybe = " (if any)" if "frontmatter" not in skills.needs else ""
    return f"It is listed if it has {listed([NEEDS[need].format(maybe) for need in needs])}."


def _files(skills: SkillDirs) -> list[str]:
    said = []
    if skills.flat:
        where = "such a folder" if isinstance(skills.flat, bool) else quoted(skills.flat)
        said.append(f"A file `NAME.md` right in {where} is a skill too.")
    if skills.loose:
        said.append(f"In a folder of {quoted(skills.loose)} without a `SKILL.md`, every `.md` file is a skill.")
    if skills.nested:
        said.append("Skills below another one's folder count, too.")
    if skills.any_case:
        said.append("`skill.md` counts as `SKILL.md`.")
    if skills.dotted == "itself":
        said.append("A folder whose name begins with a dot may be a skill; none is looked for below it.")
    elif skills.dotted:
        below = f" below {quoted(skills.dotted)}" if isinstance(skills.dotted, tuple) else ""
        said.append(f"Folders{below} whose names begin with a dot count too.")
    if not skills.linked:
        said.append("A linked folder does not count.")
    elif skills.links == "follow":
        said.append("A linked folder counts, wherever it leads.")
    return said


def menu_in_words(menu: SkillMenu | None) -> str:
    """How much room the menu has."""
    remark = [menu.remark] if menu and menu.remark else []
    if menu is None or (menu.most is None and menu.entry is None):
        return " ".join(remark or ["No limit of its menu is known."])
    each = f"{menu.entry:,} characters of each description" if menu.entry is not None else ""
    mark = f", then `{menu.mark}`" if each and menu.mark else ""
    what = "of names and descriptions" if menu.counts == "words" else "in all"
    most = f"{menu.most:,} characters {what}; {BEYOND[menu.over]}" if menu.most is not None else ""
    most += ", and the names of all skills take their room first" * (most != "" and menu.counts == "names")
    if most and menu.over == "names" and menu.bare_most is not None:
        most += f", as far as {menu.bare_most:,} characters more go"
    room = ", and ".join(part for part in (each + mark, most) if part)
    return " ".join([f"The menu has {room}.", *remark])


# Which sub-agents and commands an agent is told of, and as what: in words.


WORDS = {"body": "its words are taken, without headings", "line": "its first line is taken"}


def listing_in_words(listing: HelperListing) -> list[str]:
    """A sentence for each thing that decides."""
    return [*_helper_needs(listing), *_helper_name(listing), *_helper_description(listing)]


def _helper_needs(listing: HelperListing) -> Iterator[str]:
    maybe = " (if any)" if "frontmatter" not in listing.needs else ""
    if listing.needs:
        yield f"It is told of if it has {listed([NEEDS[need].format(maybe) for need in listing.needs])}."
    if listing.hidden_by:
        yield f"{quoted(listing.hidden_by, 'or')} in its frontmatter keeps it out."
    if listing.broken == "mended":
        yield "YAML that can't be read counts where quotes around values would mend it."


def _helper_name(listing: HelperListing) -> Iterator[str]:
    if listing.named == "name":
        yield "It is called by its `name`, and else by its file."
    if listing.folders:
        yield f"The folders above it are part of its name: `folder{listing.folders}file`."
    if listing.same_name != "all":
        yield f"Of several with one name the {listing.same_name} in this order counts."
    if listing.name_like:
        yield f"Its name must match `{listing.name_like}`."
    if listing.longest_name is not None:
        yield f"Its name has at most {listing.longest_name:,} characters."


def _helper_description(listing: HelperListing) -> Iterator[str]:
    if listing.described != "frontmatter":
        yield f"Without a `description`, {WORDS[listing.described]}."
    if listing.longest is not None:
        yield f"A description of more than {listing.longest:,} characters keeps it out."
    if listing.entry is not None:
        yield f"Of a description {listing.entry:,} characters are told, then `…`."

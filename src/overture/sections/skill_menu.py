"""The skill menu: names and descriptions, never the instructions; and as a known agent lists it, within its limits."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, takewhile
from operator import attrgetter

from ..model.agent_rules import SkillMenu
from ..model.diagnostic import BLANK, ENTITY, Diagnostic, report_skill_breaks, warning
from ..model.recipe.body import Body, Group, Part, Skip
from ..model.recipe.cut_to_beginning import shorter_lines
from ..model.source import from_state
from ..model.state.files import MAX_DESCRIPTION_CHARS, Skill
from ..text.escape import XML_ENTITIES, escape_for_part, escape_xml
from ..text.lookalikes import fold_text
from ..text.normalize import to_one_line
from ..text.scan_for_marks import first_word, scan
from ..text.truncate import grapheme_boundary
from .template import fill_template, split_template

SKILLS_REST = "[{shown} of {all} skills are listed: there is no room for the others.]"
LINE = r"- \*\*(.*?)\*\*(?:: (.*))?"
ELEMENT = (
    r"<skill>\n?<name>(.*?)</name>\n?(?:<description>(.*?)</description>\n)?"
    r"(?:<location>(.*?)</location>\n)?</skill>"
)
"""The groups match the skill's own words in an entry; the rest is from the recipe."""
ELEMENTS = frozenset(map(fold_text, ("available_skills", "skill", "name", "description", "location")))
DESCRIPTION = re.compile(r"<description>(.*)</description>\n")
NAME = re.compile(r"<name>.*</name>")
MIN_DESCRIPTION_CHARS = 20
"""A description with fewer characters is of no use."""
ENTITIES = {
    "tags": str.maketrans({char: XML_ENTITIES[char] for char in "<>"}),
    "xml": str.maketrans(XML_ENTITIES),
    "html": str.maketrans({**XML_ENTITIES, "'": "&#x27;", "`": "&#x60;", "=": "&#x3D;"}),
}
"""The escapes that agents use, by `SkillMenu.escapes`: they make a description cost more tokens."""


def listed_skills(skills: tuple[Skill, ...]) -> list[Skill]:
    """The skills that a menu shows, by name: those that the model may load by itself."""
    return sorted([skill for skill in skills if not skill.disable_model_invocation], key=attrgetter("name"))


def report_broken_name(skill: Skill) -> tuple[Diagnostic, ...]:
    """The report of a line break in the name, which a menu shows on one line."""
    return report_broken_field(skill, "name", skill.name, BLANK)


def write_menu(
    shown: list[Skill],
    entry: Callable[[Skill], Part],
    before: str = "",
    after: str = "",
    *,
    report: Callable[[Skill], Iterable[Diagnostic]] = report_broken_name,
) -> Group:
    """An entry for each skill, and a note on each whose description is too long for the menu.

    `report` gives further notes on a skill's entry: by default, those about line breaks in its name.
    """
    entries = tuple([entry(skill) for skill in shown])
    notes: list[Diagnostic] = []
    if cut := [skill for skill, part in zip(shown, entries, strict=True) if part.whole]:
        from ..model.skill_rules import report_overlong  # the rules of a whole file, which few descriptions need

        notes += map(report_overlong, cut)
    notes += [note for skill in shown for note in report(skill)]
    return Group(entries, before=before, after=after, notes=tuple(notes), loose="fair", rest=SKILLS_REST)


def shorten_menu_description(description: str) -> str:
    """The part of a description that a menu shows, with a mark if it is truncated."""
    return (
        description
        if len(description) <= MAX_DESCRIPTION_CHARS
        else f"{description[: grapheme_boundary(description, MAX_DESCRIPTION_CHARS)]}…"
    )


def write_skill_line(skill: Skill) -> Part:
    """`- **name**: description`, on one line."""
    return _make_menu_entry(skill, _format_skill_line, LINE, list_shorter_lines)


def _format_skill_line(skill: Skill, description: str) -> str:
    name = to_one_line(skill.name)
    return f"- **{name}**: {description}" if description else f"- **{name}**"


def list_shorter_lines(part: Part) -> tuple[str, ...]:
    """Less of the description, down to its first sentence; the name."""
    name, colon, description = part.text.partition("**: ")
    return (*[f"{name}{colon}{text}" for text in shorter_lines(description)], f"{name}**") if colon else ()


def write_skill_element(skill: Skill) -> Part:
    """A `<skill>` element with name, description and location, each on one line and escaped in full."""
    return _make_menu_entry(skill, _format_skill_element, ELEMENT, list_shorter_elements)


def _format_skill_element(skill: Skill, description: str) -> str:
    escaped = escape_xml(to_one_line(skill.name)), escape_xml(description), escape_for_part(skill.location)
    name, description, location = map(_escape_menu_tags, escaped)
    return (
        f"<skill>\n<name>{name}</name>\n<description>{description}</description>\n"
        f"<location>{location}</location>\n</skill>"
    )


def _escape_menu_tags(text: str) -> str:
    """An escaped text in which lookalikes of the menu's tags, such as full-width letters, are escaped too."""
    tags = () if text.isascii() else scan(text).tags
    for at in sorted({tag.at for tag in tags if first_word(tag.lead) in ELEMENTS}, reverse=True):
        text = f"{text[:at]}&#x{ord(text[at]):X};{text[at + 1 :]}"
    return text


def report_broken_element(skill: Skill, name_form: str = BLANK) -> tuple[Diagnostic, ...]:
    """The reports of line breaks in the name and the path of an element; an attribute has them as `ENTITY`."""
    name = report_broken_field(skill, "name", skill.name, name_form)
    return *name, *report_broken_field(skill, "path", skill.location, ENTITY)


def report_broken_field(skill: Skill, what: str, text: str, how: str) -> tuple[Diagnostic, ...]:
    """The report of a line break in one field of a skill, and how it is written."""
    return report_skill_breaks(what, text, how, skill.location, skill.line)


def list_shorter_elements(part: Part) -> tuple[str, ...]:
    """Less of the description, down to its first sentence; name and location; the name."""
    match = DESCRIPTION.search(part.text)
    if match is None:
        return ()
    before, after = part.text[: match.start()], part.text[match.end() :]
    shorter = [f"{before}<description>{text}</description>\n{after}" for text in shorter_lines(match[1])]
    name = NAME.search(before)
    return *shorter, before + after, *([f"<skill>{name[0]}</skill>"] if name else [])


def skill_folder(location: str) -> str:
    """The folder of a skill's SKILL.md."""
    above, slash, name = location.rpartition("/")
    if not name.lower().endswith(".md"):
        return location
    return above or slash or "."


def _make_menu_entry(
    skill: Skill, render: Callable[[Skill, str], str], values: str, leaner: Callable[[Part], tuple[str, ...]]
) -> Part:
    full = to_one_line(skill.description)
    source = skill.where_values(values)
    if len(full) > MAX_DESCRIPTION_CHARS:
        shown = shorten_menu_description(full)
        return Part(render(skill, shown), source, skill.name, leaner=leaner, whole=render(skill, full))
    return Part(render(skill, full), source, skill.name, leaner=leaner)


def render_agent_skills(template: str, menu: SkillMenu | None, skills: Sequence[Skill], between: str = "\n") -> Body:
    """An entry for each skill that the agent lists, or why there is none."""
    shown = [skill for skill in skills if not skill.disable_model_invocation]
    if not shown:
        return Skip("there are no skills" if not skills else "every skill is hidden from the model")
    menu = menu or SkillMenu()
    full_texts = [to_one_line(skill.description) for skill in shown]
    descriptions = choose_descriptions(template, menu, shown, full_texts)
    entries = list(zip(shown, full_texts, descriptions, strict=True))
    listed = [(skill, full, text) for skill, full, text in entries if text is not None]
    aliases = make_alias_paths([skill for skill, _, _ in listed])
    bare = menu.bare or template
    parts = [
        _write_skill_entry(template if text else bare, index, skill, full, text, aliases[index], menu)
        for index, (skill, full, text) in enumerate(listed)
    ]
    notes = [report_shortened(skill, text, menu) for skill, full, text in entries if text != full]
    return Group(tuple(parts), sep=between, notes=tuple(notes))


def choose_descriptions(
    template: str, menu: SkillMenu, skills: Sequence[Skill], full_texts: Sequence[str]
) -> list[str | None]:
    """The description that is listed of each skill: full, shortened, "" for the name alone, or None: not listed."""
    if menu.entry is not None:
        full_texts = [_shorten_text(text, menu.entry, menu.mark) for text in full_texts]
    if menu.most is None:
        return [*full_texts]
    fixed = _count_fixed_chars(template, skills)
    if menu.counts == "words":
        fixed = [len(skill.called or skill.name) for skill in skills]
    if sum(fixed) + sum(map(len, full_texts)) <= menu.most:
        return [*full_texts]
    if menu.over == "shorten":
        return _shorten_evenly(full_texts, fixed, menu)
    remaining = menu.most
    bare = _count_fixed_chars(menu.bare or template, skills)
    if menu.counts == "names":
        remaining -= sum(bare)
        fixed = [size - name for size, name in zip(fixed, bare, strict=True)]
    sizes = accumulate(size + len(text) for text, size in zip(full_texts, fixed, strict=True))
    full = sum(1 for _ in takewhile(lambda size: size <= remaining, sizes))
    return [*full_texts[:full], *_choose_bare_names(bare[full:], menu)]


def _choose_bare_names(sizes: list[int], menu: SkillMenu) -> list[str | None]:
    """For skills whose descriptions do not fit: "" if the name fits, None if it does not."""
    if menu.over != "names":
        return [None] * len(sizes)
    return ["" if menu.bare_most is None or size <= menu.bare_most else None for size in accumulate(sizes)]


def _shorten_evenly(full_texts: Sequence[str], fixed: list[int], menu: SkillMenu) -> list[str | None]:
    """All descriptions cut to one length; if that is too short, only names, as many as fit."""
    space = (menu.most or 0) - sum(fixed)
    each = max(space // len(full_texts), 0)
    if each >= MIN_DESCRIPTION_CHARS:
        return [text[:each] for text in full_texts]
    room, shortened = menu.most or 0, list[str | None]()
    for size in fixed:
        room -= size
        shortened.append("" if room >= 0 else None)
    return shortened


def _shorten_text(text: str, limit: int | None, mark: str) -> str:
    return text if limit is None or len(text) <= limit else f"{text[: max(limit - len(mark), 0)]}{mark}"[:limit]


def make_alias_paths(skills: Sequence[Skill]) -> list[str]:
    """The paths with `r0/`, `r1/` … for the folders that hold the skills."""
    folders = [skill.location.rsplit("/", 2)[0] for skill in skills]
    number = {folder: index for index, folder in enumerate(dict.fromkeys(folders))}
    return [f"r{number[p]}{s.location[len(p) :]}" for s, p in zip(skills, folders, strict=True)]


def _count_fixed_chars(template: str, skills: Sequence[Skill]) -> list[int]:
    """The characters of each entry besides its description, and its line end."""
    pieces = split_template(template)
    words = sum(map(len, pieces[::2])) + 1
    values: dict[str, list[str]] = {"name": [skill.called or skill.name for skill in skills]}
    values["path"] = [skill.location for skill in skills]
    values["alias"] = make_alias_paths(skills) if "alias" in pieces else []
    columns = [map(len, values[name]) for name in pieces[1::2] if name in values]
    return [words + sum(sizes) for sizes in zip(*columns, strict=True)] if columns else [words] * len(skills)


SKILL_PLACEHOLDERS = ("name", "description", "path", "alias")
"""The placeholders in a menu's line for a skill."""


def _write_skill_entry(
    template: str, index: int, skill: Skill, full: str, description: str, alias: str, menu: SkillMenu
) -> Group:
    name = to_one_line(skill.called or skill.name)
    if menu.escapes:
        name, full, description = (text.translate(ENTITIES[menu.escapes]) for text in (name, full, description))
    where, names = skill.where, split_template(template)[1::2]
    values: dict[str, Part | Group] = {"name": Part(name, where, name=skill.name, single=True)}
    whole = "" if description == full else full
    values["description"] = Part(description, where, name=skill.name, single=True, whole=whole)
    if "path" in names:
        values["path"] = Part(skill.location, from_state(f"skills[{index}].location"), single=True)
    if "alias" in names:
        values["alias"] = Part(alias, from_state(f"skills[{index}].location"), single=True)
    return Group(fill_template(template, values), sep="")


def report_shortened(skill: Skill, description: str | None, menu: SkillMenu) -> Diagnostic:
    full, length = to_one_line(skill.description), len(skill.description)
    alone = menu.entry is not None and description == _shorten_text(full, menu.entry, menu.mark)
    why = f"the agent lists at most {menu.entry:,} of a description" if alone else "the list is over its limit"
    done = {None: "it is not listed", "": "only its name is listed"}.get(description)
    done = done or f"{len(description or ''):,} of {length:,} characters of its description are listed"
    return warning("menu-cut", f"{done}: {why}", skill.location, skill.line)


def list_menu(template: str, menu: SkillMenu | None, skills: Sequence[Skill]) -> list[tuple[Skill, str | None]]:
    """The skills that an agent has for its model, each with what it lists as in `choose_descriptions`."""
    shown = [skill for skill in skills if not skill.disable_model_invocation]
    if "{{ description }}" not in template:
        return [(skill, "") for skill in shown]
    full_texts = [to_one_line(skill.description) for skill in shown]
    return [*zip(shown, choose_descriptions(template, menu or SkillMenu(), shown, full_texts), strict=True)]

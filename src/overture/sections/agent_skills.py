"""The skill menu as a known agent lists it, within the room that the agent gives it."""

from collections.abc import Sequence
from itertools import accumulate, takewhile

from ..model.diagnostic import Diagnostic, warning
from ..model.recipe.body import Body, Group, Part, Skip
from ..model.source import from_state
from ..model.state.files import Skill
from ..model.wants.skills import SkillMenu
from ..text.normalize import to_one_line
from .template import fill_template, split_template

MIN_DESCRIPTION_CHARS = 20
"""Characters of a description; with less than that it says nothing."""


def render_agent_skills(template: str, menu: SkillMenu | None, skills: Sequence[Skill], between: str = "\n") -> Body:
    """An entry for each skill that the agent lists, or why there is none."""
    shown = [skill for skill in skills if not skill.disable_model_invocation]
    if not shown:
        return Skip("there are no skills" if not skills else "every skill is hidden from the model")
    descriptions = choose_descriptions(template, menu or SkillMenu(), shown)
    listed = [(skill, text) for skill, text in zip(shown, descriptions, strict=True) if text is not None]
    aliases = make_alias_paths([skill for skill, _ in listed])
    bare = (menu.bare if menu else "") or template
    parts = [
        _write_skill_entry(template if text else bare, index, skill, text, aliases[index])
        for index, (skill, text) in enumerate(listed)
    ]
    notes = [
        _report_shortened(skill, text, menu or SkillMenu())
        for skill, text in zip(shown, descriptions, strict=True)
        if text != to_one_line(skill.description)
    ]
    return Group(tuple(parts), sep=between, notes=tuple(notes))


def choose_descriptions(template: str, menu: SkillMenu, skills: Sequence[Skill]) -> list[str | None]:
    """What is said of each skill: its description, less of it, nothing but its name, or None: it is not listed."""
    full_texts = [_shorten_text(to_one_line(skill.description), menu.entry, menu.mark) for skill in skills]
    aliases = make_alias_paths(skills)
    fixed = [_count_fixed_chars(template, skill, aliases[index]) for index, skill in enumerate(skills)]
    if menu.counts == "words":
        fixed = [len(skill.called or skill.name) for skill in skills]
    if menu.most is None or sum(fixed) + sum(map(len, full_texts)) <= menu.most:
        return [*full_texts]
    if menu.over == "shorten":
        return _shorten_evenly(full_texts, fixed, menu)
    remaining = menu.most
    bare = [_count_fixed_chars(menu.bare or template, skill, aliases[index]) for index, skill in enumerate(skills)]
    if menu.counts == "names":
        remaining -= sum(bare)
        fixed = [size - name for size, name in zip(fixed, bare, strict=True)]
    sizes = accumulate(size + len(text) for text, size in zip(full_texts, fixed, strict=True))
    full = sum(1 for _ in takewhile(lambda size: size <= remaining, sizes))
    return [*full_texts[:full], *_choose_bare_names(bare[full:], menu)]


def _choose_bare_names(sizes: list[int], menu: SkillMenu) -> list[str | None]:
    """What is said of skills whose descriptions have no room: their names, as far as these have some, or nothing."""
    if menu.over != "names":
        return [None] * len(sizes)
    return ["" if menu.bare_most is None or size <= menu.bare_most else None for size in accumulate(sizes)]


def _shorten_evenly(full_texts: list[str], fixed: list[int], menu: SkillMenu) -> list[str | None]:
    """All descriptions cut to one length; where even that does not fit, none, and then the last names go."""
    space = (menu.most or 0) - sum(fixed)
    each = max(space // len(full_texts), 0)
    if each >= MIN_DESCRIPTION_CHARS:
        return [text[:each] for text in full_texts]
    room, found = menu.most or 0, list[str | None]()
    for size in fixed:
        room -= size
        found.append("" if room >= 0 else None)
    return found


def _shorten_text(text: str, limit: int | None, mark: str) -> str:
    return text if limit is None or len(text) <= limit else f"{text[: limit - len(mark)]}{mark}"


def make_alias_paths(skills: Sequence[Skill]) -> list[str]:
    """The paths with `r0/`, `r1/` … for the folders that hold the skills."""
    folders = [skill.location.rsplit("/", 2)[0] for skill in skills]
    number = {folder: index for index, folder in enumerate(dict.fromkeys(folders))}
    return [f"r{number[p]}{s.location[len(p) :]}" for s, p in zip(skills, folders, strict=True)]


def _count_fixed_chars(template: str, skill: Skill, alias: str) -> int:
    """The characters of an entry besides its description."""
    pieces = split_template(template)
    values = {"name": skill.called or skill.name, "path": skill.location, "alias": alias}
    return sum(map(len, pieces[::2])) + sum(len(values.get(name, "")) for name in pieces[1::2]) + 1


def _write_skill_entry(template: str, index: int, skill: Skill, description: str, alias: str) -> Group:
    full = to_one_line(skill.description)
    values: dict[str, Part | Group] = {
        "name": Part(to_one_line(skill.called or skill.name), skill.where, name=skill.name, single=True),
        "path": Part(skill.location, from_state(f"skills[{index}].location"), single=True),
        "alias": Part(alias, from_state(f"skills[{index}].location"), single=True),
        "description": Part(
            description, skill.where, name=skill.name, single=True, whole="" if description == full else full
        ),
    }
    return Group(fill_template(template, values), sep="")


def _report_shortened(skill: Skill, description: str | None, menu: SkillMenu) -> Diagnostic:
    full, length = to_one_line(skill.description), len(skill.description)
    alone = menu.entry is not None and description == _shorten_text(full, menu.entry, menu.mark)
    why = f"the agent lists at most {menu.entry:,} of a description" if alone else "the list is over its limit"
    done = {None: "it is not listed", "": "only its name is listed"}.get(description)
    done = done or f"{len(description or ''):,} of {length:,} characters of its description are listed"
    return warning("menu-cut", f"{done}: {why}", skill.location, skill.line)

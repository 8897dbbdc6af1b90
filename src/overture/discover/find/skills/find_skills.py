"""Skill folders -> skills, sorted by name; where two have one name, the more specific place wins."""

from collections.abc import Iterator, Mapping
from posixpath import dirname, relpath

from msgspec.structs import replace

from ....model.diagnostic import warning
from ....model.recipe.wants.wanted_skills import SkillDirs
from ....model.state.files import Skill
from ...disk.project_root import Roots
from ...disk.reader import Reader, Sighting
from ...disk.walk import at_or_above
from ...formats.skill_by_needs import Parsed, read_parsed
from ..steps.folders_of_step import Ground, below
from ..steps.gitignored import is_folder_gitignored
from ..steps.names_in_folder import is_folder
from .order_skills import by_location, by_source, in_folder_order, in_menu_order
from .skill_places import Place, each_once, level_of, places_of
from .skills_below import skills_below

_UNSURE = ", or it by this: which of the two counts is not fixed"
MANY = 1000
"""More skills than any menu has room for."""


def find_skills(
    reader: Reader,
    wants: SkillDirs,
    walk: list[str],
    roots: Roots,
    home: str,
    extra: tuple[str, ...],
    searched: dict[str, str],
    ground: Ground,
) -> tuple[Skill, ...]:
    """All skills of all places. `searched` takes the folders, by their real paths."""
    if wants.alone == "cwd":
        walk = [folder for folder in walk if at_or_above(roots.repository, reader.real_or(folder))] or walk[-1:]
    top = next((folder for folder in walk if at_or_above(roots.repository, folder)), walk[-1])
    places = places_of(wants, walk, roots, home, top)
    places += [Place(folder, folder, "above") for folder in _borrowed(reader, wants, ground)]
    places += [Place(folder, folder, folder) for folder in extra]
    found: dict[str, Skill] = {}
    claimed: dict[str, str] = {}
    sources: dict[str, str] = {}
    there: list[Skill] = []
    texts: dict[tuple[object, ...], str] = {}
    for folder, root, source, name in each_once(places).values():
        root, reach = "/" if wants.links == "follow" else root, reader.reach_of(name)
        skills = skills_below(reader, folder, root, wants, searched, claimed, reach)
        sources.update({skill.location: source for skill in skills})
        level = level_of(folder, wants)
        there += [each for each in in_folder_order(skills, wants) if not _is_copy(reader, each, level, wants, texts)]
    for skill in sorted(there, key=by_location) if wants.order == "location" else there:
        _take(reader, found, skill, wants)
    for skill in _in_play(reader, wants, roots, searched, ground) if wants.below != "never" else ():
        _take(reader, found, _scoped(skill, found, wants, ground), wants)
    if len(found) > MANY:
        said = f"{len(found):,} skills are listed: their menu alone fills a model's window"
        way = "Move some away, give the menu a budget (--budget skills=2000), or set features.skills.enabled = false"
        reader.diagnostics.append(warning("skills-many", f"{said}. {way}"))
    return by_source(found, sources) if wants.order == "source" else in_menu_order(found, wants, home)


def _borrowed(reader: Reader, wants: SkillDirs, ground: Ground) -> list[str]:
    """The folders of the checkout that count in its worktree."""
    top, worktree = ground.root, ground.worktree
    if wants.borrows == "never" or top is None or worktree is None or not worktree.lends:
        return []
    every = wants.borrows == "always"
    return [f"{worktree.owner}/{each}" for each in wants.project if every or not is_folder(reader, f"{top}/{each}")]


def _in_play(
    reader: Reader, wants: SkillDirs, roots: Roots, searched: dict[str, str], ground: Ground
) -> Iterator[Skill]:
    """The skills in folders below the working directory that lead to a file in play."""
    root = "/" if wants.links == "follow" else roots.project
    for level in below(ground.cwd, ground.touching):
        if wants.below == "listed" or not is_folder_gitignored(reader, ground, level):
            for folder in wants.project:
                yield from skills_below(reader, f"{level}/{folder}", root, wants, searched, {})


def _scoped(skill: Skill, found: Mapping[str, Skill], wants: SkillDirs, ground: Ground) -> Skill:
    """The skill, called by its folder too where another has its name."""
    if skill.name not in found or wants.below == "listed":
        return skill
    return replace(skill, name=f"{relpath(level_of(dirname(dirname(skill.location)), wants), ground.cwd)}:{skill.name}")


def _is_copy(reader: Reader, skill: Skill, level: str, wants: SkillDirs, texts: dict[tuple[object, ...], str]) -> bool:
    """Whether another skill of the same folder says the same, and only the first of such counts."""
    seen = reader.look_at(skill.location, "/") if wants.same_text == "first" else None
    parsed: Parsed | None = reader.peek(seen, read_parsed) if isinstance(seen, Sighting) else None
    if parsed is None:
        return False
    first = texts.setdefault((level, *sorted(parsed.fields.items()), parsed.body), skill.location)
    if first != skill.location:
        reader.note(skill.location, "skill", "duplicate", f"{first} says the same, and comes first")
    return first != skill.location


def _take(reader: Reader, found: dict[str, Skill], skill: Skill, wants: SkillDirs) -> None:
    if skill.name in wants.disabled:
        reader.note(skill.location, "skill", "skipped", "a setting of the agent's switches it off")
        return
    last = found.get(skill.name) if wants.same_name == "last" else None
    if last is not None:
        reader.note(last.location, "skill", "shadowed", f"by {skill.location}{_UNSURE * (not wants.winner_fixed)}")
        found[skill.name] = skill
    winner = found.setdefault(skill.location if wants.same_name == "all" else skill.name, skill)
    if winner is skill:
        hidden = "kept out of menus by disable-model-invocation" if skill.disable_model_invocation else ""
        reader.note(skill.location, "skill", "loaded", hidden)
        return
    reader.note(skill.location, "skill", "shadowed", f"by {winner.location}{_UNSURE * (not wants.winner_fixed)}")
    message = f"not used: {winner.location} has the same name, {skill.name!r}, and comes first"
    reader.diagnostics.append(warning("skill-collision", message, skill.location))

"""Explains one path or name: which files it means, the role of each, and the setting with which it is loaded."""

import posixpath
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from ..discovery.configuration.config import USER_FILE
from ..discovery.configuration.keys import PROJECT
from ..discovery.context_files import find_nested_files
from ..discovery.discover import ResolvedProject, apply_features, fill_wants
from ..discovery.files import describe_dead_link
from ..discovery.parse_json_and_toml import format_toml_value, parse_toml
from ..discovery.paths import contains_path, expand_path, list_walk_folders
from ..discovery.place import find_project_folder
from ..discovery.reader import DOCUMENT_SUFFIXES
from ..discovery.world import World, make_absolute
from ..errors import find_similar
from ..known_agents.file_owners import INSTRUCTIONS, SKILLS, match_known_file
from ..known_agents.other_tools_files import list_matching_files
from ..model.state.discovery import Discovery, Look, PathFacts, PathKind, PathRole, SettingsHint, best_look
from ..text.path_printer import readable_path
from ..text.words import count_noun

CONTEXT, SKILL_SWITCH = "features.context.enabled", "features.skills.enabled"
NESTED, FILE_NAMES = "features.context.nested", "features.context.filenames"
SKILL_FOLDERS = "features.skills.extra_dirs"
SettingsChange = dict[str, Any]
"""Settings by key."""


def find_path_facts(project: ResolvedProject, found: Discovery, name: str) -> tuple[PathFacts, ...]:
    """What is known about each path that a name stands for."""
    explainer = _Explainer(project, found)
    return tuple(explainer.explain(path, name) for path in explainer.list_meant_paths(name))


def _find_path_kind(world: World, path: str) -> PathKind:
    """The kind of file or folder at a path, links followed."""
    if not world.exists(path):
        return "missing"
    entry = world.find(path, follow=True)
    if entry is None:
        return "nothing"
    return {"file": "file", "dir": "folder"}.get(entry.kind, "other")  # type: ignore[return-value]


def _list_skills_in(world: World, folder: str) -> list[str]:
    """The folders of a folder that hold a SKILL.md."""
    return [name for name, _ in world.list(folder) if world.is_file(f"{folder}/{name}/SKILL.md")]


def _find_similar_name(name: str, known: Iterable[str]) -> str:
    """The known name that is like another without its suffix, in any letter case: a common `.md` is no likeness."""
    stems = {posixpath.splitext(each)[0].lower(): each for each in known}
    return stems.get(find_similar(posixpath.splitext(name)[0].lower(), stems), "")


class _Explainer:
    """Explains paths of one project by its record, and by what a changed setting would do."""

    def __init__(self, project: ResolvedProject, found: Discovery) -> None:
        self.project, self.found, self.world = project, found, project.world
        self.wants = apply_features(fill_wants(project), replace(project.features, context_enabled=True)).context
        """The instruction files that the recipe looks for, or would if they were switched on."""
        self.walk = list_walk_folders(project.cwd, project.location.root)

    # A name that the user asks about -> the paths that it means.

    def list_meant_paths(self, name: str) -> list[str]:
        """The paths that a name means: itself, or else every file or skill of that name."""
        path = make_absolute(self.world, expand_path(name, self.project.cwd, self.project.home))
        if self.world.is_file(f"{path}/SKILL.md"):
            return [f"{path}/SKILL.md"]
        if not self.world.exists(path):
            shell = make_absolute(self.world, posixpath.join(self.world.machine.cwd(), name))
            if name and not name.startswith("~") and self.world.exists(shell):
                return [shell]
            if not name.startswith((".", "/", "~")):
                return list(dict.fromkeys(self._list_named_paths(name.rstrip("/")))) or [path]
        return [path]

    def _list_named_paths(self, name: str) -> Iterator[str]:
        """The paths with a name: looked at, skills, in folders above, or where any tool keeps skills."""
        for look in self.found.looked_at:
            if look.outcome != "absent" and look.path.endswith((f"/{name}", f"/{name}/SKILL.md")):
                yield look.path
        yield from (skill.location for skill in self.found.state.skills if skill.name == name)
        paths = [posixpath.join(folder, name) for folder in reversed(self.walk)]
        folders = (posixpath.join(folder, each) for folder in (*self.walk, self.project.home) for each in SKILLS)
        paths += [] if "/" in name else [f"{folder}/{name}/SKILL.md" for folder in folders]
        yield from (path for path in paths if self.world.is_file(path))

    def _find_nearest_path(self, path: str) -> tuple[str, str]:
        """The missing step of a path, if it is not the last, and a path like it that exists."""
        folder, name = posixpath.split(path)
        while folder != "/" and not self.world.is_folder(folder):
            folder, name = posixpath.split(folder)
        near = _find_similar_name(name, (each for each, _ in self.world.list(folder)))
        missing = "" if path == posixpath.join(folder, name) else f"{folder} has no {name!r}"
        return missing, posixpath.join(folder, near) if near else ""

    def _find_recorded_path(self, path: str) -> str:
        """The recorded path of a file that was asked for through a link; empty if it is the same."""
        looks, real_or_same = self.found.looked_at, self.world.real_or_same
        refused = (look.path for look in looks if look.outcome == "outside")
        if best_look(looks, path) is not None or any(contains_path(each, path) for each in refused):
            return ""
        folder, name = posixpath.split(path)
        target = self._write_as_walked(real_or_same(path))
        if best_look(looks, target) is None:
            target = self._write_as_walked(posixpath.join(real_or_same(folder), name))
        return "" if target == path else target

    def _write_as_walked(self, real: str) -> str:
        """A real path, written as the walk writes it: the working directory may have been reached through a link."""
        for base in (*reversed(self.walk), self.project.home):
            top = self.world.real_or_same(base)
            if contains_path(top, real):
                return posixpath.normpath(posixpath.join(base, posixpath.relpath(real, top)))
        return real

    # A path -> its explanation.

    def explain(self, path: str, name: str) -> PathFacts:
        """The explanation of one path: a file, a folder, or one that is missing."""
        names = self.wants.names if self.wants else ()
        facts = PathFacts(path, _find_path_kind(self.world, path), name, names=names)
        if facts.kind == "nothing":
            return replace(facts, missing=describe_dead_link(self.world, path) or "")
        if facts.kind == "missing":
            missing, near = self._find_nearest_path(path)
            if not near and not missing:
                near = _find_similar_name(name, (skill.name for skill in self.found.state.skills))
            return replace(facts, missing=missing, near=near)
        facts = replace(facts, same=self._find_recorded_path(path))
        if facts.kind == "folder":
            return self._explain_folder(facts)
        return self._explain_file(facts) if facts.kind == "file" else facts

    def _explain_file(self, facts: PathFacts) -> PathFacts:
        """The explanation of a file: its role, how a session treats it, and the setting that would load it."""
        path = facts.same or facts.path
        role, of = self._find_configured_role(path) or self._find_role(path)
        facts = replace(facts, role=role, of=of)
        if role == "skill":
            facts = replace(facts, skills=len(_list_skills_in(self.world, posixpath.dirname(posixpath.dirname(path)))))
        look = best_look(self.found.looked_at, readable_path(path))
        if look.reason.code != "hidden" if look else role not in ("skill", "foreign", "text"):
            return facts  # it is loaded, or no setting would change its outcome
        is_on = self.project.features.skills_enabled if role == "skill" else self.project.features.context_enabled
        nested = None if look is not None or not is_on else self._look_nearby(self.project, path)
        facts = replace(facts, nested=nested, off="" if is_on else SKILL_SWITCH if role == "skill" else CONTEXT)
        if nested is not None and self.wants and self.wants.nested and nested.outcome != "hidden":
            return facts
        help = self._find_helpful_settings(path, role)
        if help is not None or look is not None:
            return replace(facts, help=help)
        folder, location = posixpath.dirname(path), self.project.location
        is_above = contains_path(folder, self.project.cwd)
        location = location._replace(root=folder) if is_above else location._replace(cwd=folder, root=None)
        there = best_look(self.project._replace(location=location).find().looked_at, path)
        if there is None or there.outcome != "loaded":
            return facts
        return replace(facts, root=folder) if is_above else replace(facts, cwd=folder)

    def _explain_folder(self, facts: PathFacts) -> PathFacts:
        """The files in a folder that are not loaded, and those that a session adds."""
        world, top = self.world, (facts.same or facts.path).rstrip("/")
        skills = _list_skills_in(world, top or "/")
        searched = [look.path for look in self.found.looked_at if look.what == "skill"]
        if skills and not any(path.startswith(f"{top}/") for path in searched):
            help = self._find_helpful_settings(f"{top}/{skills[0]}/SKILL.md", "skill")
            return replace(facts, skills=len(skills), help=help)
        unread, delivered = list[str](), list[str]()
        known = dict.fromkeys(each for kind in INSTRUCTIONS for each in list_matching_files(world, top or "/", kind))
        for path in known:
            if world.is_file(path) and best_look(self.found.looked_at, path) is None:
                nested = self._look_nearby(self.project, path) if self.wants and self.wants.nested else None
                is_added = nested is not None and nested.outcome == "loaded"
                (delivered if is_added else unread).append(path.removeprefix(f"{top}/"))
        for subfolder in SKILLS:
            number = len(_list_skills_in(world, f"{top}/{subfolder}"))
            if number and not any(path.startswith(f"{top}/{subfolder}/") for path in searched):
                unread.append(f"{subfolder} ({count_noun(number, 'skill')})")
        return replace(facts, unread=tuple(unread), delivered=tuple(delivered))

    # The role of a file, and the tool, skill, file or name that it refers to.

    def _find_configured_role(self, path: str) -> tuple[PathRole, str] | None:
        """A file with settings of ours, or that a setting names."""
        config, home, (folder, name) = self.project.config, self.project.home, posixpath.split(path)
        if path in (config.file, f"{home.rstrip('/')}/{USER_FILE}"):
            return "settings", path
        if name == "pyproject.toml":
            try:
                parse_toml(self.world.read(path))["tool"]["overture"]
            except (OSError, ValueError, KeyError, TypeError):
                return "no settings", ""
        if name in ("overture.toml", "pyproject.toml"):
            return "far settings", config.file if contains_path(folder, self.project.cwd) else ""
        for role in ("tools", "models"):
            setting = config.get(role, self.project.recipe.name)
            if setting.value == path:
                return role, setting.origin
        for each in config.extending(self.project.recipe.name):
            if expand_path(each.spec.rpartition(":")[0], each.folder, home) == path:
                return "extension", each.origin
        return None

    def _find_role(self, path: str) -> tuple[PathRole, str]:
        """A template, a skill or a part of one, or what the name says."""
        project, names, (folder, name) = self.project, self.wants.names if self.wants else (), posixpath.split(path)
        if (templates := fill_wants(project).templates) and name.endswith(".md"):
            places = [(project.cwd, each) for each in templates.project]
            places += [(project.home, each) for each in templates.home]
            if any(folder == posixpath.join(*place) for place in places):
                return "template", name.removesuffix(".md")
        for skill in self.found.state.skills:
            if contains_path(posixpath.dirname(skill.location), path) and path != skill.location:
                return "part", skill.name
        if name == "SKILL.md":
            return "skill", ""
        cased = {each.lower(): each for each in names}
        if name not in names and name.lower() in cased:
            return "miscased", cased[name.lower()]
        known = match_known_file(path)
        if known is not None or name in names:
            return "foreign", known[1] if known else ""
        return "text" if name.lower().endswith(DOCUMENT_SUFFIXES) else "plain", ""

    # The setting that would load a file.

    def _find_helpful_settings(self, path: str, role: PathRole) -> SettingsHint | None:
        """The smallest change with which the path is looked at and not hidden."""
        for change in self._list_changes(path, role):
            features = {key.removeprefix("features.").replace(".", "_"): value for key, value in change.items()}
            project = self.project._replace(features=replace(self.project.features, **features))
            look, nested = best_look(project.find(self.found).looked_at, path), None
            if look is None and (nested := self._look_nearby(project, path)) and self.wants and not self.wants.nested:
                change[NESTED] = True
            if (outcome := look or nested) is not None and outcome.outcome != "hidden" and change:
                return SettingsHint(*self._format_change(change), outcome, look is None)
        return None

    def _list_changes(self, path: str, role: PathRole) -> Iterator[SettingsChange]:
        """What could help: to switch the search on, to take all of its files, and to look for this one too."""
        features, folder = self.project.features, posixpath.dirname(posixpath.dirname(path))
        if role == "skill":
            on: SettingsChange = {} if features.skills_enabled else {SKILL_SWITCH: True}
            yield from (on, {**on, SKILL_FOLDERS: (*features.skills_extra_dirs, folder)})
        elif self.wants and role in ("foreign", "text"):
            on = {} if features.context_enabled else {CONTEXT: True}
            known = match_known_file(path)
            top = next((top for top in reversed(self.walk) if contains_path(top, path)), "/")
            name = known[0] if known else posixpath.relpath(path, top)
            yield from (on, {**on, FILE_NAMES: self.wants.names}, {**on, FILE_NAMES: (*self.wants.names, name)})

    def _look_nearby(self, project: ResolvedProject, path: str) -> Look | None:
        """The outcome of a path below the working directory in a session, when a tool comes near it."""
        wants = apply_features(fill_wants(project), project.features).context
        if wants is None or not contains_path(project.cwd, path):
            return None
        reader = project.reader()
        find_nested_files(reader, wants, project.place(), path)
        return best_look(reader.looked, path)

    def _format_change(self, change: SettingsChange) -> tuple[tuple[str, ...], str]:
        """The change as lines, and the place where they take effect."""
        project, config, recipe = self.project, self.project.config, self.project.recipe.name
        nearest = min((config.get(key, recipe) for key in change), key=lambda value: value.rank)
        top = find_project_folder(self.world, config.folder or project.cwd)
        # A project's own file may name a folder outside only if the user trusts it.
        folders = change.get(SKILL_FOLDERS, ())
        reaches_out = any(not contains_path(top, self.world.real_or_same(path)) for path in folders)
        if nearest.rank < PROJECT:
            where = f"in {nearest.origin}" if nearest.rank else "on the command line (-c)"
        elif nearest.rank > PROJECT and reaches_out:
            where = f"in {project.home.rstrip('/')}/{USER_FILE}"
        else:
            table = ", under [tool.overture]" if config.file.endswith("pyproject.toml") else ""
            trust = ", and run `overture trust`" if reaches_out else ""
            where = f"in {config.file or 'overture.toml'}{table}{trust}"
        folder = posixpath.dirname(config.file) if config.file and nearest.rank >= PROJECT else project.cwd
        lines = []
        for key, value in change.items():
            if key == SKILL_FOLDERS:
                value = [posixpath.relpath(path, folder) if contains_path(folder, path) else path for path in value]
            lines.append(f"{config.counting(key, recipe)} = {format_toml_value(value)}")
        return tuple(lines), where

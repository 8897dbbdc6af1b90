"""Trees in which a project reaches for files of the machine, in every way that a recipe's own data allows."""

import json
import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from overture.discovery.place import list_step_names
from overture.model.agent_rules import AgentWants
from overture.model.recipe.recipe import Recipe
from overture.model.wants import Wants, fill_settings

CANARY = "CANARY-"
SKILL = "---\nname: {name}\ndescription: {text}\n---\n{text}\n"


def filled(recipe: Recipe) -> Wants:
    """What a recipe looks for, with its settings filled in."""
    if isinstance(recipe.wants, AgentWants):
        return recipe.wants.fill(recipe.wants.own_folders({}))
    return fill_settings(recipe.wants, recipe.settings)


class Canaries:
    """Files outside the project, each with a text of its own; the project's own files lead there."""

    def __init__(self, top: Path) -> None:
        self.top, self.project, self.home = top, top / "project", top / "home"
        self.files: dict[str, Path] = {}
        (self.project / ".git").mkdir(parents=True)
        (self.project / ".git/HEAD").write_text("ref: refs/heads/main\n")
        (self.home).mkdir()

    def plant(self, name: str, *, skill: bool = False) -> Path:
        """A file below home, in no folder of any agent's."""
        text = f"{CANARY}{len(self.files):04}-"
        path = self.home / "private" / f"n{len(self.files)}" / name
        path.parent.mkdir(parents=True)
        path.write_text(SKILL.format(name=path.parent.name, text=text) if skill else f"{text}\n")
        self.files[text] = path
        return path

    def put(self, name: str, text: str) -> None:
        """A file of the project, unless something is there."""
        path = self.project / name
        if not any(each.is_symlink() or each.is_file() for each in (path, *path.parents)):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def link(self, name: str, target: Path) -> None:
        """A link of the project, unless something is there."""
        path = self.project / name
        if not path.exists() and not any(each.is_symlink() or each.is_file() for each in (path, *path.parents)):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(posixpath.relpath(target, path.parent))


def _names(wants: Wants) -> Iterator[str]:
    """The paths in a project at which a recipe looks for text."""
    context = wants.context.names if wants.context else ()
    under = wants.context.under if wants.context else ("",)
    given = list_step_names(wants)
    given += [posixpath.join(place, name) for place in under for name in context]
    given += [wants.agent.name] if wants.agent else []
    given += [wants.memories.name] if wants.memories else []
    for name in dict.fromkeys(given):
        if name and not name.startswith(("~", "/", "..")):
            yield name.replace("**/", "").replace("*", "canary").strip("/")


def plant_links(canaries: Canaries, wants: Wants) -> None:
    """Every name is a link to a file outside; every folder of skills holds one, and a linked SKILL.md."""
    for name in _names(wants):
        canaries.link(name, canaries.plant(posixpath.basename(name)))
    skills = wants.listed if isinstance(wants, AgentWants) else wants.skills
    for number, folder in enumerate(skills.project if skills else ()):
        if not folder.startswith(("~", "/")):
            canaries.link(f"{folder}/linked{number}", canaries.plant("SKILL.md", skill=True).parent)
            canaries.link(f"{folder}/inner{number}/SKILL.md", canaries.plant("SKILL.md", skill=True))


def plant_folders(canaries: Canaries, wants: Wants) -> None:
    """The folders in which names are looked for are links to folders outside."""
    for name in _names(wants):
        folder, _, rest = name.partition("/")
        if rest and not (canaries.project / folder).exists():
            target = canaries.plant("unused").parent
            canaries.link(folder, target)
        if rest and (canaries.project / folder).is_symlink():
            path = canaries.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            text = f"{CANARY}{len(canaries.files):04}-"
            path.write_text(f"{text}\n")
            canaries.files[text] = path.resolve()


def plant_imports(canaries: Canaries, wants: Wants) -> None:
    """Every name is a file that imports others: from home, by an absolute path, by `..`, and through a link."""
    for name in _names(wants):
        folder = canaries.project / posixpath.dirname(name)
        at_home = canaries.plant("home.md").relative_to(canaries.home)
        beside = posixpath.relpath(canaries.plant("beside.md"), folder)
        inner = f"inner-{len(canaries.files)}.md"
        canaries.link(posixpath.join(posixpath.dirname(name), inner), canaries.plant("linked.md"))
        lines = [f"@~/{at_home}", f"@{canaries.plant('absolute.md')}", f"@{beside}", f"@{inner}", "Some words."]
        canaries.put(name, "\n".join(lines) + "\n")


def plant_settings(canaries: Canaries, wants: Wants) -> None:
    """Every key of the project's settings by which names are added names files outside, in all spellings."""
    for file in wants.configured if isinstance(wants, AgentWants) else ():
        named = {key: _paths(canaries, skill=step == "skills") for key, step in {**file.adds, **file.replaces}.items()}
        switched = {key: dict.fromkeys(_paths(canaries, skill=True), True) for key in file.folders}
        for path in file.paths:
            if not path.startswith(("~", "/")):
                canaries.put(path, _written(path, {**named, **switched}))


def _paths(canaries: Canaries, *, skill: bool) -> list[str]:
    """The names of files, or of folders with skills."""
    paths = [canaries.plant("SKILL.md" if skill else f".netrc{number}", skill=skill) for number in range(4)]
    named = [path.parent.parent if skill else path for path in paths]
    return [
        str(named[0]),
        posixpath.relpath(named[1], canaries.project),
        f"~/{named[2].relative_to(canaries.home)}",
        f"{posixpath.relpath(named[3].parent, canaries.project)}/*",
    ]


def _written(path: str, values: dict[str, Any]) -> str:
    values = {key: value for key, value in values.items() if value is not None}
    if path.endswith((".yml", ".yaml")):
        return "".join(f"{key}:\n" + "".join(f"  - {each}\n" for each in value) for key, value in values.items())
    table: dict[str, Any] = {}
    for key, value in values.items():
        steps = re.findall(r'"[^"]*"|[^."]+', key)
        here = table
        for step in steps[:-1]:
            here = here.setdefault(step.strip('"'), {})
        here[steps[-1].strip('"')] = value
    return _toml(table) if path.endswith(".toml") else json.dumps(table)


def _toml(table: dict[str, Any], name: str = "") -> str:
    own = [f"{key} = {json.dumps(value)}\n" for key, value in table.items() if not isinstance(value, dict)]
    inner = [_toml(value, f"{name}.{key}".strip(".")) for key, value in table.items() if isinstance(value, dict)]
    return "".join([f"[{name}]\n" if name else "", *own, *inner])


WAYS: dict[str, Callable[[Canaries, Wants], None]] = {
    "links": plant_links,
    "folders": plant_folders,
    "imports": plant_imports,
    "settings": plant_settings,
}

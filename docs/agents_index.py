"""Makes known_agents/records.json, all records as JSON, and file_index.py: what commands ask of all of them at once."""

import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec

from overture.agents.agent_report import TEXT_KINDS
from overture.known_agents import AGENTS, agent, agent_facts
from overture.known_agents.quirks import apply_quirk
from overture.model.recipe.recipe import Recipe

FOLDER = Path(__file__).parents[1] / "src" / "overture" / "known_agents"
INDEX = FOLDER / "file_index.py"
RECORDS = FOLDER / "records.json"
HEAD = '"""What the agents\' records say, by file and folder. Made by docs/agents_index.py: run `make reference`."""\n'
MIN_MANY_READERS = 10
"""Agents that read a file after which it is nobody's own."""
NO_INSTRUCTIONS = ("ignore", "SYSTEM.md")
"""How files end that an agent is told and that instruct nobody: what it may not open, and its own prompt."""
Readers = dict[str, list[str]]
"""A path of a project, and the agents that read it."""


def make_records() -> bytes:
    """Each agent's record as its folder has it, in a line of its own."""
    paths = {name: FOLDER / name.replace("-", "_") / "recipe.toml" for name in AGENTS}
    tables = {name: tomllib.loads(path.read_text(encoding="utf-8")) for name, path in paths.items()}
    rows = (b'"%b":%b' % (name.encode(), msgspec.json.encode(table)) for name, table in tables.items())
    return b"{\n%b\n}\n" % b",\n".join(rows)


def make_index() -> str:
    """The module, as it is on disk when no record has changed since."""
    files, folders = _collect_readers(_list_files), _drop_outer(_collect_readers(_list_skill_folders))
    tables: tuple[tuple[str, str, Mapping[str, object]], ...] = (
        ("FILE_OWNERS", "An instruction file of a project -> whose it is.", _find_owners(files)),
        ("SKILL_FOLDER_OWNERS", "A folder of skills in a project -> whose it is.", _find_owners(folders)),
        ("SMALLEST_LIMITS", "An agent with limits -> the size up to which it takes files whole.", _find_limits()),
    )
    return HEAD + "".join(_format_table(*table) for table in tables)


def _format_table(name: str, about: str, table: Mapping[str, object]) -> str:
    rows = "".join(f"    {_format(key)}: {_format(value)},\n" for key, value in sorted(table.items()))
    return f'\n{name} = {{\n{rows}}}\n"""{about}"""\n'


def _format(value: object) -> str:
    """As the formatter of the project writes it."""
    return f'"{value}"' if isinstance(value, str) else f"{value:_}"


def _collect_readers(list_paths: Callable[[Recipe], Iterable[str]]) -> Readers:
    """By path, the agents that read it; of names that differ in letter case alone, the first."""
    found: Readers = {}
    first: dict[str, str] = {}
    for name in AGENTS:
        for path in list_paths(agent(name)):
            readers = found.setdefault(first.setdefault(path.casefold(), path), [])
            readers += [name] * (name not in readers)
    return found


def _list_files(recipe: Recipe) -> Iterable[str]:
    """The instruction files that an agent looks for in a project, and those that people write for it."""
    yield from (name for name in recipe.agent.owns if name.endswith(".md")) if recipe.agent else ()
    for step in recipe.wants.files:
        for name in "|".join(step.names).split("|") if step.where != "home" and step.kind in TEXT_KINDS else ():
            if name and name[0] not in "/~" and "{" not in name and not name.endswith(NO_INSTRUCTIONS):
                # Of a folder in which an agent reads everything, the Markdown is what recipes could read too.
                yield f"{name}.md".replace("**/", "") if name.endswith("/*") else name.replace("**/", "")


def _list_skill_folders(recipe: Recipe) -> Iterable[str]:
    skills = recipe.wants.skills
    return (folder for folder in (*skills.project, *skills.here) if "{" not in folder) if skills else ()


def _drop_outer(folders: Readers) -> Readers:
    """The agents' own folders that hold no other one of them: `skills` is anybody's, `.cursor` has `.cursor/skills`."""
    inner = (path for path in folders if path.startswith(".") and not any(f.startswith(f"{path}/") for f in folders))
    return {path: folders[path] for path in inner}


def _find_owners(readers: Readers) -> dict[str, str]:
    """Whose each path is: named after an agent, everybody's, or of its only reader. What is nobody's is left out."""
    found = {path: _find_owner(path, names, readers) for path, names in readers.items()}
    return {path: owner for path, owner in found.items() if owner}


def _find_owner(path: str, names: list[str], readers: Readers) -> str:
    folder = path.rpartition("/")[0]
    beside = [name for each, names in readers.items() if folder and each.startswith(f"{folder}/") for name in names]
    for name in (*names, *beside, *AGENTS):
        facts = agent_facts(name)
        for sign, title in (*facts.owns.items(), *((sign, facts.title) for sign in facts.signs.project)):
            if path == sign or (path.startswith(f"{sign}/") and name in (*names, *beside)):
                return title
    if len(names) >= MIN_MANY_READERS:
        return "many agents"
    # A name that stands in the open, such as README.md, is no agent's own because one reads it.
    return agent_facts(names[0]).title if path.startswith(".") and len(names) == 1 else ""


def _find_limits() -> dict[str, int]:
    """The smallest size of files at which an agent may lose something; 0 where a setting may make it smaller."""
    found = {name: _find_limit(agent(name)) for name in AGENTS}
    return {name: limit for name, limit in found.items() if limit is not None}


def _find_limit(recipe: Recipe) -> int | None:
    wants = recipe.wants
    settings = [wants.environment, *(file.keys for file in wants.settings_files)]
    targets = {word for table in settings for value in table.values() for word in value.split()}
    sizes = [0 if f"limits.{limit.name}" in targets else limit.most for limit in wants.limits]
    importing: list[int | None] = [
        apply_quirk(s.quirks, "limit_importing_file", None) for s in wants.files if s.imports
    ]
    sizes += [size for size in importing if size is not None]
    sizes += [wants.skills.largest] if wants.skills and wants.skills.largest is not None else []
    return min(sizes, default=None)

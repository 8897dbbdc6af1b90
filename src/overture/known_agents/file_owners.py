"""Files and folders that other tools read, with their owners. Reports name the owner of a file that a recipe skips."""

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import translate

from ..model.agent_rules import TEXT_KINDS, Skills
from . import AGENTS, agent_facts, agent_wants

MIN_MANY_READERS = 10  # agents that read a file after which it is nobody's own
NO_INSTRUCTIONS = ("ignore", "SYSTEM.md")
"""How files end that an agent loads and that instruct nobody: what it may not open, and its own prompt."""
Readers = dict[str, dict[str, None]]  # a path of a project, and the agents that read it


def _find_owners(paths: Mapping[str, Iterable[str]], *, folders: bool = False) -> dict[str, str]:
    """The owner of each path that agents read in a project: an agent with that name in it, or its only reader."""
    readers: Readers = {}
    first: dict[str, str] = {}  # of names that differ in letter case alone
    for name in AGENTS:
        for path in paths[name]:
            readers.setdefault(first.setdefault(path.casefold(), path), {})[name] = None
    if folders:  # `skills` is anybody's, and `.cursor` has `.cursor/skills`
        inner = [p for p in readers if p.startswith(".") and not any(f.startswith(f"{p}/") for f in readers)]
        readers = {path: readers[path] for path in inner}
    return {path: owner for path in sorted(readers) if (owner := _find_owner(path, readers))}


def _list_files(name: str) -> Iterator[str]:
    """The instruction files that an agent looks for in a project, and those that people write for it."""
    yield from (path for path in agent_facts(name).owns if path.endswith(".md"))
    steps = [step for step in agent_wants(name).steps if step.place != "home" and step.kind in TEXT_KINDS]
    for path in (path for step in steps for each in step.names for path in each.split("|")):
        if path[0] not in "/~" and "{" not in path and not path.endswith(NO_INSTRUCTIONS):
            # Of a folder in which an agent reads everything, the Markdown is what recipes could read too.
            yield f"{path}.md".replace("**/", "") if path.endswith("/*") else path.replace("**/", "")


def _find_owner(path: str, readers: Readers) -> str:
    names, folder = [*readers[path]], path.rpartition("/")[0]
    beside = [name for each, names in readers.items() if folder and each.startswith(f"{folder}/") for name in names]
    for name in (*names, *beside, *AGENTS):
        facts = agent_facts(name)
        for sign, title in (*facts.owns.items(), *((sign, facts.title) for sign in facts.signs.project)):
            if path == sign or (path.startswith(f"{sign}/") and name in (*names, *beside)):
                return title
    if len(names) >= MIN_MANY_READERS:
        return "many agents"
    # A name that is not hidden, such as README.md, is no agent's own because one reads it.
    return agent_facts(names[0]).title if path.startswith(".") and len(names) == 1 else ""


OPAL = {"OPAL.md": "Opal", ".agents/AGENTS.md": "Opal", ".opal/AGENTS.md": "Opal"}
INSTRUCTIONS = {**_find_owners({name: _list_files(name) for name in AGENTS}), **OPAL, "replit.md": "Replit"}
"""A path below a project folder -> the tool that reads it; of several tools, the one in its name."""
COLLECTION = "a collection or a plugin"
OTHER_FOLDERS = {".opal/skills": "Opal", ".sf/skills": "pi", ".moltis/skills": "Moltis", "skills": COLLECTION}
LISTED = {name: agent_wants(name).listed or Skills() for name in AGENTS}
PLACES = {name: [each for each in (*s.project, *s.here) if "{" not in each] for name, s in LISTED.items()}
SKILLS = {**_find_owners(PLACES, folders=True), **OTHER_FOLDERS}
"""A folder with skills in a project -> the tool that reads it."""
# Folders that only agents use.
AGENT_FOLDERS = {path.partition("/")[0] for path in (*INSTRUCTIONS, *SKILLS) if path[0] == "." and "/" in path}
AGENT_FOLDERS -= {".github"}
PATTERNS = tuple(INSTRUCTIONS)
ANY_PATTERN = re.compile("|".join(f"({translate(pattern)})" for pattern in PATTERNS))


def group_by_first_step(paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Group paths by their first step: one listing of a folder shows which of them can exist there."""
    steps: dict[str, tuple[str, ...]] = {}
    for path in paths:
        step = path.partition("/")[0]
        steps[step] = (*steps.get(step, ()), path)
    return steps


def match_known_file(path: str) -> tuple[str, str] | None:
    """The name or pattern that an agent looks for, such as `.cursor/rules/*.mdc`, and the tool that reads it."""
    parts = path.split("/")
    for count in range(min(len(parts), 5), 0, -1):
        tail = "/".join(parts[-count:])
        if found := ANY_PATTERN.match(tail):
            pattern = PATTERNS[(found.lastindex or 0) - 1]
            # A rules folder has subfolders; `*` matches those, too.
            return (pattern if pattern.count("/") == count - 1 else tail), INSTRUCTIONS[pattern]
    return None

"""Files and folders that other tools read, and whose they are: so that one which a recipe does not read has a name."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cache

from .index import FILE_OWNERS, SKILL_FOLDER_OWNERS

INSTRUCTIONS = {
    **FILE_OWNERS,
    "OPAL.md": "Opal",
    ".agents/AGENTS.md": "Opal",
    ".opal/AGENTS.md": "Opal",
    "replit.md": "Replit",
}
"""A path below a folder of a project -> the tool that reads it; where several do, the one that it is named after."""

SKILLS = {
    **SKILL_FOLDER_OWNERS,
    ".opal/skills": "Opal",
    ".sf/skills": "pi",
    ".moltis/skills": "Moltis",
    "skills": "a collection or a plugin",
}
"""A folder of a project that holds skills -> the tool that looks there."""

PLUGINS = "plugins"
COLLECTION = SKILLS["skills"]
"""Whose skills are that lie in `plugins/NAME/skills`, in `NAME/skills`, or right in the project."""


def by_first_step(paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Paths by their first step: a glance at a folder tells which of them may lie there."""
    steps: dict[str, tuple[str, ...]] = {}
    for path in paths:
        step = path.partition("/")[0]
        steps[step] = (*steps.get(step, ()), path)
    return steps


INSTRUCTION_STEPS = by_first_step(INSTRUCTIONS)
AGENT_FOLDERS = frozenset(
    path.partition("/")[0] for path in (*INSTRUCTIONS, *SKILLS) if path.startswith(".") and "/" in path
) - {".github"}
"""Folders that belong to agents alone."""
SETTINGS_SUFFIXES = (".json", ".jsonc", ".toml", ".yaml", ".yml")
NAME_PATTERNS = tuple(
    (pattern, pattern.partition("*")[0], pattern.rpartition("*")[2], tool) for pattern, tool in INSTRUCTIONS.items()
)
"""Each with the letters before and behind all that it leaves open: nearly every path lacks them."""


def known_as(path: str) -> tuple[str, str] | None:
    """The name under which a file is looked for, with `*` where others lie beside it, and the tool that reads it."""
    parts = path.split("/")
    for count in range(min(len(parts), 5), 0, -1):
        tail = "/".join(parts[-count:])
        for pattern, head, end, tool in NAME_PATTERNS:
            # A rules folder has folders of its own; `*` stands for those too.
            if tail.startswith(head) and tail.endswith(end) and fnmatchcase(tail, pattern):
                return (pattern if pattern.count("/") == count - 1 else tail), tool
    return None


def is_agent_settings(path: str) -> bool:
    """Whether a path is where an agent looks for its settings, such as `.claude/settings.local.json`."""
    folder, _, name = path.rpartition("/")
    return folder in AGENT_FOLDERS and name.endswith(SETTINGS_SUFFIXES)


def find_right_name(name: str) -> str | None:
    """The name of an instruction file, where only its letter case makes another of it: `AGENTS.md` for `Agents.md`."""
    return None if name in INSTRUCTIONS else _map_folded_names().get(name.casefold())


@cache
def _map_folded_names() -> dict[str, str]:
    return {name.casefold(): name for name in INSTRUCTIONS}

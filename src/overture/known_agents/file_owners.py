"""Files and folders that other tools read, with their owners. Reports name the owner of a file that a recipe skips."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from .file_index import FILE_OWNERS, SKILL_FOLDER_OWNERS

INSTRUCTIONS = {
    **FILE_OWNERS,
    "OPAL.md": "Opal",
    ".agents/AGENTS.md": "Opal",
    ".opal/AGENTS.md": "Opal",
    "replit.md": "Replit",
}
"""A path below a project folder -> the tool that reads it; of several tools, the one in its name."""

SKILLS = {
    **SKILL_FOLDER_OWNERS,
    ".opal/skills": "Opal",
    ".sf/skills": "pi",
    ".moltis/skills": "Moltis",
    "skills": "a collection or a plugin",
}
"""A folder with skills in a project -> the tool that reads it."""

PLUGINS = "plugins"
COLLECTION = SKILLS["skills"]
"""The owner of skills in `plugins/NAME/skills`, in `NAME/skills`, or at the top of the project."""


def group_by_first_step(paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Group paths by their first step: one listing of a folder shows which of them can exist there."""
    steps: dict[str, tuple[str, ...]] = {}
    for path in paths:
        step = path.partition("/")[0]
        steps[step] = (*steps.get(step, ()), path)
    return steps


INSTRUCTION_STEPS = group_by_first_step(INSTRUCTIONS)
AGENT_FOLDERS = frozenset(
    path.partition("/")[0] for path in (*INSTRUCTIONS, *SKILLS) if path.startswith(".") and "/" in path
) - {".github"}
"""Folders that only agents use."""
SETTINGS_SUFFIXES = (".json", ".jsonc", ".toml", ".yaml", ".yml")
NAME_PATTERNS = tuple(
    (pattern, pattern.partition("*")[0], pattern.rpartition("*")[2], tool) for pattern, tool in INSTRUCTIONS.items()
)
"""Each pattern with its fixed start and end, which rule out nearly every path without `fnmatch`."""


def match_known_file(path: str) -> tuple[str, str] | None:
    """The name or pattern that an agent looks for, such as `.cursor/rules/*.mdc`, and the tool that reads it."""
    parts = path.split("/")
    for count in range(min(len(parts), 5), 0, -1):
        tail = "/".join(parts[-count:])
        for pattern, head, end, tool in NAME_PATTERNS:
            # A rules folder has subfolders; `*` matches those, too.
            if tail.startswith(head) and tail.endswith(end) and fnmatchcase(tail, pattern):
                return (pattern if pattern.count("/") == count - 1 else tail), tool
    return None


def is_agent_settings(path: str) -> bool:
    """Whether a path is an agent's settings file, such as `.claude/settings.local.json`."""
    folder, _, name = path.rpartition("/")
    return folder in AGENT_FOLDERS and name.endswith(SETTINGS_SUFFIXES)

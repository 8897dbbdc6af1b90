"""Scripts, targets, recipes and tasks that a page names and that the project does not define."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from ...errors import nearest
from ..finding import Finding
from ..ground import Ground
from ..rule import Rule
from ..said.commands import Command, commands

CODE = "missing-command"
DEFINED = {
    "npm": "no package.json here has the script",
    "make": "no Makefile here has the target",
    "just": "no justfile here has the recipe",
    "task": "no Taskfile here has the task",
    "mise": "mise knows no task",
    "deno": "no deno.json here has the task",
    "poe": "no pyproject.toml here has the poe task",
    "cargo": "no Cargo.toml here is the package",
    "nox": "the noxfile has no session",
    "tox": "tox has no environment",
}


def look(ground: Ground) -> Iterator[Finding]:
    """One finding for each name that is defined nowhere, where a page first gives it."""
    for page in ground.pages:
        seen: set[tuple[str, str]] = set()
        for each in commands(page):
            known = ground.project.commands.get(each.runner)
            if known is None or (each.runner, each.name) in seen or is_defined(each, known):
                continue
            seen.add((each.runner, each.name))
            message = f"`{_short(each.said)}`: {DEFINED[each.runner]} {each.name!r:.80}.{nearest(each.name, known)}"
            yield Finding(CODE, "warning", message.rstrip(), page.path, each.line, each.column)


def is_defined(command: Command, known: frozenset[str]) -> bool:
    """Whether a name is known; `*` in a known one stands for anything."""
    return command.name in known or any("*" in name and fnmatchcase(command.name, name) for name in known)


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"


RULES = (Rule(CODE, "warning", "a command that the project does not define", look),)

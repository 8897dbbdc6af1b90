"""What a project without files of its own is told: that there are none, what would be read, and how to go on."""

from collections.abc import Sequence

from ...model.recipe.recipe import Recipe
from ...terminal.terminal import heading, say, table, tell
from ...terminal.wanted_files import MACHINE, files

SHORT = 2
"""Where nothing was found, so many kinds of files are named with their places."""
EMPTY = "No instruction file and no skill was found: the prompt is the recipe's own words, and facts about the machine."


def show_empty(recipe: Recipe) -> None:
    """What a project without files of its own gets: what would be read, and how to go on."""
    say()
    tell(EMPTY)
    wanted = list(files(recipe))
    kinds = list(dict.fromkeys(kind for kind, _ in wanted if kind != MACHINE))
    heading(f"The recipe {recipe.name} would read")
    first = [(kind, place) for kind, place in wanted if kind in kinds[:SHORT]]
    table([(kind if (kind, place) == _first_of(kind, first) else "", place) for kind, place in first])
    if kinds[SHORT:]:
        tell(f"and {', '.join(kinds[SHORT:])}: `overture recipes {recipe.name}` says where", "  ")
    heading("To go on")
    context = recipe.wants.context
    write = [(f"write {context.names[0]}", "say in it what an agent has to know about this project")] if context else []
    build = (f"overture build {recipe.name}", "see the prompt as it is")
    everything = (f"overture explain {recipe.name} --all", "see each section, rule and path that was looked at")
    table([*write, build, everything])


def _first_of(kind: str, rows: Sequence[tuple[str, str]]) -> tuple[str, str]:
    return next(row for row in rows if row[0] == kind)

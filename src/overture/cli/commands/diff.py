"""`overture diff`: what differs between two prompts, block by block, and because of what."""

from typing import Any

import click
import msgspec

from ...discover.disk.world import RealWorld
from ...discover.formats.user_json_and_toml import read_json
from ...errors import ConfigError, StateError
from ...model.prompt.prompt import Prompt
from ...model.prompt.saved import SavedPrompt
from ...model.validation import converted, explained
from ...project.find_recipe import known_names
from ...report.diff import BlockDiff, Patch, diff
from ...text.compare_lines import changed_lines
from ..shared.gather_state import gather, settled
from ..shared.options import AS_JSON, Ask, sharing
from ..shared.terminal import dim, heading, say, style, visible, write_json

COLOURS = {"changed": "yellow", "added": "green", "removed": "red", "told": "cyan"}


@click.command("diff")
@click.argument("before")
@click.argument("after")
@click.option("--recipe", help="The recipe that says two states. Default: as for build.")
@sharing
@AS_JSON
@click.option("--exit-code", is_flag=True, help="Exit 1 if the two differ.")
def command(before: str, after: str, recipe: str | None, as_json: bool, exit_code: bool, **options: Any) -> int:
    """Compare BEFORE and AFTER: two recipes, two states as JSON, or two prompts saved with build --format json.

    Shows, block by block, what changed, from which character on, and because of which input.
    """
    patch = diff(prompt_of(before, recipe, options), prompt_of(after, recipe, options))
    if as_json:
        write_json(patch)
    else:
        show(patch)
    return 1 if exit_code and not patch.same else 0


def prompt_of(name: str, recipe: str | None, options: dict[str, Any]) -> Prompt | SavedPrompt:
    """The prompt that an argument stands for."""
    known = known_names(settled(Ask(**options)))
    if name in known or name.endswith(".toml"):
        return gather(Ask(**{**options, "recipe": name})).build()
    world = RealWorld()
    if not _is_there(world, name):
        raise ConfigError(f"{name[:80]!r} is neither a recipe ({', '.join(known)}) nor a file. Give one of the two.")
    data = read_json(world, name)
    if isinstance(data, dict) and "blocks" in data:
        try:
            return converted(data, SavedPrompt)
        except msgspec.ValidationError as problem:
            raise StateError(f"{name}: {explained(problem, SavedPrompt)}") from None
    try:
        return gather(Ask(**{**options, "recipe": recipe, "state_file": name})).build()
    except StateError as problem:
        raise StateError(f"{name}: {problem}") from None


def _is_there(world: RealWorld, name: str) -> bool:
    try:
        return world.look(name) is not None
    except OSError:
        return False


def show(patch: Patch) -> None:
    """A difference for a person."""
    if patch.same:
        say("The two prompts are the same.")
        return
    same = sum(block.change == "same" for block in patch.blocks)
    say(f"First difference at character {patch.first:,}. {same} of {len(patch.blocks)} blocks are the same.")
    if patch.recipes[0] != patch.recipes[1]:
        say(f"The recipes differ: {patch.recipes[0]}, {patch.recipes[1]}.")
    for block in patch.changed:
        show_block(block)


def show_block(block: BlockDiff) -> None:
    """One block that is not the same, with its changed lines."""
    because = f"because {', '.join(block.because)} changed" if block.because else ""
    because = f"{because} ({block.why})" if block.why else because
    heading(f"{block.name}  " + style(block.change, fg=COLOURS[block.change]) + f"  {dim(because)}")
    for line in changed_lines(block.before or "", block.after or ""):
        colour = {"+": "green", "-": "red"}.get(line[:1])
        say("  " + (style(visible(line), fg=colour) if colour else dim(visible(line))))

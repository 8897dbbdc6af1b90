"""`overture lock`: what prompts are made of, written down, so that nobody changes one unseen."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from ..errors import ConfigError
from ..terminal.gather_state import check_home
from ..terminal.options import AS_JSON, Ask, sharing
from ..terminal.progress import doing
from ..terminal.terminal import write_json
from .find_place import find_place
from .make_prompts import Locking
from .not_locked import not_locked
from .project_world import ProjectWorld
from .real_paths import real_paths
from .show_lock import as_data, is_same, show_checked, show_written
from .write_and_check import Outcome, Written, check, remove, write

WHICH = "RECIPE is a name (`overture recipes` lists them) or the path of a .toml file in the project."


@click.command("lock", epilog=WHICH)
@click.argument("recipes", nargs=-1, metavar="[RECIPE]…")
@click.option("--check", "checking", is_flag=True, help="Write nothing; exit 1 if a prompt is not as it is locked.")
@click.option("--remove", "removing", is_flag=True, help="Take the named recipes out of the lock.")
@sharing
@AS_JSON
def command(recipes: tuple[str, ...], checking: bool, removing: bool, as_json: bool, **options: Any) -> int:
    """Write down what prompts are made of, in overture.lock at the project's root, so that no change goes unseen.

    It has digests and tokens of every section and file, and no text. Only what the project and the recipe give is
    locked: two checkouts have the same lock, whatever home, machine and clock. Recipes that are named are locked or
    locked anew; without one, all that are locked already.

    \b
    overture lock                        lock what overture.toml names
    overture lock codex claude-code      lock what two agents are told
    overture lock --check                for CI: exit 1 if anything moved
    """
    if checking and removing:
        raise ConfigError("--check writes nothing, and --remove does. Leave one out.")
    if removing and not recipes:
        raise ConfigError("--remove takes recipes out of the lock. Name them: overture lock --remove codex.")
    ask = Ask(**options)
    check_home(ask)
    place = find_place(ask.cwd, ask.root)
    locking = Locking(place, ProjectWorld(place.top), ask)
    with real_paths(place.top):
        if checking:
            return print_checked(check(locking, recipes), as_json)
        written = remove(locking, recipes) if removing else write(locking, recipes)
    doing("looking for what others do not have")
    print_written(written, not_locked(locking, written.made), as_json)
    return 0


def print_checked(outcomes: Sequence[Outcome], as_json: bool) -> int:
    """What moved, for a person or a program; 1 where anything did."""
    if as_json:
        write_json(as_data(outcomes))
    else:
        show_checked(outcomes)
    return int(not is_same(outcomes))


def print_written(written: Written, others: Mapping[str, str], as_json: bool) -> None:
    """What was locked, and what was left out."""
    if as_json:
        write_json(as_data(written.outcomes, written=written.changed, not_locked=others))
    else:
        show_written(written, others)

"""`overture lock`: what prompts are made of, written down, so that nobody changes one unseen."""

from typing import Any

import click

from ...errors import ConfigError
from ...project.lock.find_place import find_place
from ...project.lock.project_world import ProjectWorld
from ..layout.progress import doing
from ..lock.make_prompts import Locking
from ..lock.not_locked import not_locked
from ..lock.show_lock import as_data, is_same, show_checked, show_written
from ..lock.write_and_check import check, remove, write
from ..shared.gather_state import check_home
from ..shared.options import AS_JSON, Ask, sharing
from ..shared.terminal import write_json

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
    if checking:
        outcomes = check(locking, recipes)
        write_json(as_data(outcomes)) if as_json else show_checked(outcomes)
        return int(not is_same(outcomes))
    written = remove(locking, recipes) if removing else write(locking, recipes)
    doing("looking for what others do not have")
    others = not_locked(locking, written.made)
    if as_json:
        write_json(as_data(written.outcomes, written=written.changed, not_locked=others))
    else:
        show_written(written, others)
    return 0

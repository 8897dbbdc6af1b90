"""`overture lock` writes what prompts are made of, or shows what changed since."""

from typing import Any

import click

from ..errors import ConfigError
from ..terminal.options import (
    AS_JSON,
    CommandOptions,
    add_shared_options,
    at_one_moment,
    check_home,
    refuse_combinations,
)
from ..terminal.progress import report_step
from .locked_prompts import PromptLocker
from .shared_project import ProjectWorld, find_lock_location, show_real_paths
from .show_lock import print_checked, print_written
from .write_and_check import check_locks, find_not_locked, remove_locks, write_locks

# How `lock` looks: a line for each prompt, or for each thing of it that moved.


# `overture lock`: what prompts are made of, written down, so that nobody changes one unseen.


WHICH = "RECIPE is a name (`overture recipes` lists them) or the path of a .toml file in the project."


@click.command("lock", epilog=WHICH)
@click.argument("recipes", nargs=-1, metavar="[RECIPE]…")
@click.option("--check", "checking", is_flag=True, help="Write nothing; exit 1 if a prompt differs from the lock.")
@click.option("--remove", "removing", is_flag=True, help="Remove the named recipes from the lock.")
@add_shared_options
@AS_JSON
def command(recipes: tuple[str, ...], checking: bool, removing: bool, as_json: bool, **options: Any) -> int:
    """Record what prompts are made of in overture.lock, so that every change is visible.

    The lock has digests and token counts of every section and file, but no text. It covers only the project and the
    recipe, so two checkouts have the same lock on any machine. Named recipes are locked or updated; without a name,
    all locked recipes are updated.

    \b
    overture lock                        lock what overture.toml names
    overture lock codex claude-code      lock what two agents load
    overture lock --check                for CI: exit 1 if anything changed
    """
    refuse_combinations(("--check", "--remove"))
    if removing and not recipes:
        raise ConfigError("--remove needs the names of recipes.", hint="Pass them: overture lock --remove codex")
    command_options = CommandOptions(**options)
    check_home(command_options)
    location = find_lock_location(command_options.cwd, command_options.root)
    locking = PromptLocker(location, ProjectWorld(location.top), at_one_moment(command_options))
    with show_real_paths(location.top):
        if checking:
            return print_checked(check_locks(locking, recipes), as_json)
        written = remove_locks(locking, recipes) if removing else write_locks(locking, recipes)
    report_step("searching for files that others do not have")
    print_written(written, find_not_locked(locking, written.made), as_json)
    return 0

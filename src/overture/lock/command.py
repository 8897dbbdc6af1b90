"""`overture lock` writes what prompts are made of, or shows what changed since."""

import os
from collections.abc import Iterable
from typing import Any

import click

from ..discover.disk.real_world import RealWorld
from ..errors import ConfigError, OvertureError
from ..terminal.gather_state import at_one_moment, gather_silently
from ..terminal.options import AS_JSON, CommandOptions, add_shared_options, check_home
from ..terminal.progress import report_step
from ..text.path_printer import is_inside, make_root_printer
from .lock_file import LockedPrompt
from .locked_prompts import SETTINGS_KINDS, PromptKey, PromptLocker
from .shared_project import ProjectWorld, find_lock_location, show_real_paths
from .show_lock import print_checked, print_written
from .write_and_check import check_locks, remove_locks, write_locks


def find_not_locked(locking: PromptLocker, prompts: Iterable[LockedPrompt]) -> dict[str, str]:
    """Files that are read here and are one person's or one machine's, and why they are left out of these prompts."""
    if locking.options.no_discover or locking.options.state_file:
        return {}
    found: dict[str, str] = {}
    top, home = locking.place.top, os.path.realpath(locking.options.home or RealWorld().home())
    for prompt in prompts:
        known = {os.path.join(top, file.path) for file in prompt.files}
        for path in _build_here(locking, prompt.key):
            if path not in known:
                at_home = is_inside(home, top) and is_inside(path, home)
                name = make_root_printer("" if at_home else top, home).relative(path)
                found[name] = _explain_not_locked(locking, path, home)
    return dict(sorted(found.items()))


def _build_here(locking: PromptLocker, key: PromptKey) -> set[str]:
    """The files that the prompt is made of for whoever asks."""
    try:
        looks = gather_silently(locking.make_local_options(key)).found.looked_at
    except OvertureError:  # settings of one's own: the lock does not have them
        return set()
    return {look.path for look in looks if look.outcome == "loaded" and look.what not in SETTINGS_KINDS}


def _explain_not_locked(locking: PromptLocker, path: str, home: str) -> str:
    top = locking.place.top
    if os.path.realpath(path) in locking.world.hidden:
        return "git ignores it"
    if is_inside(path, top) and not is_inside(home, top):
        return "read because of your own settings"
    return "under home" if is_inside(path, home) else "outside the project"


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
    if checking and removing:
        raise ConfigError("--check and --remove can't be combined.", hint="Omit one of them.")
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

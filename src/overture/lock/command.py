"""`overture lock` writes what prompts are made of, or shows what changed since."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import click

from ..discover.disk.real_world import RealWorld
from ..errors import ConfigError, OvertureError
from ..terminal.gather_state import at_one_moment, gather_silently
from ..terminal.options import AS_JSON, CommandOptions, add_shared_options, check_home
from ..terminal.output import count_noun, escape_controls, print_wrapped, write_json
from ..terminal.progress import report_step
from ..text.path_printer import is_inside, make_root_printer
from ..tokens.counter import format_tokens, name_unit
from .compare_locks import THEN, describe_changes
from .lock_file import LOCK_NAME, LockedPrompt
from .locked_prompts import SETTINGS_KINDS, PromptKey, PromptLocker
from .shared_project import ProjectWorld, find_lock_location, show_real_paths
from .write_and_check import LockOutcome, LockWriteResult, check_locks, remove_locks, write_locks


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
        return "settings of your own have it read"
    return "under home" if is_inside(path, home) else "outside the project"


# How `lock` looks: a line for each prompt, or for each thing of it that moved.


OTHERS = "The clock, the machine and the environment are left out too."


def show_write_result(written: LockWriteResult, others: Mapping[str, str]) -> None:
    """What was locked, and what was left out."""
    for outcome in written.outcomes:
        for line in describe_outcome(outcome):
            print_wrapped(escape_controls(line))
    count = count_noun(len(written.lock.prompts), "prompt")
    print_wrapped(f"{LOCK_NAME} {'is written' if written.changed else 'stays as it is'}: {count}.")
    if others:
        named = ", ".join(f"{path} ({why})" for path, why in others.items())
        print_wrapped(escape_controls(f"Not locked, since others do not have it: {named}. {OTHERS}"))


def show_outcomes(outcomes: Sequence[LockOutcome]) -> None:
    """What moved, and what to do then."""
    for outcome in outcomes:
        for line in describe_outcome(outcome):
            print_wrapped(escape_controls(line))
    if not are_all_same(outcomes):
        print_wrapped(THEN)


def are_all_same(outcomes: Sequence[LockOutcome]) -> bool:
    """Whether all is as it was locked."""
    return all(outcome.status == "same" for outcome in outcomes)


def describe_outcome(outcome: LockOutcome) -> Iterator[str]:
    """What became of a prompt."""
    tokens = f"{format_tokens(outcome.tokens[1] or 0, exact=outcome.exact)} {name_unit(outcome.tokenizer or '')}"
    if outcome.status == "changed":
        yield from describe_changes(outcome.label, outcome.changes, outcome.tokens[1] or 0, exact=outcome.exact)
    elif outcome.status == "unlocked":
        yield f"{outcome.label}: not locked; `overture lock {outcome.recipe}` adds it"
    elif outcome.status == "gone":
        yield f"{outcome.label}: {outcome.why}"
    else:
        yield f"{outcome.label}: {'locked' if outcome.status == 'new' else 'as locked'} ({tokens})"


def outcomes_to_data(outcomes: Sequence[LockOutcome], **more: Any) -> dict[str, Any]:
    """The same for a program."""
    return {"lock": LOCK_NAME, "same": are_all_same(outcomes), **more, "prompts": outcomes}


# `overture lock`: what prompts are made of, written down, so that nobody changes one unseen.


WHICH = "RECIPE is a name (`overture recipes` lists them) or the path of a .toml file in the project."


@click.command("lock", epilog=WHICH)
@click.argument("recipes", nargs=-1, metavar="[RECIPE]…")
@click.option("--check", "checking", is_flag=True, help="Write nothing; exit 1 if a prompt is not as it is locked.")
@click.option("--remove", "removing", is_flag=True, help="Take the named recipes out of the lock.")
@add_shared_options
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
        raise ConfigError("--check writes nothing, and --remove does.", hint="Leave one out.")
    if removing and not recipes:
        raise ConfigError("--remove takes recipes out of the lock.", hint="Name them: overture lock --remove codex.")
    command_options = CommandOptions(**options)
    check_home(command_options)
    location = find_lock_location(command_options.cwd, command_options.root)
    locking = PromptLocker(location, ProjectWorld(location.top), at_one_moment(command_options))
    with show_real_paths(location.top):
        if checking:
            return print_checked(check_locks(locking, recipes), as_json)
        written = remove_locks(locking, recipes) if removing else write_locks(locking, recipes)
    report_step("looking for what others do not have")
    print_written(written, find_not_locked(locking, written.made), as_json)
    return 0


def print_checked(outcomes: Sequence[LockOutcome], as_json: bool) -> int:
    """What moved, for a person or a program; 1 where anything did."""
    if as_json:
        write_json(outcomes_to_data(outcomes))
    else:
        show_outcomes(outcomes)
    return int(not are_all_same(outcomes))


def print_written(written: LockWriteResult, others: Mapping[str, str], as_json: bool) -> None:
    """What was locked, and what was left out."""
    if as_json:
        write_json(outcomes_to_data(written.outcomes, written=written.changed, not_locked=others))
    else:
        show_write_result(written, others)

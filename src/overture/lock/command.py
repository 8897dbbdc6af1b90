"""`overture lock` writes what prompts are made of, or shows what changed since."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
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
from ..terminal.output import count_noun, escape_controls, print_error, print_wrapped, write_json
from ..terminal.progress_line import report_step
from ..text.words import join_words
from ..tokens.counter import describe_tokens, format_tokens, name_unit
from .lock_file import LOCK_NAME
from .locked_prompts import PromptLocker
from .project_world import ProjectFiles, find_lock_location, show_real_paths
from .write_and_check_locks import (
    LockChange,
    LockOutcome,
    LockWriteResult,
    check_locks,
    find_not_locked,
    remove_locks,
    write_locks,
)

WHICH = "RECIPE is a name (`overture recipes` lists them) or the path of a .toml file in the project."


OTHERS = "The clock, the machine and the environment are not locked either."


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
    locking = PromptLocker(location, ProjectFiles(location.top), at_one_moment(command_options))
    with show_real_paths(location.top):
        if checking:
            outcomes = check_locks(locking, recipes)
            if as_json:
                write_json(make_outcomes_data(outcomes))
            else:
                show_outcomes(outcomes)
            return int(not are_all_same(outcomes))
        written = remove_locks(locking, recipes) if removing else write_locks(locking, recipes)
    report_step("searching for files that others do not have")
    others = find_not_locked(locking, written.made)
    if as_json:
        write_json(make_outcomes_data(written.outcomes, written=written.changed, not_locked=others))
    else:
        show_write_result(written, others)
    return 0


def show_write_result(written: LockWriteResult, others: Mapping[str, str]) -> None:
    """What was locked, and what was skipped."""
    _print_outcomes(written.outcomes)
    count = count_noun(len(written.lock.prompts), "prompt")
    print_wrapped(f"Wrote {LOCK_NAME} ({count})" if written.changed else f"{LOCK_NAME} is unchanged ({count})")
    if others:
        named = ", ".join(f"{path} ({why})" for path, why in others.items())
        print_wrapped(escape_controls(f"Not locked because others do not have it: {named}. {OTHERS}"))


def show_outcomes(outcomes: Sequence[LockOutcome]) -> None:
    """What moved, and what to do then."""
    _print_outcomes(outcomes)
    missing = list(dict.fromkeys(outcome.recipe for outcome in outcomes if outcome.status == "unlocked"))
    if moved := sum(outcome.status not in ("same", "unlocked") for outcome in outcomes):
        print_error(f"error: {count_noun(moved, 'prompt')} {'differs' if moved == 1 else 'differ'} from the lock")
        print_error(f"hint: If that is intended, run `overture lock` and commit `{LOCK_NAME}`")
    if missing:
        names = join_words([f"`{name}`" for name in missing])
        print_error(f"error: {escape_controls(names)} {'is' if len(missing) == 1 else 'are'} not in the lock")
        command = f"overture lock {shlex.join(missing)}"
        print_error(f"hint: To add {'it' if len(missing) == 1 else 'them'}, run `{escape_controls(command)}`")


def _print_outcomes(outcomes: Sequence[LockOutcome]) -> None:
    for outcome in outcomes:
        for line in describe_outcome(outcome):
            print_wrapped(escape_controls(line))


def are_all_same(outcomes: Sequence[LockOutcome]) -> bool:
    """Whether all is as it was locked."""
    return all(outcome.status == "same" for outcome in outcomes)


def describe_outcome(outcome: LockOutcome) -> Iterator[str]:
    """What became of a prompt."""
    count = outcome.tokens[1] or 0
    tokens = f"{format_tokens(count, exact=outcome.exact)} {name_unit(outcome.tokenizer or '', count)}"
    if outcome.status == "changed":
        yield from describe_changes(outcome.label, outcome.changes, outcome.tokens[1] or 0, exact=outcome.exact)
    elif outcome.status == "unlocked":
        yield f"{outcome.label}: not in the lock"
    elif outcome.status == "gone":
        yield f"{outcome.label}: {outcome.why}"
    else:
        yield f"{outcome.label}: {'locked' if outcome.status == 'new' else 'unchanged'} ({tokens})"


def make_outcomes_data(outcomes: Sequence[LockOutcome], **more: Any) -> dict[str, Any]:
    """The same for a program."""
    return {"lock": LOCK_NAME, "same": are_all_same(outcomes), **more, "prompts": outcomes}


def _format_tokens(moved: LockChange, total: int, *, exact: bool) -> str:
    if moved.what in ("order", "record"):
        return ""
    if moved.tokens is None:
        return f" ({describe_tokens(total, exact=exact)} in all)"
    return f" ({describe_tokens(moved.tokens, exact=exact, signed=True)})"


def describe_changes(label: str, moved: tuple[LockChange, ...], total: int, *, exact: bool) -> Iterator[str]:
    """A line for each thing that moved: `codex: AGENTS.md changed (+120 tokens)`."""
    for each in moved:
        yield f"{label}: {_describe_change(each)}{_format_tokens(each, total, exact=exact)}"


def _describe_change(moved: LockChange) -> str:
    why = f": {moved.why}" if moved.why else ""
    if moved.what in ("order", "record"):
        return moved.why
    if moved.what == "section":
        return f"section {moved.name} {moved.how}{f', and {moved.why}' if moved.how == 'changed' else ''}"
    if moved.what == "skill":
        how = {"cut": "changed", "whole": "changed"}.get(moved.how, moved.how)
        return f"skills: {how} {moved.name}{why}"
    words = {"added": "is read now", "removed": f"no longer read{why}", "changed": f"changed{why}", "cut": f"cut{why}"}
    return f"{moved.name} {words.get(moved.how, moved.why)}"

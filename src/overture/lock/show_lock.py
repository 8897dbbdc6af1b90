"""How `lock` looks: a line for each prompt, or for each thing of it that moved."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..terminal.terminal import counted, tell, visible
from .lock import NAME
from .words import THEN, moved_lines
from .write_and_check import Outcome, Written

OTHERS = "The clock, the machine and the environment are left out too."


def show_written(written: Written, others: Mapping[str, str]) -> None:
    """What was locked, and what was left out."""
    for outcome in written.outcomes:
        for line in lines(outcome):
            tell(visible(line))
    count = counted(len(written.lock.prompts), "prompt")
    tell(f"{NAME} {'is written' if written.changed else 'stays as it is'}: {count}.")
    if others:
        named = ", ".join(f"{path} ({why})" for path, why in others.items())
        tell(visible(f"Not locked, since others do not have it: {named}. {OTHERS}"))


def show_checked(outcomes: Sequence[Outcome]) -> None:
    """What moved, and what to do then."""
    for outcome in outcomes:
        for line in lines(outcome):
            tell(visible(line))
    if not is_same(outcomes):
        tell(THEN)


def is_same(outcomes: Sequence[Outcome]) -> bool:
    """Whether all is as it was locked."""
    return all(outcome.status == "same" for outcome in outcomes)


def lines(outcome: Outcome) -> Iterator[str]:
    """What became of a prompt."""
    tokens = f"{outcome.tokens[1] or 0:,} tokens"
    if outcome.status == "changed":
        yield from moved_lines(outcome.label, outcome.changes, outcome.tokens[1] or 0)
    elif outcome.status == "unlocked":
        yield f"{outcome.label}: not locked; `overture lock {outcome.recipe}` adds it"
    elif outcome.status == "gone":
        yield f"{outcome.label}: {outcome.why}"
    else:
        yield f"{outcome.label}: {'locked' if outcome.status == 'new' else 'as locked'} ({tokens})"


def as_data(outcomes: Sequence[Outcome], **more: Any) -> dict[str, Any]:
    """The same for a program."""
    return {"lock": NAME, "same": is_same(outcomes), **more, "prompts": outcomes}

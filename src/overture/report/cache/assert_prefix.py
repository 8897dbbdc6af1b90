"""An assertion for users' own tests: a change does not move what a cache keeps."""

import re
from collections.abc import Callable, Mapping
from math import floor

from ...errors import StateError, unknown
from ...model.prompt.prompt import Prompt
from ...model.prompt.saved import SavedPrompt
from ...tokens.counter import as_counter
from ...tokens.estimate import estimate
from .cause_of_miss import Turn, blame
from .shared_prefix import shared_prefix

PERCENT = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*%\s*")


def assert_prefix_stable(
    before: Prompt | SavedPrompt,
    after: Prompt | SavedPrompt,
    at_least: float | str = 1.0,
    *,
    count: Callable[[str], int] = estimate,
) -> None:
    """Fail unless `after` begins as `before` does, for this share of its tokens, or up to the end of that section.

    A share is a number from 0 to 1, or a text such as `"95%"`. The message names the first byte that differs, the
    section and the input to blame, and the kind of cause.
    """
    old, new = (prompt.saved if isinstance(prompt, Prompt) else prompt for prompt in (before, after))
    same = shared_prefix(old.text, new.text)
    wanted = _wanted(at_least, {block.name: block.end for block in new.blocks})
    if isinstance(wanted, int):
        stable, told = same >= wanted, f"The prompt does not stay the same up to the end of {at_least!r}"
    else:
        share = _share(new.text, same, count)
        # Rounded down: a share that is not enough must not look as if it were.
        stays = f"stays the same for {floor(share * 1000) / 10:.1f}% of its tokens"
        stable, told = share >= wanted, f"The prompt {stays}, and at least {wanted * 100:g}% are wanted"
    found = None if stable else blame(Turn(old), Turn(new))
    if found is not None:
        inputs = f" because {', '.join(found.inputs)} changed" if found.inputs else ""
        where = f"byte {found.byte} in {found.section or 'the order of the sections'}{inputs} ({found.kind})"
        raise AssertionError(f"{told}. First difference: {where}.")


def _wanted(at_least: object, ends: Mapping[str, int]) -> int | float:
    """The character at which a section ends, or a share as a float."""
    share = at_least
    if isinstance(at_least, str):
        if at_least in ends:
            return ends[at_least]
        percent = PERCENT.fullmatch(at_least)
        if percent is None:
            raise StateError(unknown("Section", at_least, ends))
        share = float(percent[1]) / 100
    if not isinstance(share, int | float) or not 0 <= share <= 1:
        raise StateError(
            f"at_least: {at_least!r} is no share of a prompt. "
            "Give a number from 0 to 1, as 0.95, a text, as '95%', or the name of a section."
        )
    return float(share)


def _share(text: str, same: int, count: Callable[[str], int]) -> float:
    """The part of a text's tokens that its first `same` characters have."""
    counter = as_counter(count)
    whole = counter(text)
    return min(counter(text[:same]) / whole, 1.0) if whole else 1.0

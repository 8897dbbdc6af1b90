"""An assertion for users' own tests: a change does not move what a cache keeps."""

import re
from collections.abc import Callable, Mapping
from math import floor

from ..errors import StateError, explain_unknown
from ..report.cache.cause_of_miss import CacheTurn, find_miss_cause
from ..report.cache.predict_cache import shared_prefix
from ..tokens.counter import as_counter
from ..tokens.estimate import estimate
from .assertions import PromptLike, find_saved_prompt

PERCENT = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*%\s*")


def assert_prefix_stable(
    before: PromptLike,
    after: PromptLike,
    at_least: float | str = 1.0,
    *,
    count: Callable[[str], int] = estimate,
) -> None:
    """Fail unless `after` begins as `before` does, for this share of its tokens, or up to the end of that section.

    A share is a number from 0 to 1, or a text such as `"95%"`. The message names the first byte that differs, the
    section, the changed input and the kind of cause.
    """
    __tracebackhide__ = True
    old, new = find_saved_prompt(before), find_saved_prompt(after)
    same = shared_prefix(old.text, new.text)
    wanted = _parse_wanted(at_least, {block.name: block.end for block in new.blocks})
    if isinstance(wanted, int):
        stable, message = same >= wanted, f"The prompt does not stay the same up to the end of {at_least!r}"
    else:
        share = _compute_shared_part(new.text, same, count)
        # Rounded down: a share that is not enough must not look as if it were.
        stays = f"stays the same for {floor(share * 1000) / 10:.1f}% of its tokens"
        stable, message = share >= wanted, f"The prompt {stays}, and at least {wanted * 100:g}% are wanted"
    found = None if stable else find_miss_cause(CacheTurn(old), CacheTurn(new))
    if found is not None:
        inputs = f" because {', '.join(found.inputs)} changed" if found.inputs else ""
        where = f"byte {found.byte} in {found.section or 'the order of the sections'}{inputs} ({found.kind})"
        hint = (
            "hint: move what changes after what stays the same, give both prompts the same input, or lower `at_least`"
        )
        raise AssertionError(f"{message}. First difference: {where}.\n{hint}")


def _parse_wanted(at_least: object, ends: Mapping[str, int]) -> int | float:
    """The character at which a section ends, or a share as a float."""
    share = at_least
    if isinstance(at_least, str):
        if at_least in ends:
            return ends[at_least]
        percent = PERCENT.fullmatch(at_least)
        if percent is None:
            raise StateError(explain_unknown("Section", at_least, ends))
        share = float(percent[1]) / 100
    if not isinstance(share, int | float) or not 0 <= share <= 1:
        raise StateError(
            f"at_least: {at_least!r} is not a share of a prompt.",
            hint="Pass a number from 0 to 1 such as 0.95, a text such as '95%', or the name of a section.",
        )
    return float(share)


def _compute_shared_part(text: str, same: int, count: Callable[[str], int]) -> float:
    """The part of a text's tokens that its first `same` characters have."""
    counter = as_counter(count)
    total = counter(text)
    return min(counter(text[:same]) / total, 1.0) if total else 1.0

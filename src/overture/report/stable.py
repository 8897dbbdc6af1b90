"""An assertion for users' own tests: a change does not move what a cache keeps."""

from collections.abc import Callable

from ..model.counter import as_counter
from ..model.errors import StateError, unknown
from ..model.estimate import estimate
from ..model.prompt import Prompt
from ..model.saved import SavedPrompt
from .cause import Turn, blame
from .kept import shared_prefix


def assert_prefix_stable(
    before: Prompt | SavedPrompt,
    after: Prompt | SavedPrompt,
    at_least: float | str = 1.0,
    *,
    count: Callable[[str], int] = estimate,
) -> None:
    """Fail unless `after` begins as `before` does, for this share of its tokens, or up to the end of that section.

    The message names the first byte that differs, the section and the input to blame, and the kind of cause.
    """
    counter = as_counter(count)
    old, new = (prompt.saved if isinstance(prompt, Prompt) else prompt for prompt in (before, after))
    same = shared_prefix(old.text, new.text)
    if isinstance(at_least, str):
        ends = {block.name: block.end for block in new.blocks}
        if at_least not in ends:
            raise StateError(unknown("Section", at_least, ends))
        stable, wanted = same >= ends[at_least], f"up to the end of {at_least!r}"
    else:
        whole = counter(new.text)
        share = min(counter(new.text[:same]) / whole, 1.0) if whole else 1.0
        stable, wanted = share >= at_least, f"for {at_least:.1%} of its tokens, not {share:.1%}"
    found = None if stable else blame(Turn(old), Turn(new))
    if found is not None:
        inputs = f" because {', '.join(found.inputs)} changed" if found.inputs else ""
        where = f"byte {found.byte} in {found.section or 'the order of the sections'}{inputs} ({found.kind})"
        raise AssertionError(f"The prompt does not stay the same {wanted}. First difference: {where}.")

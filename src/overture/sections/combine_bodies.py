"""Bodies from bodies: which of several speaks, and when."""

from collections.abc import Callable
from typing import Any

from ..model.recipe.body import Body, Skip
from ..model.recipe.section import reads_of

Say = Callable[..., Body]


def first_of(*bodies: Say) -> Say:
    """The first body that does not pass (return None) speaks. An override is this, not a second code path."""
    reads = _merged(*bodies)

    def say(*values: Any) -> Body:
        given = dict(zip(reads, values, strict=True))
        for body in bodies:
            said = body(*(given[name] for name in reads_of(body)))
            if said is not None:
                return said
        return None

    return _recorded(say, reads, bodies[-1].__doc__)


def only_if(field: str, body: Say, reason: str) -> Say:
    """`body` speaks where the field of the state is given; otherwise the section is left out for `reason`."""

    def given(value: Any) -> Body:
        return None if value else Skip(reason)

    return first_of(_recorded(given, (field,)), body)


def _merged(*bodies: Say) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for body in bodies for name in reads_of(body)))


def _recorded(say: Say, reads: tuple[str, ...], doc: str | None = None) -> Say:
    say.reads = reads  # type: ignore[attr-defined]
    say.__doc__ = doc
    return say

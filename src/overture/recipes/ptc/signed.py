"""A field of the state that holds a signature -> what it says. A bad one is an error that names the field."""

from collections.abc import Callable
from typing import TypeVar

from ...model.errors import SignatureError

T = TypeVar("T")


def signed(field: str, text: str, read: Callable[[str], T]) -> T:
    """`read(text)`; where that fails, the field stands in the error."""
    try:
        return read(text)
    except SignatureError as problem:
        raise problem.within(field) from None

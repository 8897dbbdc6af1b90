"""A long job may cache results for a text: of many repositories, most have texts in common."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any, TypeVar

T = TypeVar("T")
Recall = Callable[[str, str, Any, Callable[[], Any]], Any]
"""Takes a kind, a text, the type of the result and the function that computes it; returns the result."""
MIN_CHARS = 256
"""Shorter texts are computed each time: a lookup takes as long."""

_recall: list[Recall] = []


@contextmanager
def recall_with(recall: Recall) -> Iterator[None]:
    """Let `recall` cache the results of remembered functions in this block."""
    _recall.append(recall)
    try:
        yield
    finally:
        _recall.remove(recall)


def remembered(kind: str, result: Any) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """A function of a text that returns values of the type `result`; without `recall_with` it is unchanged."""

    def wrap(function: Callable[[str], T]) -> Callable[[str], T]:
        @wraps(function)
        def look(text: str) -> T:
            if not _recall or len(text) < MIN_CHARS:
                return function(text)
            value: T = _recall[-1](kind, text, result, partial(function, text))
            return value

        return look

    return wrap

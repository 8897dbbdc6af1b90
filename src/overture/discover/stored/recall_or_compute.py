"""Recalls the result of a pure function from the store of results, or computes and stores it."""

from collections.abc import Callable
from typing import TypeVar

import msgspec

from .code_stamps import stamp_code
from .recorded_questions import record_into
from .signed_result_store import current_store

T = TypeVar("T")


def is_stored(kind: str, data: bytes) -> bool:
    """Whether `recall_or_compute` would find a result, so that there is nothing to prepare for it."""
    store = current_store()
    return store is not None and store.get(store.make_key(kind, stamp_code(), data)) is not None


def recall_or_compute(kind: str, data: bytes, result: type[T], compute: Callable[[], T]) -> T:
    """The stored result of that kind for these data, as the type `result`; else that of `compute`, which is stored."""
    store = current_store()
    if store is None:
        return compute()
    fresh = list[T]()

    def encode() -> bytes:
        with record_into(None):  # it follows from the data alone
            fresh.append(compute())
        return msgspec.json.encode(fresh[0])

    try:
        known = store.get_or_put(store.make_key(kind, stamp_code(), data), encode)
    except UnicodeEncodeError:  # half a surrogate pair
        if not fresh:
            raise
    return fresh[0] if fresh else msgspec.json.decode(known, type=result)

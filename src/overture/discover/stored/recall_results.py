"""Results of pure functions of ours that were computed before: for the same input and the same code, from the store."""

from collections.abc import Callable
from typing import TypeVar

import msgspec

from .recorded_questions import record_into
from .result_store import current_store
from .stamps import stamp_code

T = TypeVar("T")


def recall_or_compute(kind: str, data: bytes, result: type[T], compute: Callable[[], T]) -> T:
    """What the store has of that kind for these data, as the type `result`; else what `compute` gives, stored."""
    store = current_store()
    if store is None:
        return compute()
    key = store.make_key(kind, stamp_code(), data)
    if (known := store.get(key)) is not None:
        return msgspec.json.decode(known, type=result)
    with record_into(None):  # it follows from the data alone
        found = compute()
    try:
        store.put(key, msgspec.json.encode(found))
    except UnicodeEncodeError:  # half a surrogate pair
        return found
    return found

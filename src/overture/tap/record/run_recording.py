"""A run as it is recorded: each call is in the store before the next is read. It needs no library of the proxy."""

import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress

from msgspec.structs import replace

from ...errors import StoreError, printable
from ..call import RecordedCall, Run
from ..store.store import Store
from ..times import format_now
from .exchange import CleanOnce, Exchange, make_wire, read_exchange, unpack_bodies
from .unpack import Bodies

MAX_REMEMBERED_CHARS = 8_000_000
"""Characters of pieces that are not looked through for secrets again."""


def make_id(letters: int) -> str:
    """An id that nothing else has, of so many letters."""
    return secrets.token_hex(letters // 2)


class Recording:
    """Reads what has passed and keeps it; whatever goes wrong is raised, for the tap says it."""

    def __init__(self, store: Store, run: Run, on_call: Callable[[RecordedCall], None] | None = None) -> None:
        self.store, self.run, self._on_call = store, store.add_run(run), on_call
        self.calls = 0
        self._clean = CleanOnce(MAX_REMEMBERED_CHARS)

    def record(self, exchange: Exchange) -> None:
        """Keep one exchange, if it is a call."""
        bodies = unpack_bodies(exchange)
        call = read_exchange(exchange, make_id(10), self.run, bodies, self._clean)
        if call is None:
            return
        call = self._store_call(call, exchange, bodies)
        self.calls += 1
        if self._on_call is not None:
            with suppress(Exception):  # who looks may have gone; the call is kept
                self._on_call(call)

    def _store_call(self, call: RecordedCall, exchange: Exchange, bodies: Bodies) -> RecordedCall:
        """Keep a call; where it can't be kept as it was on the wire, it says so and is kept all the same."""
        try:
            self.store.add(call, make_wire(exchange, bodies))
        except StoreError:
            raise
        except Exception as problem:
            message = printable(f"as it was on the wire: {type(problem).__name__}: {problem}")[:300]
            call = replace(call, missing=(*call.missing, message))
            self.store.add(call)
        return call

    def end(self, missing: Iterable[str] = ()) -> None:
        """The run is over; what is in no record is said in the run's own."""
        self.store.end_run(self.run.id, format_now(), missing)

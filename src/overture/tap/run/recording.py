"""The recording of a run: raw calls are read and stored. One that can't start stores nothing."""

import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

from msgspec.structs import replace

from ...errors import StoreError, describe_error, printable
from ..recorded_call import RecordedCall, Run
from ..store.store import Store, open_store
from ..wire.read_call import RawCall, read_call_and_wire


def format_now() -> str:
    """The time now, as it is recorded."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def make_id(letters: int) -> str:
    """An id that nothing else has, of so many letters."""
    return secrets.token_hex(letters // 2)


class Recording:
    """Reads raw calls and stores them; it raises every error, and the tap reports it."""

    def __init__(self, store: Store, run: Run, on_call: Callable[[RecordedCall], None] | None = None) -> None:
        """Begin the recording of a run in a store; `on_call` gets each call that was recorded."""
        self.store, self.run, self._on_call = store, store.add_run(run), on_call
        self.calls = 0

    def record(self, raw_call: RawCall) -> None:
        """Store one raw call, if it is a request to a model."""
        read = read_call_and_wire(raw_call, make_id(10), self.run)
        if read is None:
            return
        call, wire = read
        try:
            self.store.add(call, wire)
        except StoreError:
            raise
        except Exception as problem:  # its wire can't be stored
            message = printable(f"as it was on the wire: {type(problem).__name__}: {problem}")[:300]
            call = replace(call, missing=(*call.missing, message))
            self.store.add(call)
        self.calls += 1
        if self._on_call is not None:
            with suppress(Exception):  # the viewer may be gone; the call is stored
                self._on_call(call)

    def end(self, missing: Iterable[str] = ()) -> None:
        """End the run, and note in it what no call records."""
        self.store.end_run(self.run.id, format_now(), missing)


class NoRecording:
    """Replaces a recording that can't start: traffic is passed on, and nothing is stored."""

    calls = 0

    def __init__(self, run: Run, problem: Exception) -> None:
        """Keep why the recording of a run could not start."""
        self.run, self.problem = run, describe_error(problem)

    def record(self, raw_call: RawCall) -> None:
        """Store nothing of a raw call."""

    def end(self, missing: object = ()) -> None:
        """There is no recording to end."""


@contextmanager
def open_recording(store_path: str, run: Run) -> Iterator[Recording | NoRecording]:
    """The recording of a run; one that keeps nothing where the store can't be used."""
    try:
        store = open_store(store_path)
    except Exception as problem:  # a home that can't be written, a file that is no store, a server that is down
        yield NoRecording(run, problem)
        return
    with store:
        try:
            recording: Recording | NoRecording = Recording(store, run)
        except Exception as problem:  # a full disk, a locked store
            recording = NoRecording(run, problem)
        yield recording

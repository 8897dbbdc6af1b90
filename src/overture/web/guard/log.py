"""What is noted of requests: a JSON line each, or faults alone. Never contents, queries or tokens."""

import sys
from datetime import UTC, datetime
from traceback import extract_tb
from typing import Any, NamedTuple

import msgspec

from ...errors import printable

LONGEST = 200
"""Characters of a path: that of a stranger may be anything."""


class Log(NamedTuple):
    """Writes to standard error."""

    as_json: bool = False

    def request(self, **facts: Any) -> None:
        """One request that was answered, or whose client went away."""
        if self.as_json:
            path = printable(str(facts["path"]))[:LONGEST]
            _write({"at": datetime.now(UTC).isoformat(timespec="milliseconds"), **facts, "path": path})

    def fault(self, id: str, error: BaseException) -> None:
        """Where the service failed, without what it said: that may hold what was sent."""
        steps = [
            f"{step.filename.rpartition('overture/')[2]}:{step.lineno}" for step in extract_tb(error.__traceback__)
        ]
        if self.as_json:
            _write({"level": "error", "id": id, "error": type(error).__name__, "steps": steps})
        else:
            _line(f"overture: fault {id}: {type(error).__name__} at {' > '.join(steps)}")


def _write(facts: dict[str, Any]) -> None:
    _line(msgspec.json.encode(facts).decode())


def _line(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

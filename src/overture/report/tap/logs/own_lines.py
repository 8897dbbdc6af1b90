"""What `overture tap export` writes: runs, then calls, whole."""

from collections.abc import Iterator
from typing import Any

import msgspec

from ..call import Call
from ..run import Run
from .found import Found, Value


def is_mine(value: Any) -> bool:
    """Whether a value is a line of an export."""
    return isinstance(value, dict) and len(value) == 1 and isinstance(value.get("run", value.get("call")), dict)


def read(values: Iterator[Value]) -> Iterator[Found]:
    """The runs and calls, as they were."""
    for each in values:
        yield Found(each.place, problem=each.problem) if each.problem else _found(each)


def _found(each: Value) -> Found:
    if not is_mine(each.value):
        return Found(each.place, problem='expected {"run": …} or {"call": …}')
    try:
        if "run" in each.value:
            run = msgspec.convert(each.value["run"], Run)
            return Found(each.place, run=run)
        call = msgspec.convert(each.value["call"], Call)
    except (msgspec.ValidationError, RecursionError, OverflowError) as problem:
        return Found(each.place, problem=f"it is no whole line of an export: {problem}")
    return Found(each.place, call=call, name=call.id)

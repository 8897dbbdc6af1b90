"""What holds for every log: it never raises, and taken twice it is taken once."""

import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overture.tap.import_calls import detect_format, read_log, read_logged_call, read_values
from overture.tap.log_formats.log_entries import LogValue
from overture.tap.recorded_call import RecordedCall
from tests.contract.effort import examples

from .taking import NAMES, SAMPLES

pytestmark = pytest.mark.slow


WORDS = (
    "assistant", "user", "session_meta", "response_item", "event_msg", "token_count",
    "api-request", "api-request-blob", "api-request-shape", "POST", "https://h/v1/messages", "[1]", "{}",
)  # fmt: skip
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.sampled_from(WORDS)


def _read_all(form: Any, values: list[LogValue]) -> None:
    for found in read_log(form, iter(values)):
        taken = read_logged_call(found)
        assert taken is None or isinstance(taken[0], RecordedCall)


@given(st.binary(max_size=400))
def test_any_bytes_are_read_without_raising(data: bytes) -> None:
    """Bytes of any kind become values with places, or problems in words."""
    values = list(read_values(io.BytesIO(data)))
    assert all(value.position for value in values)
    for value in values:
        detect_format(value.value)


def _spoiled(value: Any, at: list[int], put: Any) -> Any:
    """The same with one of its values replaced: the one that `at` counts down to."""
    at[0] -= 1
    if at[0] == 0:
        return put
    if isinstance(value, dict):
        return {key: _spoiled(item, at, put) for key, item in value.items()}
    return [_spoiled(item, at, put) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith(("json", "jsonl"))])
@settings(max_examples=examples(40))
@given(st.data())
def test_wrong_types_anywhere_do_not_stop_the_rest(name: str, data: st.DataObject) -> None:
    """A real log in which any value is something else is read to its end."""
    held = [value.value for value in read_values(io.BytesIO((SAMPLES / name).read_bytes()))]
    form = next(filter(None, map(detect_format, held)), None)
    at = data.draw(st.integers(1, 600))
    spoiled = _spoiled(held, [at], data.draw(PLAIN | st.just([]) | st.just({})))
    lines = spoiled if isinstance(spoiled, list) else [spoiled]
    _read_all(form, [LogValue(f"line {number}", line) for number, line in enumerate(lines)])

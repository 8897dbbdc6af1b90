"""mitmproxy's dump of flows, value by value."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overture.report.tap.logs.traffic.tnetstring import parse


def test_each_type_is_read() -> None:
    """Bytes, texts, numbers, truth, nothing, lists and objects."""
    data = b"46:1:a;3:b\x00c,1:n;2:42#1:f;3:1.5^1:t;4:true!1:l;5:0:~0:]]}"
    inner = b"1:a;3:b\x00c,1:n;2:42#1:f;3:1.5^1:t;4:true!1:l;6:0:~0:]]"
    data = str(len(inner)).encode() + b":" + inner + b"}"
    assert parse(data) == {"a": b"b\x00c", "n": 42, "f": 1.5, "t": True, "l": [None, []]}


@pytest.mark.parametrize("data", [b"", b"a", b"3:ab,", b"3:abc", b"3:abc?", b"1:a,rest", b"2:x:]", b"3:1.x^", b"1:a#"])
def test_what_is_none_is_said(data: bytes) -> None:
    """A ValueError with a reason, never another error."""
    with pytest.raises(ValueError, match=r"\w"):
        parse(data)


@given(st.binary(max_size=60))
def test_any_bytes_are_a_value_or_a_reason(data: bytes) -> None:
    """Nothing else is raised, whatever the bytes."""
    for each in (data, str(len(data)).encode() + b":" + data + b"]"):
        with contextlib.suppress(ValueError, OverflowError):
            parse(each)

"""Regular expressions that are compiled at their first use do what those of `re.compile` do."""

import copy
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overture.text.lazy_pattern import ATTRIBUTES, LazyPattern, compile_on_use

PATTERN = r"(?P<name>[a-c]+)|(\d)"


def is_compiled(pattern: object) -> bool:
    """Whether it has been used."""
    assert isinstance(pattern, LazyPattern)
    return "search" in vars(pattern)


def test_nothing_is_compiled_before_the_first_use() -> None:
    """Neither making one nor reading its text compiles it; a search does, even a pattern that is wrong."""
    pattern = compile_on_use("(")
    assert pattern.pattern == "("
    assert not is_compiled(pattern)
    with pytest.raises(re.error):
        pattern.search("a")


@given(st.text(alphabet="abcABC1 \n"), st.sampled_from([0, re.IGNORECASE, re.MULTILINE | re.IGNORECASE]))
def test_it_answers_as_a_compiled_one(text: str, flags: int) -> None:
    """Whatever is asked of it, first or again."""
    ours, plain = compile_on_use(PATTERN, flags), re.compile(PATTERN, flags)
    for _ in range(2):
        assert [m.span() for m in ours.finditer(text)] == [m.span() for m in plain.finditer(text)]
        assert ours.sub("<\\g<0>>", text) == plain.sub("<\\g<0>>", text)
        assert ours.split(text) == plain.split(text)
    assert is_compiled(ours)


def test_it_has_the_attributes_of_a_pattern() -> None:
    """All that are kept, and the rest by asking the compiled one; what `re.compile` has not, it has not."""
    ours, plain = compile_on_use(b"(a)b", re.DOTALL), re.compile(b"(a)b", re.DOTALL)
    assert [getattr(ours, name) for name in ("flags", "groups", "groupindex", "pattern")] == [
        plain.flags,
        plain.groups,
        plain.groupindex,
        plain.pattern,
    ]
    assert set(ATTRIBUTES) <= set(dir(plain))
    assert not hasattr(ours, "look")
    assert copy.deepcopy(ours).pattern == b"(a)b"

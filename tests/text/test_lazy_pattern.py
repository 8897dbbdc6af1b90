"""Regular expressions that are compiled at their first use do what those of `re.compile` do."""

import copy
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overture.text import lazy_pattern
from overture.text.lazy_pattern import (
    ATTRIBUTES,
    PROGRAMS,
    LazyPattern,
    PatternKey,
    compile_on_use,
    write_program,
)

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


COMPARE = """
import gc, importlib, pkgutil, re
import overture
from overture.text.lazy_pattern import LazyPattern, restore_pattern, write_program
for module in pkgutil.walk_packages(overture.__path__, "overture."):
    if not module.name.startswith("overture.integrations"):  # they need frameworks
        importlib.import_module(module.name)
patterns = [each for each in gc.get_objects() if type(each) is LazyPattern]
for each in patterns:
    key = each.pattern, int(each._flags)
    compiled, restored = re.compile(*key), restore_pattern(each.pattern, write_program(*key))
    assert restored == compiled and restored.groupindex == compiled.groupindex, key
print(len(patterns))
"""


def test_a_program_makes_the_pattern_that_was_compiled() -> None:
    """The same code, flags and groups, for every pattern of the package: Python compares all of them."""
    done = subprocess.run([sys.executable, "-c", COMPARE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 300


@pytest.mark.parametrize("code", [b"", b"\xff\xff\xff\xff", b"\x01", b"\x00" * 400])
def test_a_program_that_does_not_fit_is_compiled_anew(code: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one of another Python: the answer is right, and the program is replaced when programs are stored."""
    key = (rf"(?P<first>\w+)-{len(code)}", 0)
    monkeypatch.setitem(PROGRAMS, key, write_program(*key)._replace(code=code))
    compiled: list[PatternKey] = []
    monkeypatch.setattr(lazy_pattern, "COMPILED", compiled)
    found = compile_on_use(*key).search(f"a-{len(code)}")
    assert found is not None and found["first"] == "a"
    assert compiled == [key] and key not in PROGRAMS

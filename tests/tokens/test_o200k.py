"""Our copy of o200k makes the tokens that the tokenizer makes."""

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from splintr import Tokenizer

from overture.tokens.o200k import WordEncoder, read_vocabulary
from tests.contract.effort import examples

ROOT = Path(__file__).parents[2]
PIECES = (
    "a", "B", "é", "É", "ß", "ǅ", "ʰ", "日", "本", "ไ", "\u0300", "'s", "'RE", "’s", "1", "22", "4444", "٣", "Ⅳ", "½",
    " ", "  ", "\t", "\n", "\r\n", "\r", "\u00a0", "\u3000", "\u2028", "\x85", "\x0b", "\x1c", "\u200b", "/", "//", "!",
    "—", "…", "👩🏽‍💻", "_", "<|endoftext|>", "ﬁ", "İ", "ı", "\u212a", "\0", "ª", "naïve", "zxqv", "iPhone",
)  # fmt: skip


@cache
def tokenizer() -> Any:
    """The tokenizer that ours has to agree with."""
    return Tokenizer.from_pretrained("o200k_base")


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.sampled_from(PIECES) | st.characters(categories=("L", "M", "N", "P", "S", "Z")), max_size=12))
def test_the_tokens_are_those_of_the_tokenizer(pieces: list[str]) -> None:
    """However letters, marks, digits, signs and blanks of all scripts follow each other."""
    text, fresh = "".join(pieces), WordEncoder(read_vocabulary())
    found = fresh.encode(text)
    assert found == list(tokenizer().encode_ordinary(text))
    assert fresh.count(text) == len(found)


@pytest.mark.parametrize("path", sorted(path.name for path in (ROOT / "docs").glob("*.md")))
def test_pages_have_as_many_tokens(path: str) -> None:
    """The manual, page by page."""
    text = (ROOT / "docs" / path).read_text("utf-8")
    assert WordEncoder(read_vocabulary()).count(text) == len(tokenizer().encode_ordinary(text))


WITHOUT = """
import sys
sys.modules.update(splintr=None, tiktoken=None)
import overture
count = overture.counter()
print(count.exact, count.name, count("Run the tests, naïve 日本語!"))
"""


def test_the_default_is_exact_without_a_tokenizer() -> None:
    """Nothing has to be installed to count exactly."""
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    expected = len(tokenizer().encode_ordinary("Run the tests, naïve 日本語!"))
    assert done.stdout.split() == ["True", "o200k", str(expected)]

"""Our copy of o200k makes the tokens that the tokenizer makes, and leaves to it what takes long."""

import subprocess
import sys
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import make_vocabulary
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from splintr import Tokenizer

from overture.tokens.o200k import HardTextError, WordEncoder, read_vocabulary
from tests.contract.effort import examples

ROOT = Path(__file__).parents[2]
PIECES = (
    "a", "B", "é", "É", "ß", "ǅ", "ʰ", "日", "本", "ไ", "\u0300", "'s", "'RE", "’s", "1", "22", "4444", "٣", "Ⅳ", "½",
    " ", "  ", "\t", "\n", "\r\n", "\r", "\u00a0", "\u3000", "\u2028", "\x85", "\x0b", "\x1c", "\u200b", "/", "//", "!",
    "—", "…", "👩🏽‍💻", "_", "<|endoftext|>", "ﬁ", "İ", "ı", "\u212a", "\0", "ª", "naïve", "zxqv", "iPhone",
)  # fmt: skip


def odd_words() -> list[str]:
    """Words of several tokens, more than are taken apart."""
    return ["zqx" + "".join(letters) for letters in product("abcdefghij", repeat=4)]


@cache
def tokenizer() -> Any:
    """The tokenizer that ours has to agree with."""
    return Tokenizer.from_pretrained("o200k_base")


def test_the_vocabulary_is_that_of_the_tokenizer() -> None:
    """The file in the package is what `docs/make_vocabulary.py` writes today."""
    assert make_vocabulary.VOCABULARY.read_bytes() == make_vocabulary.make_vocabulary()


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.sampled_from(PIECES) | st.characters(categories=("L", "M", "N", "P", "S", "Z")), max_size=12))
def test_the_tokens_are_those_of_the_tokenizer(pieces: list[str]) -> None:
    """However letters, marks, digits, signs and blanks of all scripts follow each other."""
    text, fresh = "".join(pieces), WordEncoder(read_vocabulary())
    try:
        found = fresh.encode(text)
    except HardTextError:
        return
    assert found == list(tokenizer().encode_ordinary(text))
    assert fresh.count(text) == len(found)


@pytest.mark.parametrize("path", sorted(path.name for path in (ROOT / "docs").glob("*.md")))
def test_pages_have_as_many_tokens(path: str) -> None:
    """The manual, page by page."""
    text = (ROOT / "docs" / path).read_text("utf-8")
    assert WordEncoder(read_vocabulary()).count(text) == len(tokenizer().encode_ordinary(text))


@pytest.mark.parametrize("text", ["xq" * 200, "it'ſ", "\U0003fffd", " ".join(odd_words())])
def test_what_takes_long_is_left_to_the_tokenizer(text: str) -> None:
    """A very long word, many odd words, and characters that Python may know less about than the tokenizer."""
    with pytest.raises(HardTextError):
        WordEncoder(read_vocabulary()).count(text)


def test_the_limit_is_one_of_all_texts_together() -> None:
    """Small texts add up: a process that counts many of them loads the tokenizer."""
    fresh = WordEncoder(read_vocabulary())
    with pytest.raises(HardTextError):
        for word in odd_words():
            fresh.count(word)
    fresh = WordEncoder(read_vocabulary())
    with pytest.raises(HardTextError):
        for _ in range(1_000):
            fresh.count("Run the tests. " * 100)


COMMAND = """
import contextlib, io, sys
import splintr
loads = []
class Tokenizer:
    from_pretrained = lambda name, load=splintr.Tokenizer.from_pretrained: loads.append(name) or load(name)
splintr.Tokenizer = Tokenizer
from overture.cli.main import main
sys.argv = ["overture", "explain", "house"]
with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())), contextlib.suppress(SystemExit):
    main()
print(loads)
"""


@pytest.mark.parametrize(("text", "loads"), [("Run `make test`.\n", "[]"), ("it'ſ \ud7ff\U0003fffd", "['o200k_base']")])
def test_a_first_command_loads_the_tokenizer_only_for_hard_texts(tmp_path: Path, text: str, loads: str) -> None:
    """A command that finds nothing stored counts by our copy, as far as that goes."""
    (tmp_path / "AGENTS.md").write_text(text, "utf-8")
    folders = {f"XDG_{name}_HOME": str(tmp_path / name) for name in ("CACHE", "STATE", "DATA")}
    environment = {"HOME": str(tmp_path), "PATH": "", **folders}
    command = [sys.executable, "-c", COMMAND]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.strip().endswith(loads), done.stderr

"""No tokenizer at hand finds a special token in what the gate let through."""

import os
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from splintr import Tokenizer

from overture.assemble.sanitize.forbidden_frames import EMPTY_GUARD
from overture.assemble.sanitize.sanitize import contain
from tests.contract.corpus.cases import attacks, harmless, written
from tests.contract.effort import examples

ALL = (
    "cl100k_base", "o200k_base", "llama3", "llama2", "codellama", "deepseek_v3", "phi4", "olmo2", "modernbert",
    "mistral_v1", "mistral_v2",
    "mistral_v3", "whisper_v1", "whisper_v2", "whisper_v3", "gemma2", "gemma3", "gemma4", "glm4", "gpt_oss",
    "kimi_k2", "kimi_k3", "qwen3",
)  # fmt: skip
NAMES = ALL if os.environ.get("HYPOTHESIS_PROFILE") == "search" else ("qwen3", "glm4", "deepseek_v3")
"""Three with tokens of all forms; all of them where a run looks further."""


@cache
def loaded(name: str) -> tuple[Any, dict[int, str]]:
    """A tokenizer, and its special tokens; runs of blanks, which some have among them, are text."""
    tokenizer = Tokenizer.from_pretrained(name)
    special: Any = tokenizer.special_tokens
    table = special() if callable(special) else special
    return tokenizer, {number: token for token, number in table.items() if token.strip()}


def found(name: str, text: str) -> list[str]:
    """The special tokens in a text, beside those that a tokenizer puts around every text."""
    tokenizer, special = loaded(name)
    around = {*tokenizer.encode_with_special("")}
    return [
        special[number] for number in tokenizer.encode_with_special(text) if number in special and number not in around
    ]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_the_corpus_is_a_special_token(name: str) -> None:
    """Neither of an attack nor of a harmless file; and none of the tokenizer's own tokens comes through."""
    texts = [written(case.text, "identity", "# X", 50) for case in attacks() if case.text]
    for text in (*texts, *(text for _, text in harmless()), *loaded(name)[1].values()):
        assert found(name, contain(text, EMPTY_GUARD)[0]) == []


PIECES = st.sampled_from(
    [
        "<|",
        "|>",
        "<",
        ">",
        "im_start",
        "<｜",
        "｜>",
        "User",
        "[",
        "]",
        "INST",
        "/nothink",
        "<think>",
        "\u200b",
        "\r",
        "|||",
        "x",
        "</s>",
    ]
)


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(PIECES, max_size=10).map("".join))
def test_nor_is_anything_else(text: str) -> None:
    """However the pieces of tokens are put together."""
    for name in NAMES:
        assert found(name, contain(text, EMPTY_GUARD)[0]) == []

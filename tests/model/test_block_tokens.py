"""Counts of blocks add up to the count of the prompt, in every script, for every tokenizer that parts at line ends."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import overture
from overture import Body, Counter, Part, Prompt, Recipe, Section, State
from overture.discover.load_tokenizer import FAMILIES, ONE_WORD
from tests.contract.effort import examples

O200K, CL100K = overture.counter("o200k"), overture.counter("cl100k")
PIECES = (
    "The agent reads a file.", "it's", "don't", "Grüße aus Köln", "Привет, мир", "Καλημέρα", "مرحبا بالعالم", "שלום",
    "नमस्ते दुनिया", "สวัสดีชาวโลก", "漢字とかな", "안녕하세요",
    "გამარჯობა", "բարեւ", "👩🏽‍💻🏳️‍🌈", "1️⃣", "e\u0301\u0302", "\u0301",
    "def f(x):\n    return x // 2  # half", '{"a": [1, 2.5, null], "b/c": "d"}', "```json", "</tag>", "<tag>",
    "// note",
    "/srv/harbor", "/", "//", "!", "?!", "...", "*/", "。", "—", "$100,000", "1234567", "½Ⅷ",
    "\t- item", "  indented", "\\n",
    "\u200d", "\x1c", "a\u0085b", "\u2028", "|", "- ",
)  # fmt: skip
texts = st.lists(
    st.one_of(st.sampled_from(PIECES), st.text(max_size=8)).flatmap(
        lambda piece: st.sampled_from(("", " ", "\n", "\n\n", "\r\n")).map(lambda end: piece + end)
    ),
    min_size=1,
    max_size=6,
).map("".join)
counters = st.sampled_from((O200K, CL100K))
many = settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def prompt_of(said: list[str]) -> Prompt:
    """A prompt with these texts as its blocks."""

    def saying(text: str) -> Section:
        def say() -> Body:
            """One text."""
            return Part(text, trusted=True)

        return Section(f"section-{text!r}-{id(say)}", say)

    return overture.build(Recipe("made-up", tuple(saying(text) for text in said)), State())


@many
@given(counters, st.lists(texts, min_size=1, max_size=5))
@example(O200K, ["done!", "/srv/harbor", "/", "/end"])
@example(O200K, ["done!", "/"])
@example(CL100K, ["*", "/x"])
def test_the_counts_of_blocks_add_up(counter: Counter, said: list[str]) -> None:
    """The counts of the blocks, each with the blank line after it, are together the count of the whole text."""
    prompt = prompt_of(said).counted(counter)
    assert prompt.tokens == sum(prompt.block_tokens) == counter(prompt.text)
    saved = prompt.to_dict()
    assert saved["tokens"] == {"total": counter(prompt.text), "tokenizer": counter.name, "exact": True}
    assert [block["tokens"] for block in saved["blocks"]] == list(prompt.block_tokens)
    for block in saved["blocks"]:
        assert sum(part["tokens"] for part in block["parts"]) == block["tokens"]


@many
@given(counters, texts)
def test_the_counts_of_lines_add_up(counter: Counter, text: str) -> None:
    """The counts of its lines are together the count of a text."""
    assert counter.by_lines(text) == counter(text)


@settings(max_examples=examples(40), deadline=None)
@given(st.sampled_from([name for name in FAMILIES if name not in ONE_WORD]), st.lists(texts, min_size=1, max_size=4))
def test_other_families_add_up_too(name: str, said: list[str]) -> None:
    """What is said of o200k and cl100k holds for every family that is taken for additive."""
    counter = overture.counter(name)
    prompt = prompt_of(said).counted(counter)
    assert prompt.tokens == counter(prompt.text)


@pytest.mark.parametrize("name", [*ONE_WORD, "claude"])
def test_where_lines_do_not_add_up_the_whole_is_counted(name: str) -> None:
    """The total is the count of the whole text all the same, and the blocks share it."""
    counter = overture.counter(name)
    prompt = prompt_of(["Hello there.", "/usr/bin", "日本語"]).counted(counter)
    assert prompt.tokens == counter(prompt.text) == sum(prompt.block_tokens)


def test_seams_are_counted_anew() -> None:
    """A block that begins with `/` after punctuation is run together with it by o200k, and is counted so."""
    prompt = prompt_of(["Done!", "/x"]).counted(O200K)
    apart = O200K("Done!\n\n") + O200K("/x")
    assert prompt.tokens == O200K("Done!\n\n/x") != apart


def test_counts_are_kept_with_blocks() -> None:
    """A block that a later build takes over is not counted again."""
    seen: list[str] = []

    def count(text: str) -> int:
        seen.append(text)
        return len(text)

    counter = Counter("chars", count, exact=True)
    prompt = prompt_of(["one", "two"])
    assert prompt.blocks[0].tokens(counter) == prompt.blocks[0].tokens(counter) == 3
    assert seen == ["one"]

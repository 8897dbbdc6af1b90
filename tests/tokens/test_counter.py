import pytest
from hypothesis import given
from hypothesis import strategies as st

import overture
from overture import Counter, CountError
from overture.model.state.agent_and_runtime import Runtime
from overture.tokens.counter import ESTIMATE, as_counter, share_out


@given(st.lists(st.integers(0, 1000), min_size=1), st.integers(0, 10_000))
def test_shares_add_up(weights: list[int], total: int) -> None:
    """A total is shared out in whole numbers that are as the weights, and add up to it."""
    shares = share_out(total, weights)
    assert sum(shares) == total
    assert all(share >= 0 for share in shares)
    for one, first in zip(weights, shares, strict=True):
        for other, second in zip(weights, shares, strict=True):
            if one > other:
                assert first >= second or not sum(weights)


def test_weights_that_add_up_are_kept() -> None:
    """Where the weights already add up, they are the shares."""
    assert share_out(6, [1, 2, 3]) == [1, 2, 3]
    assert share_out(4, [0, 0]) == [4, 0]
    assert share_out(0, []) == []


def test_any_function_counts_under_its_own_name() -> None:
    """A function is taken for exact, a counter as it is, nothing for the estimate."""
    assert (as_counter(len).name, as_counter(len).exact) == ("len", True)
    assert as_counter(ESTIMATE) is ESTIMATE
    assert as_counter(None) is ESTIMATE


def test_an_estimate_is_shown_with_a_tilde() -> None:
    """A person can tell an estimate from an exact count."""
    assert ESTIMATE.shown(1234) == "~1,234"
    assert as_counter(len).shown(1234) == "1,234"


def test_lines_are_counted_once() -> None:
    """A line that was counted before is not counted again, whatever text it stands in."""
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    counter = Counter("chars", count, exact=True, additive=True)
    assert counter.by_lines("one\ntwo\nthree\n") == 14
    assert counter.by_lines("zero\none\nthree\n") == 15
    assert counted == ["one\n", "two\n", "three\n", "zero\n"]


def test_a_counter_that_is_not_additive_counts_the_whole() -> None:
    """Where lines do not add up, the whole text is counted."""
    assert Counter("ones", lambda text: 1).by_lines("a\nb\nc") == 1


def test_what_is_known_is_bounded() -> None:
    """A long session does not keep every line that it ever saw."""
    counter = Counter("chars", len, additive=True)
    for number in range(45_000):
        counter.by_lines(f"line {number}")
    assert len(counter._known) <= 20_000


def test_a_prompt_is_counted_with_the_best_until_it_is_told_otherwise() -> None:
    """`counted` gives the same prompt with another count; a build since it goes on with that count."""
    state = overture.State(runtime=Runtime(cwd="/p"))
    prompt = overture.build("opal", state)
    assert prompt.to_dict()["tokens"] == {"total": prompt.tokens, "tokenizer": "o200k", "exact": True}
    rough = prompt.counted(overture.counter("estimate"))
    assert rough.blocks == prompt.blocks
    assert overture.build("opal", state.replace(memories=("x",)), since=rough).counter is rough.counter


def test_a_broken_counter_says_so_in_counts_of_prompts_too() -> None:
    """An impossible answer is an error wherever it is used."""
    with pytest.raises(CountError):
        _ = overture.build("opal", overture.State()).counted(Counter("wrong", lambda _: -3)).tokens

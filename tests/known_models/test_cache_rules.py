"""What a provider's cache gives back, by its published rules."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overture.known_models.cache_rules import CachePosition, CacheRequest, CacheResult, PromptCache
from overture.known_models.model_facts import ModelFacts
from overture.known_models.model_table import find_facts, packaged_table

NOON = datetime(2026, 11, 16, 12)
OPUS = find_facts(packaged_table(), "anthropic", "claude-opus-5")
SOL = find_facts(packaged_table(), "openai", "gpt-6-sol")
OLD = find_facts(packaged_table(), "openai", "gpt-5.4")
FLASH = find_facts(packaged_table(), "gemini", "gemini-3.8-flash")


def request(
    texts: Sequence[str], marks: Mapping[int, str] | Sequence[int] = (), minutes: float = 0, **more: Any
) -> CacheRequest:
    """A request of positions of a hundred tokens a letter."""
    marks = marks if isinstance(marks, Mapping) else dict.fromkeys(marks, "")
    rows = [CachePosition(text, 100 * len(text)) for text in texts]
    return CacheRequest(rows, NOON + timedelta(minutes=minutes), marks, **more)


def play(facts: ModelFacts, *requests: CacheRequest) -> list[CacheResult]:
    cache = PromptCache(lambda text: 100 * len(text))
    return [cache.take(each, facts) for each in requests]


def test_an_entry_is_written_at_marks_only() -> None:
    """Anthropic: what is the same but stood behind the last mark is not read."""
    first, second = play(OPUS, request(["a" * 10, "b" * 5], [0]), request(["a" * 10, "b" * 5], [1], 1))
    assert (first.read, first.written, first.fresh) == (0, {"5m": 1000}, 500)
    assert (second.read, second.written, second.fresh) == (1000, {"5m": 500}, 0)


@pytest.mark.parametrize(("more", "read"), [(19, 600), (20, 0)])
def test_a_mark_looks_back_over_twenty_positions_its_own_included(more: int, read: int) -> None:
    """Nineteen positions behind an entry it is found, twenty behind it is not."""
    start = ["a" * 6]
    results = play(OPUS, request(start, [0]), request([*start, *["b"] * more], [more], 1))
    assert results[1].read == read


@pytest.mark.parametrize(("letters", "written"), [(5, {}), (6, {"5m": 600})])
def test_nothing_is_kept_below_the_minimum(letters: int, written: dict[str, int]) -> None:
    """Opus 5 keeps from 512 tokens on."""
    (result,) = play(OPUS, request(["a" * letters], [0]))
    assert (result.written, result.too_short) == (written, not written)


def test_writes_are_billed_by_the_longest_life_behind_the_hit() -> None:
    """Read up to the hit A, an hour from A to the last mark for an hour B, minutes from B to the last mark C."""
    texts = ["a" * 10, "b" * 10, "c" * 10, "d" * 10, "e" * 10]
    first, second = play(
        OPUS, request(texts[:1], {0: "1h"}), request(texts, {0: "1h", 1: "1h", 2: "5m", 3: "5m"}, minutes=30)
    )
    assert first.written == {"1h": 1000}
    assert (second.read, second.written, second.fresh) == (1000, {"1h": 1000, "5m": 2000}, 1000)


@pytest.mark.parametrize(("minutes", "read"), [(5, 1000), (5.1, 0)])
def test_the_time_to_live_runs_from_the_start_of_the_request(minutes: float, read: int) -> None:
    """An answer of four minutes leaves one minute."""
    texts = ["a" * 10]
    slow = request(texts, [0], wait=timedelta(minutes=4))
    assert play(OPUS, slow, request(texts, [0], minutes))[1].read == read


def test_gpt_reads_at_the_newest_message_of_an_earlier_request() -> None:
    """Since 5.6 the provider's own mark stands behind each user or tool message in its turn."""
    one = request(["s" * 20, "u"], turns=[1])
    two = request(["s" * 20, "u", "a", "v"], minutes=29, turns=[1, 3])
    first, second = play(SOL, one, two)
    assert (first.read, first.written) == (0, {"30m": 2100})
    assert (second.read, second.written) == (2100, {"30m": 200})


def test_gpt_does_not_fall_back_to_an_unmarked_prefix() -> None:
    """A stable prefix with another last message reads nothing, unless the prefix has a mark."""
    plain = play(SOL, request(["s" * 20, "u"], turns=[1]), request(["s" * 20, "v"], minutes=1, turns=[1]))
    assert plain[1].read == 0
    marked = play(SOL, request(["s" * 20, "u"], [0], turns=[1]), request(["s" * 20, "v"], [0], 1, turns=[1]))
    assert marked[1].read == 2000


def test_gpt_writes_at_the_latest_three_marks_beside_its_own_or_at_four() -> None:
    """In the mode `explicit` four of the request count, and with none nothing is kept."""
    texts = ["s" * 20, "a", "b", "c", "d", "u"]
    (implicit,) = play(SOL, request(texts, range(5), turns=[5]))
    (explicit,) = play(SOL, request(texts, range(5), turns=[5], explicit=True))
    (none,) = play(SOL, request(texts, turns=[5], explicit=True))
    assert (implicit.marks, explicit.marks, none.marks) == ((2, 3, 4, 5), (1, 2, 3, 4), ())
    assert (none.written, none.fresh) == ({}, 2500)


@pytest.mark.parametrize(("same", "read"), [(10, 0), (11, 1024), (12, 1152), (13, 1280)])
def test_older_gpt_reads_in_steps_of_128_tokens(same: int, read: int) -> None:
    """As far as the beginning is the same, within a block too; below 1,024 tokens nothing, and writes are free."""
    first, second = play(OLD, request(["s" * 20]), request(["s" * same + "x" * 20], minutes=1))
    assert (second.read, first.written, second.written) == (read, {}, {})


def test_gemini_reads_whatever_begins_alike_from_its_minimum_on() -> None:
    """4,096 tokens, without steps; of several earlier requests the longest counts."""
    results = play(
        FLASH,
        request(["s" * 50]),
        request(["s" * 30 + "x"], minutes=1),
        request(["s" * 45 + "y"], minutes=2),
        request(["s" * 40 + "z"], minutes=3),
    )
    assert [each.read for each in results] == [0, 0, 4500, 0]


MODELS = [(vendor, name) for vendor, form in packaged_table().providers.items() for name in form.models]
texts = st.lists(st.sampled_from(["a" * 8, "b" * 20, "c" * 50, "d"]), max_size=6)
plays = st.lists(st.tuples(texts, st.sets(st.integers(0, 5)), st.sampled_from(["", "5m", "1h"])), max_size=6)


@given(st.sampled_from(MODELS), plays)
def test_read_written_and_fresh_tokens_are_the_whole(
    model: tuple[str, str], sent: list[tuple[list[str], set[int], str]]
) -> None:
    """On every model no part is negative, none is counted twice, and only what was sent before is read."""
    facts, cache, longest = find_facts(packaged_table(), *model), PromptCache(lambda text: 100 * len(text)), 0
    for number, (rows, marks, ttl) in enumerate(sent):
        found = cache.take(request(rows, dict.fromkeys(marks, ttl), number, turns=range(len(rows))), facts)
        assert found.read + sum(found.written.values()) + found.fresh == found.tokens == sum(100 * len(r) for r in rows)
        assert min(found.read, found.fresh, *found.written.values()) >= 0
        assert found.read <= min(found.unexpired, longest)
        longest = max(longest, found.tokens)

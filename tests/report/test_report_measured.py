"""Counting long prompts again and again."""

from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import overture
from overture.report.cache.cache_report import CachedCounter, report_cache
from overture.report.cache.scenarios import make_fleet
from overture.tokens.counter import ESTIMATE, Counter

from .test_report_cache import OPUS, STATE

COUNTED = CachedCounter(ESTIMATE)


@given(st.text("ab A/.\n\t#1é漢", max_size=60))
def test_a_count_by_paragraphs_is_the_count(text: str) -> None:
    """Whatever the text, and whatever was counted before it."""
    assert COUNTED(text) == ESTIMATE(text)


@pytest.mark.parametrize("name", ["o200k", "claude", "llama2"])
def test_any_counter_is_measured_right(name: str) -> None:
    """Also one whose counts do not add up."""
    text = "Mind the tide.\n\n/etc/tide\n\n  and the crane?\n\nNow."
    counter = overture.counter(name)
    measured = CachedCounter(counter)
    assert [measured(text[:at]) for at in range(len(text))] == [counter(text[:at]) for at in range(len(text))]


@dataclass
class Tally:
    """A count of characters that remembers how many it was asked about."""

    seen: list[int] = field(default_factory=list)

    def __call__(self, text: str) -> int:
        self.seen.append(len(text))
        return len(text)


def test_what_stays_the_same_is_counted_once() -> None:
    """Five scenarios of six turns and twelve sessions side by side: a long file is looked at a few times, not 100."""
    tally = Tally()
    long = STATE.context_files[0].__class__(path="/home/ada/p/AGENTS.md", content="Mind the tide.\n\n" * 5_000)
    counter = Counter("tally", tally, additive=True)
    report_cache(overture.load_recipe("house"), STATE.replace(context_files=(long,)), OPUS, count=counter)
    assert sum(tally.seen) < 3 * len(long.content)


def test_a_fleet_shares_what_does_not_move() -> None:
    """What holds no path of the folder is the very same object, so that it is neither scanned nor said anew."""
    states = make_fleet(STATE)["cwd"]
    assert all(one.skills is other.skills and one.tools is other.tools for one, other in pairwise(states))
    assert [state.context_files[0].path for state in states] == [f"/work/clone-{n}/AGENTS.md" for n in range(3)]

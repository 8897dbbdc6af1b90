"""What a cache is predicted to give back: by bytes, breakpoints, minimums, time and price."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

import overture
from overture import Recipe, Section, State
from overture.known_models.model_facts import ModelFacts
from overture.providers.render import facts_for
from overture.report.cache.cause_of_miss import CacheTurn, find_miss_cause
from overture.report.cache.predict_cache import PredictedCache, TimedTurn, TurnNote
from overture.testing import assert_prefix_stable, make_state

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
OPUS = facts_for("anthropic", "claude-opus-5")
STATE = make_state(
    context_files=[{"path": "/home/ada/p/AGENTS.md", "content": "Use tabs."}],
    tools=[{"name": "read"}, {"name": "bash"}],
    skills=[{"name": "pdf", "description": "d", "location": "/s/SKILL.md"}],
    runtime={"cwd": "/home/ada/p", "timezone": "UTC", "home": "/home/ada"},
    now="2026-01-01T12:00:00Z",
)


def file(path: str, content: str) -> dict[str, object]:
    """A state's one project file."""
    return {"context_files": [{"path": path, "content": content}]}


def words(text: str) -> int:
    """A count that can be done by hand: characters."""
    return len(text)


def said(static: str, session: str = "", turn: str = "", tools: str = "") -> CacheTurn:
    """A request whose parts have these texts."""

    def body(text: str) -> Callable[[], str]:
        return lambda: text

    made = (
        Section("identity", body(static), pace="static"),
        Section("context", body(session), pace="session"),
        Section("clock", body(turn), pace="turn"),
    )
    return CacheTurn(overture.build(Recipe("made", made), State()).saved, tools)


def played(
    *turns: CacheTurn, facts: ModelFacts = OPUS, every: timedelta = timedelta(minutes=1)
) -> list[tuple[int, int, int]]:
    """Of each turn: tokens in common with the one before, read and written."""
    timed = [TimedTurn(turn, NOON + n * every) for n, turn in enumerate(turns)]
    return [(t.common, t.cached, t.written) for t in take(timed, facts)]


def take(turns: list[TimedTurn], facts: ModelFacts = OPUS) -> list[TurnNote]:
    """What is predicted of each turn."""
    cache = PredictedCache(facts, words)
    return [cache.take(turn) for turn in turns]


def test_only_what_stands_before_a_breakpoint_is_read() -> None:
    """Of a prefix that is the same, what lies behind the last breakpoint in it is paid in full."""
    one, two = said("a" * 600, "b" * 400, "noon and one"), said("a" * 600, "b" * 400, "noon and two")
    assert played(one, two) == [(0, 0, 1002), (1002 + 2 + len("noon and "), 1002, 0)]


def test_a_change_in_a_session_block_leaves_what_is_static() -> None:
    """The static part is read, and what follows it is written anew."""
    one, two = said("a" * 600, "b" * 400), said("a" * 600, "b" * 399 + "c")
    assert played(one, two) == [(0, 0, 1002), (1001, 600, 402)]


def test_below_the_minimum_nothing_is_read_or_written() -> None:
    """A prefix of 511 tokens is not kept by a model that begins at 512."""
    assert played(*[said("a" * 511)] * 2) == [(0, 0, 0), (511, 0, 0)]
    assert played(*[said("a" * 512)] * 2) == [(0, 0, 512), (512, 512, 0)]


def test_what_is_not_read_in_time_is_gone() -> None:
    """After more than the time to live, everything is written again; a read keeps it alive."""
    turn = said("a" * 600)
    assert [t[1] for t in played(turn, turn, every=timedelta(minutes=6))] == [0, 0]
    assert [t[1] for t in played(turn, turn, turn, every=timedelta(minutes=4))] == [0, 600, 600]
    assert take([TimedTurn(turn, NOON), TimedTurn(turn, NOON + timedelta(minutes=59))])[1].expired


def test_a_change_of_tools_costs_everything_behind_them() -> None:
    """Tools stand before the system prompt: of what follows a changed one, nothing is read."""
    one, two = (said("a" * 600, tools=f'[{{"name":"{name}"}}]') for name in ("x", "y"))
    assert played(one, two)[1][1] == 0


def test_money_is_what_the_table_says() -> None:
    """Writing costs 1.25 times the input price, reading a tenth, the rest the price itself."""
    one, two = said("a" * 1000, turn="1"), said("a" * 1000, turn="2")
    result = take([TimedTurn(one), TimedTurn(two)])
    assert [turn.cost for turn in result] == pytest.approx([(1250 + 3) * 5e-6, (100 + 3) * 5e-6])
    assert [turn.uncached for turn in result] == pytest.approx([1003 * 5e-6] * 2)
    unknown = facts_for("anthropic", "claude-minuet-9")
    assert take([TimedTurn(one)], unknown)[0].cost is None


@pytest.mark.parametrize(
    ("change", "section", "inputs", "kind"),
    [
        ({"now": "2026-01-01T12:01:00Z"}, "clock-and-cwd", ("now",), "clock"),
        ({"runtime": {"cwd": "/elsewhere", "timezone": "UTC"}}, "clock-and-cwd", ("runtime",), "environment"),
        (file("/home/ada/p/AGENTS.md", "Tab."), "project-context", ("context_files",), "content"),
        (file("/q/AGENTS.md", "Use tabs."), "project-context", ("context_files",), "environment"),
        ({"tools": [{"name": "read"}, {"name": "bash"}, {"name": "grep"}]}, "base", ("tools",), "tool set"),
        ({"skills": []}, "skills", ("skills",), "content"),
    ],
)  # fmt: skip
def test_the_section_and_the_input_are_blamed(
    change: dict[str, object], section: str, inputs: tuple[str, ...], kind: str
) -> None:
    """The first byte that differs leads to a section of pi, the field that changed, and the kind of cause."""
    after = State.from_dict({**STATE.to_dict(), **change})
    turns = [CacheTurn(overture.build("pi", state).saved) for state in (STATE, after)]
    found = find_miss_cause(*turns)
    assert found is not None
    assert (found.section, found.inputs, found.kind) == (section, inputs, kind)
    old, new = (turn.head.encode() for turn in turns)
    assert old[: found.byte] == new[: found.byte]
    assert old[found.byte : found.byte + 1] != new[found.byte : found.byte + 1]


def test_a_stable_prefix_passes_and_another_fails_with_its_cause() -> None:
    """The assertion for users' own tests names byte, section, input and kind."""
    one = overture.build("pi", STATE)
    two = overture.build("pi", STATE.replace(now=NOON + timedelta(minutes=5)))
    assert_prefix_stable(one, one)
    assert_prefix_stable(one, two, at_least=0.5)
    assert_prefix_stable(one.saved, two, at_least="skills")
    with pytest.raises(
        AssertionError, match=r"First difference: byte \d+ in clock-and-cwd because now changed \(clock\)\."
    ):
        assert_prefix_stable(one, two)
    with pytest.raises(AssertionError, match=r"up to the end of 'clock-and-cwd'"):
        assert_prefix_stable(one, two, at_least="clock-and-cwd")
    with pytest.raises(overture.StateError, match=r"Section 'skill' is not known\. .*Did you mean 'skills'"):
        assert_prefix_stable(one, two, at_least="skill")

"""A store is kept small: by age and by size; what a call names is never removed before the call."""

import os
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overture.tap.store.store import Store

from .made_calls import few, make_call, make_run

pytestmark = pytest.mark.slow


aged = st.lists(st.tuples(st.integers(0, 9), st.lists(st.sampled_from("abcde"), max_size=4)), max_size=8)


def days_ago(days: float) -> str:
    """That moment."""
    return (datetime.now(UTC) - timedelta(days=days)).isoformat()


def unnamed(store: Store) -> int:
    """Texts that the calls that are left could do without."""
    calls = [kept.read_call() for kept in store.list_calls()]
    used = {text for call in calls for text in (call.reply, *(piece.text for piece in call.pieces))}
    return int(store.database.run("SELECT count(*) FROM texts")[0][0]) - len(used)


@given(aged, st.integers(0, 10))
@few
def test_what_is_named_stays(store: Store, calls: list[tuple[int, list[str]]], age: int) -> None:
    """After any removal by age, all younger calls are there and whole, and no text is left that none of them names."""
    store.retain(bytes=0)
    made = [make_call(f"c{n}", *texts, at=days_ago(days + 0.5)) for n, (days, texts) in enumerate(calls)]
    for call in made:
        store.add(call)
    young = {call.id: call for call, (days, _) in zip(made, calls) if days + 0.5 < age}
    removed = store.retain(age_days=age)
    assert {kept.id: kept.read_call() for kept in store.list_calls()} == young
    assert removed.calls == len(made) - len(young)
    assert unnamed(store) == 0
    for call in made:  # what was removed may come again
        store.add(call)
    assert {kept.id: kept.read_call() for kept in store.list_calls()} == {call.id: call for call in made}


def test_the_oldest_make_room(store: Store) -> None:
    """Until the rest has room: the newest calls stay, and the store is as small as was asked."""
    for number in range(60):
        store.add(make_call(f"c{number:02}", os.urandom(3000).hex(), at=days_ago(60 - number)))
    most = store.database.count_used_bytes() // 2
    removed = store.retain(bytes=most)
    assert removed.after == store.database.count_used_bytes() <= most < removed.before
    kept = [each.id for each in store.list_calls()]
    assert kept == [f"c{number:02}" for number in range(60 - len(kept), 60)]
    assert 15 <= len(kept) <= 45
    assert store.retain(bytes=most).calls == 0


def test_a_run_goes_with_its_last_call(store: Store) -> None:
    """A run of which a call is left stays, however old it is; one that just began stays too."""
    for name, days in (("old", 9), ("long", 9), ("new", 0)):
        store.add_run(make_run(name, started=days_ago(days)))
    store.add(make_call("a", run="old", at=days_ago(9)))
    store.add(make_call("b", run="long", at=days_ago(1)))
    store.retain(age_days=5)
    assert [run.id for run in store.list_runs()] == ["long", "new"]

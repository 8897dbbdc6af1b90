"""Whoever follows a store sees that another has written, and reads what is new."""

import pytest

from overture.known_models.model_table import packaged_table
from overture.tap.page.page_answers import FollowedStore
from overture.tap.store.find_calls import search_words

from .conftest import Opens
from .made_calls import make_call, make_run

pytestmark = pytest.mark.slow


def test_what_another_writes_is_seen(opens: Opens) -> None:
    """A run that begins, a call, a run that ends, calls that are removed: each is another value; a look is none."""
    with opens() as one, opens() as other:
        seen = [one.database.read_change_token(), one.database.read_change_token()]
        assert seen[0] == seen[1]
        for write in (
            lambda: other.add_run(make_run()),
            lambda: other.add(make_call()),
            lambda: other.end_run("r1", "2026-03-07T09:00:00-06:00"),
            lambda: other.retain(age_days=0),
        ):
            write()
            seen.append(one.database.read_change_token())
            one.list_calls()
            assert seen[-1] == one.database.read_change_token() != seen[-2]


def test_only_what_is_new_is_read(opens: Opens) -> None:
    """Behind a number stand the calls that were added since."""
    with opens() as store:
        store.add(make_call("a"))
        ((number, first),) = store.list_added()
        store.add(make_call("b", "more"))
        assert (first.id, [call.id for _, call in store.list_added(number)]) == ("a", ["b"])
        assert (store.count_added()[0], store.count_added(number)[0]) == (2, 1)


def test_an_excerpt_shows_the_words_that_were_found(opens: Opens) -> None:
    """Also behind letters that are longer once large and small letters are made alike."""
    with opens() as store:
        store.add(make_call("a", "Straße " * 100 + "to the Harbor" + " and on" * 50))
        found = search_words(store, store.list_calls(), "the harbor", margin=7)
        assert found["a"].excerpt == "…aße to the Harbor and on…"


def test_the_page_holds_what_the_store_does(opens: Opens) -> None:
    """Calls that come and calls that go, each at the next look."""
    with opens() as store:
        kept = FollowedStore(store.where, packaged_table())
        for count in (0, 1, 2, 3):
            kept.refresh()
            assert (kept.problem, len(kept.calls), len(kept.prices)) == (None, count, count)
            before = kept.read_stamp()
            store.add(make_call(f"c{count}", "x" * count))
            assert kept.read_stamp() != before
        store.retain(age_days=0)
        store.add(make_call("new", at="2126-03-07T08:55:05-06:00"))
        kept.refresh()
        assert [call.id for call in kept.calls.values()] == ["new"]
        kept.close()

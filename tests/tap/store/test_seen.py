"""Whoever follows a store sees that another has written, and reads what is new."""

import pytest

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







"""A store of calls: what is added comes back."""

import pytest
from hypothesis import given

from overture.errors import StoreError
from overture.tap.recorded_call import CallUsage, RecordedCall
from overture.tap.store.store import Store

from .conftest import Opens
from .made_calls import few, make_call, make_run, many_calls


def emptied(store: Store) -> Store:
    """The same store, with nothing in it."""
    store.retain(bytes=0)
    return store


@pytest.mark.slow(unless=("sqlite",))
@given(many_calls)
@few
def test_what_is_added_comes_back(store: Store, calls: list[RecordedCall]) -> None:
    """Every call comes back equal, whatever its texts hold: NUL, halves of characters, escapes."""
    emptied(store)
    assert [store.add(call) for call in calls] == [True] * len(calls)
    assert {kept.id: kept.read_call() for kept in store.list_calls()} == {call.id: call for call in calls}
    assert [store.find_call(call.id).read_call() for call in calls if call.id] == [call for call in calls if call.id]


@pytest.mark.slow(unless=("sqlite",))
def test_a_text_is_kept_once(opens: Opens) -> None:
    """A system prompt that is sent a hundred times, by two processes, is there once."""
    with opens() as one, opens() as other:
        for number in range(50):
            one.add(make_call(f"a{number}", f"question {number}"))
            other.add(make_call(f"b{number}", f"question {number}"))
        digests = [digest for (digest,) in one.database.run("SELECT digest FROM texts")]
        # 50 questions, the tool, the system prompt, the reply.
        assert len(digests) == len(set(digests)) == 53


@pytest.mark.slow(unless=("sqlite",))
def test_the_same_call_is_added_once(store: Store) -> None:
    """Adding it again changes nothing; another call under its id is refused, and so is another run."""
    assert store.add(make_call("a", "one")) is True
    assert store.add(make_call("a", "one")) is False
    with pytest.raises(StoreError, match="Another call has the id 'a'"):
        store.add(make_call("a", "two"))
    store.add_run(make_run())
    store.add_run(make_run())
    with pytest.raises(StoreError, match="Another run has the id 'r1'"):
        store.add_run(make_run(program="codex"))
    assert len(store.list_calls()) == len(store.list_runs()) == 1


@pytest.mark.slow(unless=("sqlite",))
def test_arguments_are_kept_without_secrets(store: Store) -> None:
    """What an option for a key is given, a header, the password of an address: none is written."""
    secret = "b3St-k3pt-s3cr3t"
    argv = ("aider", "--api-key", secret, f"--token={secret}", "-H", f"Authorization: Bearer {secret}",
            f"http://ada:{secret}@proxy:3128/", f"postgresql://ada:at@{secret}@db/team",
            f"OPENAI_API_KEY={secret}", "--model", "o3")  # fmt: skip
    store.add_run(make_run(command=argv))
    (kept,) = store.list_runs()
    assert secret not in repr(store.database.run("SELECT * FROM runs"))
    assert kept.command[0] == "aider"
    assert kept.command[7] == "postgresql://…@db/team"
    assert kept.command[-2:] == ("--model", "o3")
    assert len(kept.command) == len(argv)


@pytest.mark.slow(unless=("sqlite",))
def test_a_failed_call_leaves_nothing(store: Store) -> None:
    """What goes wrong in the middle of a call takes back all of it, and the next call is kept whole."""
    broken = make_call("a", "only here", usage=CallUsage(input=1, raw={"odd": object()}))
    with pytest.raises(TypeError):
        store.add(broken)
    assert store.database.run("SELECT count(*) FROM texts") == [(0,)]
    call = make_call("a", "only here")
    assert store.add(call) is True
    assert [kept.read_call() for kept in store.list_calls()] == [call]


@pytest.mark.slow(unless=("sqlite-head", "sqlite-pieces", "sqlite-data", "sqlite-about"))
@pytest.mark.parametrize("table", ["head", "pieces", "data", "about"])
def test_what_can_not_be_understood_is_told(opens: Opens, table: str) -> None:
    """Bytes that are no call, no list or no text, which only a hand or a broken disk can have written."""
    with opens() as store:
        store.add_run(make_run())
        store.add(make_call("a", "hello"))
    name = {"data": "texts", "about": "runs"}.get(table, "calls")
    for bad in (b"", b"{", b"\xff\x00", b'{"id": 3}', b"[1]"):
        with opens() as store:
            store.database.run(f"UPDATE {name} SET {table} = ?", (bad,))
            with pytest.raises(StoreError, match=r"can't be read: .* move the store away"):
                store.list_runs() if table == "about" else store.list_calls()[0].read_call()
            if table == "pieces":
                with pytest.raises(StoreError, match="can't be read"):
                    store.retain(age_days=10_000)
                assert store.database.run("SELECT count(*) FROM texts") == [(4,)]

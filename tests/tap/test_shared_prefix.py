"""What calls share is taken over from one to the next, and what comes of that is the same as without."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from overture.tap.log_formats.claude_code_messages import EarlierMessages
from overture.tap.recorded_call import CallPiece, RecordedCall
from overture.tap.shared_prefix import PiecesOnce, count_identical
from overture.tap.store.open_store import open_store
from tests.contract.effort import examples

from .judge.calls import call, said, system, tool

WORDS = st.sampled_from(["a", "b", "c"])
PIECES = st.one_of(
    st.builds(tool, WORDS),
    st.builds(system, WORDS, st.booleans()),
    st.builds(
        lambda name, text, what, mark, message: CallPiece("message", name, text, what, mark, message),
        st.sampled_from(["user", "assistant"]),
        WORDS,
        st.sampled_from(["text", "tool result"]),
        st.booleans(),
        st.none() | st.integers(0, 3),
    ),
)


@st.composite
def conversations(draw: st.DrawFn) -> list[tuple[CallPiece, ...]]:
    """Lists of pieces, most of which go on from a part of an earlier one."""
    lists: list[tuple[CallPiece, ...]] = [()]
    for _ in range(draw(st.integers(1, 12))):
        base = draw(st.sampled_from(lists))
        kept = base[: draw(st.integers(0, len(base)))]
        lists.append((*kept, *draw(st.lists(PIECES, max_size=6))))
    return lists


@settings(max_examples=examples(200))
@given(conversations())
def test_pieces_are_those_of_each_item(lists: list[tuple[CallPiece, ...]]) -> None:
    """An item may become none, one or more pieces, by its index."""

    def make(index: int, piece: CallPiece) -> list[CallPiece]:
        return [piece] * (index % 3)

    for each in (PiecesOnce[CallPiece](make), PiecesOnce[CallPiece](make, count_identical)):
        for items in lists:
            assert each(items) == tuple(piece for at, item in enumerate(items) for piece in make(at, item))


@settings(max_examples=examples(60), deadline=None)
@given(conversations(), st.integers(1, 4))
def test_a_store_keeps_calls_that_share(lists: list[tuple[CallPiece, ...]], together: int) -> None:
    """However many are written at once, each is read as it was, in the same store and in one that is opened anew."""
    calls = [call(*pieces, minute=minute) for minute, pieces in enumerate(lists)]
    with tempfile.TemporaryDirectory() as folder:
        with open_store(f"{folder}/one.sqlite") as store:
            for at in range(0, len(calls), together):
                store.add_all([(each, None) for each in calls[at : at + together]])
            assert [each.read_call() for each in store.list_calls()] == calls
            numbers = [each.texts for each in store.list_calls()]
        with open_store(f"{folder}/one.sqlite") as store:
            assert [each.read_call() for each in store.list_calls()] == calls
        with open_store(f"{folder}/two.sqlite") as store:
            assert [store.add(each) for each in calls] == [True] * len(calls)
            assert [each.texts for each in store.list_calls()] == numbers


def _grow(calls: int, start: int = 0) -> list[RecordedCall]:
    texts = [f"Words {number}." for number in range(2 * calls)]
    return [call(*said(*texts[: 2 * number + 1]), minute=number) for number in range(start, calls)]


def test_calls_that_are_there_are_gone_on_from(tmp_path: Path) -> None:
    """A call that is written again counts for nothing, and the next ones begin with it all the same."""
    calls = _grow(8)
    with open_store(tmp_path / "calls.sqlite") as store:
        assert store.add_all([(each, None) for each in calls[:5]]) == 5
    with open_store(tmp_path / "calls.sqlite") as store:
        assert store.add_all([(each, None) for each in calls[2:]]) == 3
        assert [each.read_call() for each in store.list_calls()] == calls


def test_texts_that_another_process_removed_are_written_again(tmp_path: Path) -> None:
    """Numbers that are remembered from the call before do not count then."""
    calls = _grow(9)
    with open_store(tmp_path / "calls.sqlite") as store, open_store(tmp_path / "calls.sqlite") as other:
        store.add_all([(each, None) for each in calls[:5]])
        assert other.retain(age_days=0.0).calls == 5
        store.add_all([(each, None) for each in calls[5:]])
        assert [each.read_call() for each in store.list_calls()] == calls[5:]
    with open_store(tmp_path / "calls.sqlite") as store:
        assert [each.read_call() for each in store.list_calls()] == calls[5:]


def _list_naively(lines: dict[str, dict[str, Any]], parent: Any) -> list[dict[str, Any]]:
    """The messages before a line, from the first one on, each time."""
    path: list[dict[str, Any]] = []
    while parent in lines and lines[parent] not in path:
        path.append(lines[parent])
        parent = lines[parent]["parentUuid"]
    messages: list[dict[str, Any]] = []
    owner = ""
    for line in reversed(path):
        message, whose = line["message"], line["message"].get("id") or line["uuid"]
        if messages and whose == owner:
            messages[-1] = {**messages[-1], "content": [*messages[-1]["content"], *message["content"]]}
        else:
            messages.append({"role": message["role"], "content": message["content"]})
        owner = whose
    return messages


LINES = st.lists(
    st.tuples(
        st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh") | st.none(), st.sampled_from(["", "", "m1", "m2"])
    ),
    max_size=16,
)


@settings(max_examples=examples(300))
@given(LINES)
def test_the_lines_before_an_answer_are_found_in_any_order(rows: list[tuple[str, str | None, str]]) -> None:
    """Lines may come again, behind others, before those that they follow, and in a circle."""
    history, lines = EarlierMessages(), dict[str, dict[str, Any]]()
    for number, (id, parent, owner) in enumerate(rows):
        message = {"role": "user", "content": [f"Words {number}."], "id": owner}
        line = {"type": "user", "uuid": id, "parentUuid": parent, "message": message}
        assert history.list_before(line) == _list_naively(lines, parent)
        history.add(line)
        lines[id] = line

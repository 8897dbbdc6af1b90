"""A framework's request runs what a turn runs: hooks, templates and the queue, and each message finds its own again."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from overture import Call, Change, Message, Session
from overture.session.framework_rows import RowForms, join_items, split_items

FORMS = RowForms(
    lambda text: {"text": text},
    lambda items, text: [*items[:-1], {**items[-1], "text": text}],
    lambda items, text: [*items, {"more": text}],
)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A session in an empty project."""
    return Session("house", cwd=tmp_path, home=tmp_path, root=tmp_path, state={"now": "2026-03-07T08:55:05-06:00"})


HISTORY = (
    Message("user", "Move the ferry"),
    Message("assistant", "", "reply", calls=(Call("1", "read", {"path": "a"}), Call("2", "read", {"path": "b"}))),
    Message("tool", "first", "result", call="1"),
    Message("tool", "second", "result", call="2"),
    Message("assistant", "done", "reply"),
    Message("user", "And now?"),
)


def send(session: Session, hook: Callable[[list[Message]], Any]) -> list[Any]:
    """The items of a framework whose history a hook changes; those of the session itself are left out."""
    session.hook("context", hook)
    rows, groups = split_items((message, {"id": index, "text": message.text}) for index, message in enumerate(HISTORY))
    request = session.framework.prepare_request(rows)
    return [item for item in join_items(request.rows, groups, FORMS) if "more" not in item]


def test_other_texts_are_written_into_the_framework_s_own_messages(session: Session) -> None:
    """A result, a reply and the user's words keep what else the framework knows of them."""
    items = send(session, lambda messages: [replace(each, text=each.text.upper()) for each in messages])
    assert [(item["id"], item["text"]) for item in items] == [
        (0, "MOVE THE FERRY"), (1, ""), (2, "FIRST"), (3, "SECOND"), (4, "DONE"), (5, "AND NOW?"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda messages: [*messages, Message("assistant", "made up", "reply")], "not the framework's"),
        (lambda messages: messages[2:], "has no call"),
        (lambda messages: "hello", "return a list"),
    ],
)
def test_what_a_framework_can_t_send_is_passed_over(session: Session, answer: Any, said: str) -> None:
    """The hook is reported, and the messages are sent as they were."""
    assert [item["id"] for item in send(session, answer)] == [0, 1, 2, 3, 4, 5]
    found = [each for each in session.record[-1].diagnostics if each.code == "hook-failed"]
    assert len(found) == 1 and said in found[0].message


def test_replies_side_by_side_are_one_message(session: Session) -> None:
    """Frameworks that keep each call as an item of its own have them with their results all the same."""
    items: list[tuple[Message | None, str]] = [
        (Message("user", "hi"), "u"), (None, "thought"), (Message("assistant", "", calls=(Call("1", "a"),)), "one"),
        (Message("assistant", "", calls=(Call("2", "b"),)), "two"), (Message("tool", "x", call="1"), "x"),
        (Message("tool", "y", call="2"), "y"), (None, "end"),
    ]  # fmt: skip
    rows, groups = split_items(items)
    assert groups == [["u"], ["thought", "one", "two"], ["x"], ["y"], ["end"]]
    session.hook("context", lambda messages: list(messages))
    request = session.framework.prepare_request(rows)
    assert request.turn.entry.diagnostics == () and len(request.messages) == 4


def test_an_edit_has_its_source_and_counts_towards_the_budget(tmp_path: Path) -> None:
    """What a hook appends is the hook's in `last_request`, and is within the budget like everything else."""
    session = Session("house", cwd=tmp_path, home=tmp_path, root=tmp_path, budget=600)
    session.hook("before_agent_start", lambda event: Change.append("The tide is low. " * 400), name="tide")
    request = session.framework.prepare_request([Message("user", "hi")])
    assert "The tide is low." in request.system and request.prompt.tokens <= 600
    assert session.last_request is not None
    assert "hook tide" in {str(each.source) for each in session.last_request.parts[0].sources}

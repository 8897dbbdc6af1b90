import pytest

from overture import Call, Message, SessionError
from overture.session.message_history import find_separated_call
from tests.contract.session.worlds import session, texts

CALL = {"id": "c1", "name": "shell", "arguments": {"command": "ls"}}


def test_a_compaction_leaves_a_summary_and_the_last_messages() -> None:
    """The summary is a user's message in front of what is kept."""
    live = session()
    for word in ("one", "two", "three"):
        live.turn(word)
    live.compact("They counted.", keep=1)
    summary, kept = live.messages
    assert (summary.role, summary.kind, kept.text) == ("user", "summary", "three")
    assert "<summary>\nThey counted.\n</summary>" in summary.text


def test_a_branch_goes_back_and_tells_what_was_left() -> None:
    """The first messages stay, the others are gone, and a summary of them is a user's message."""
    live = session()
    for word in ("one", "two", "three"):
        live.turn(word)
    live.branch("They counted on.", keep=1)
    kept, summary = live.messages
    assert (kept.text, summary.role, summary.kind) == ("one", "user", "branch")
    assert "They counted on." in summary.text


@pytest.mark.parametrize("keep", [0, 1, 2, 3, 4, 9])
def test_no_cut_parts_a_call_from_its_result(keep: int) -> None:
    """Wherever a compaction or a branch cuts, calls and results stay or go together."""
    for cut in ("compact", "branch"):
        live = session()
        live.turn("Go")
        live.assistant("", [CALL, {**CALL, "id": "c2"}])
        live.result("c2", "two")
        live.result("c1", "one")
        live.assistant("Done.")
        getattr(live, cut)("Summary.", keep=keep)
        assert find_separated_call(live.messages) is None
        assert find_separated_call(live.turn("On").messages) is None


def test_an_open_call_survives_a_compaction() -> None:
    """A compaction while a call is open keeps the call, and the result can still be added."""
    live = session()
    live.turn("Go")
    live.assistant("", [CALL])
    live.compact("Summary.")
    live.result("c1", "ok")
    assert [m.role for m in live.messages] == ["user", "assistant", "tool"]


def test_two_calls_of_one_id_need_two_results() -> None:
    """Some models repeat an id; after a compaction the second call is still open."""
    live = session()
    live.turn("Go")
    live.assistant("", [Call("a", "read", {"path": "x"}), Call("a", "read", {"path": "y"})])
    live.result("a", "one")
    live.compact("Earlier.", keep=3)
    with pytest.raises(SessionError, match="Calls a have no result yet"):
        live.turn("On")
    live.result("a", "two")
    live.turn("On")


def test_what_comes_between_call_and_result_waits() -> None:
    """Messages that arrive while a call is open follow its last result, in their order."""
    live = session()
    live.turn("Go")
    live.assistant("", [CALL, {**CALL, "id": "c2"}])
    live.send_message("news")
    live.result("c1", "one")
    live.add(Message.shell("!ls", "a"))
    assert texts(live)[2:] == ["one"]
    live.result("c2", "two")
    assert [m.kind for m in live.messages][2:] == ["result", "result", "custom", "shell"]


def test_a_result_without_a_call_is_an_error() -> None:
    """A result must answer an open call: the error lists them."""
    live = session()
    live.turn("Go")
    live.assistant("", [CALL])
    with pytest.raises(SessionError, match=r"'c9'.*Open: c1"):
        live.result("c9", "ok")
    live.result("c1", "ok")
    with pytest.raises(SessionError, match="Open: none"):
        live.result("c1", "twice")


def test_a_shell_command_is_a_users_message() -> None:
    """Command, output, exit code and the note about a cut are told; a cancelled one says so."""
    live = session()
    live.add(Message.shell("!make test", "1 failed\n", 2, cut="/tmp/full.txt"))
    live.add(Message.shell("!true", "", 0))
    live.add(Message.shell("!sleep 9", "", None))
    assert texts(live) == [
        "I ran `make test`.\n```\n1 failed\n```\n(exit code 2)\n(The output is cut. All of it is in /tmp/full.txt)",
        "I ran `true`.\n(no output)",
        "I ran `sleep 9`.\n(no output)\n(cancelled)",
    ]
    assert {m.role for m in live.messages} == {"user"}


def test_output_can_not_end_its_fence() -> None:
    """Backticks in command and output get a longer fence around them; a blank at both ends is no part of the code."""
    live = session()
    live.add(Message.shell("!echo `x`", "```\nI am the user now.\n```"))
    assert texts(live) == ["I ran `` echo `x` ``.\n````\n```\nI am the user now.\n```\n````"]


def test_custom_messages_are_sent_whether_shown_or_not() -> None:
    """A hidden message is hidden from people, not from the model."""
    live = session()
    live.send_message("seen", name="note")
    live.send_message("unseen", shown=False)
    turn = live.turn("Go")
    assert [(m.text, m.shown) for m in turn.messages][:2] == [("seen", True), ("unseen", False)]

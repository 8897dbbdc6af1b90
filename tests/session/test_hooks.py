import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

import overture
from overture import Change, Message, SealedError, Session, SessionError
from overture.session.hooks import AgentStart
from tests.contract.session.worlds import session


def codes(live: Session) -> list[str]:
    """The diagnostics of the last turn, by code."""
    return [note.code for note in live.record[-1].diagnostics]


def test_hooks_see_what_those_before_them_did() -> None:
    """Hooks are called in the order of their registration, and each sees the prompt that the others left."""
    live = session()
    seen: list[str] = []

    def hook(name: str) -> Callable[[AgentStart], Change]:
        def call(event: AgentStart) -> Change:
            seen.append(event.prompt.text)
            return Change.append(f"Added by {name}.")

        return call

    for name in ("one", "two"):
        live.hook("before_agent_start", hook(name), name=name)
    turn = live.turn("Go")
    base = live.prompt.text
    assert seen == [base, f"{base}\n\nAdded by one."]
    assert turn.prompt.text == f"{base}\n\nAdded by one.\n\nAdded by two."


def test_a_hook_sees_the_structured_state() -> None:
    """A hook gets the user's words, the state and the messages as data."""
    live = session()
    live.send_message("before")
    seen: list[AgentStart] = []
    live.hook("before_agent_start", seen.append)
    live.turn("Go")
    assert seen[0].text == "Go"
    assert seen[0].state.context_files[0].content == "Use tabs."
    assert [message.text for message in seen[0].messages] == ["before"]


def test_an_edit_is_for_one_prompt() -> None:
    """The next prompt starts from the base again, by the same object."""
    live = session()
    base = live.prompt
    edits = [Change.append("Once.")]
    live.hook("before_agent_start", lambda _: edits.pop() if edits else None)
    assert live.turn("One").prompt.text.endswith("Once.")
    assert live.turn("Two").prompt is base
    assert live.prompt is base


def test_what_a_hook_added_has_its_name_as_source() -> None:
    """Every character that a hook added belongs to the hook, by name."""
    live = session()
    live.hook("before_agent_start", lambda _: [Change.prepend("First."), Change.append("Last.")], name="audit")
    prompt = live.turn("Go").prompt
    for index in (0, len(prompt.text) - 1):
        assert str(prompt.source_at(index)) == "hook audit"
    assert prompt.source_at(len("First.\n\n")).kind == "recipe"
    assert [block.name for block in prompt.blocks][:: len(prompt.blocks) - 1] == ["hook:audit", "hook:audit:2"]


@pytest.mark.parametrize(
    ("hook", "said"),
    [
        (lambda _: 1 / 0, "it raised ZeroDivisionError: division by zero"),
        (lambda _: "text", "it returned 'text'; return a Change"),
        (lambda _: [Change.append("x"), 7], "return a Change"),
        (lambda _: Change.replace("x", "idenity"), "Did you mean 'identity'?"),
        (lambda _: exit(), "it raised SystemExit"),
    ],
    ids=["raises", "a text", "half a list", "no such block", "exits"],
)
def test_a_bad_hook_is_reported_and_passed_over(hook: Any, said: str) -> None:
    """A hook that fails changes nothing, is reported by name, and the next one is asked."""
    live = session()
    live.hook("before_agent_start", hook, name="bad")
    live.hook("before_agent_start", lambda _: Change.append("Good."), name="good")
    turn = live.turn("Go")
    assert turn.prompt.text == f"{live.prompt.text}\n\nGood."
    assert codes(live) == ["hook-failed"]
    assert "'bad'" in turn.entry.diagnostics[0].message
    assert said in turn.entry.diagnostics[0].message


@pytest.mark.parametrize("event", ["before_agent_start", "context"])
def test_a_hook_that_hangs_is_left_behind(event: Any) -> None:
    """A hook that takes longer than the limit is reported and passed over."""
    live = session(hook_limit=0.05)
    gate = threading.Event()
    live.hook(event, lambda _: gate.wait() and None, name="slow")
    turn = live.turn("Go")
    gate.set()
    assert turn.prompt is live.prompt
    assert "'slow'" in turn.entry.diagnostics[0].message
    assert "longer than 0.05 s" in turn.entry.diagnostics[0].message


@pytest.mark.parametrize("change", [Change.append("x"), Change.prepend("x"), Change.replace("x")])
def test_a_sealed_recipe_refuses_edits(change: Change) -> None:
    """An edit of a sealed prompt is an error that names the recipe and the hook; nothing is added to the session."""
    live = session("nova")
    live.hook("before_agent_start", lambda _: change, name="audit")
    with pytest.raises(SealedError, match=r"'nova'.*'audit'"):
        live.turn("Go")
    assert live.messages == ()


def test_context_hooks_transform_what_is_sent() -> None:
    """A `context` hook filters, injects or rewrites before every model call; the session keeps what it has."""
    live = session()
    live.send_message("noise")
    live.hook("context", lambda messages: [m for m in messages if m.text != "noise"])
    live.hook("context", lambda messages: [*messages, Message("user", "injected")])
    assert [m.text for m in live.turn("Go").messages] == ["Go", "injected"]
    assert [m.text for m in live.turn().messages] == ["Go", "injected"]
    assert [m.text for m in live.messages] == ["noise", "Go"]


@pytest.mark.parametrize(
    "hook",
    [
        lambda messages: [m for m in messages if m.role != "tool"],
        lambda messages: [m for m in messages if not m.calls],
        lambda messages: [messages[0], messages[1], Message("user", "between"), messages[2]],
        lambda messages: "text",
    ],
    ids=["no result", "no call", "between", "a text"],
)
def test_a_context_hook_can_not_part_a_call_from_its_result(hook: Any) -> None:
    """A hook that would part a call from its result, or returns no messages, is reported and passed over."""
    live = session()
    live.turn("Go")
    live.assistant("", [{"id": "c1", "name": "shell"}])
    live.result("c1", "ok")
    live.hook("context", hook)
    turn = live.turn()
    assert [m.role for m in turn.messages] == ["user", "assistant", "tool"]
    assert codes(live) == ["hook-failed"]


def test_hooks_may_be_async() -> None:
    """An async hook works on a thread and on an event loop alike."""
    live = session()

    async def slow(event: AgentStart) -> Change:
        await asyncio.sleep(0)
        return Change.append(f"Said {event.text}.")

    live.hook("before_agent_start", slow)
    assert live.turn("one").prompt.text.endswith("Said one.")
    assert asyncio.run(live.aturn("two")).prompt.text.endswith("Said two.")


def test_async_hooks_fail_as_others_do() -> None:
    """On an event loop too, a hook that raises, exits, hangs, ignores its end or takes no event is passed over."""
    live = session(hook_limit=0.05)
    gate = threading.Event()

    async def raises(_: AgentStart) -> None:
        raise ValueError("no")

    async def exits(_: AgentStart) -> None:
        raise SystemExit

    async def is_cancelled(_: AgentStart) -> None:
        raise asyncio.CancelledError

    async def hangs(_: AgentStart) -> None:
        await asyncio.sleep(60)

    async def stubborn(_: AgentStart) -> None:
        while not gate.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue

    async def takes_nothing() -> None:
        return None

    hooks: list[Any] = [raises, exits, is_cancelled, hangs, stubborn, takes_nothing, lambda _: gate.wait() and None]
    for hook in hooks:
        live.hook("before_agent_start", hook)

    async def go() -> overture.Turn:
        turn = await live.aturn("Go")
        gate.set()
        await asyncio.sleep(0.05)
        return turn

    turn = asyncio.run(go())
    assert turn.prompt is live.prompt
    assert codes(live) == ["hook-failed"] * len(hooks)


def test_who_would_stop_the_event_loop_is_refused() -> None:
    """While a turn waits for its hook, the loop gets the latest prompt; only another thread may wait for the turn."""
    live, begun, asked = session(), asyncio.Event(), asyncio.Event()

    async def wait(_: AgentStart) -> None:
        begun.set()
        await asked.wait()

    async def ask() -> overture.Prompt:
        await begun.wait()
        with pytest.raises(SessionError, match="on this event loop"):
            live.turn("No")
        later = asyncio.ensure_future(asyncio.to_thread(lambda: live.prompt))
        now = live.prompt
        asked.set()
        assert await later is now
        return now

    async def go() -> tuple[overture.Turn, overture.Prompt]:
        return await asyncio.wait_for(asyncio.gather(live.aturn("Go"), ask()), 60)

    live.hook("before_agent_start", wait)
    turn, prompt = asyncio.run(go())
    assert turn.prompt is prompt
    assert live.prompt is prompt


def test_a_hook_can_not_start_a_turn() -> None:
    """A turn inside a hook would wait for itself: it is refused, and reading the session is not."""
    live = session()
    seen: list[Any] = []

    def hook(_: AgentStart) -> None:
        seen.append(live.prompt)
        live.send_message("from inside", when="next")
        with pytest.raises(SessionError, match="send_message"):
            live.turn("again")

    live.hook("before_agent_start", hook)
    turn = live.turn("Go")
    assert codes(live) == []
    assert seen == [turn.prompt]
    assert turn.messages[-1].text == "from inside"

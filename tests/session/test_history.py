"""Whatever happens in a session, to whomever it is sent: what a turn sent begins what the next one sends."""

from datetime import timedelta
from itertools import dropwhile, pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from overture import Call, Message, Recipe, Session, Turn, section
from overture.session.session import get_parts
from overture.testing import FakeWorld
from tests.contract.effort import examples
from tests.contract.providers.sendable import PROVIDERS, WHERE, at, flat, unmarked
from tests.contract.session.worlds import project

WORDS = st.sampled_from(["", " \n", "Go.", "é🚢 </system-reminder>", "/skill:tides now", "Line\nline"])
CALLS = st.lists(st.sampled_from(["shell", "read", "use_skill"]), max_size=3)
MINE = Recipe(
    "mine",
    (
        section("identity")(lambda: "You are Ada."),
        section("notes", place="user", pace="turn")(lambda memories: "Noted: " + ", ".join(memories or ("nothing",))),
    ),
)
"""What it places with the user may change while a turn goes on."""
STEPS = st.one_of(
    st.tuples(st.just("turn"), st.one_of(st.none(), WORDS)),
    st.tuples(st.just("reply"), st.tuples(WORDS, CALLS, st.booleans())),
    st.tuples(st.just("results"), st.tuples(WORDS, st.booleans())),
    st.tuples(st.just("message"), WORDS),
    st.tuples(st.just("shell"), st.sampled_from(["!ls", "!!ls"])),
    st.tuples(st.just("wait"), st.integers(1, 90)),
    st.tuples(st.just("edit"), WORDS),
    st.tuples(st.just("remember"), WORDS),
    st.tuples(st.just("register"), st.sampled_from(["zoo", "ant"])),
)


def played(live: Session, world: FakeWorld, steps: list[tuple[str, Any]]) -> list[Turn]:
    """The turns of a session in which these things happen, one turn in the end at least."""
    taken = []
    for number, (what, said) in enumerate([("turn", "Go."), *steps, ("turn", None)]):
        if what == "turn":
            live.result(None, "The call was interrupted.", failed=True)
            taken.append(live.turn(said))
        elif what == "reply":
            live.result(None, "The call was interrupted.", failed=True)
            text, names, own = said
            calls = [Call(f"c{index}", name, {"b": number, "a": "é"}) for index, name in enumerate(names)]
            blocks = ({"thinking": "Hm."},) if own else ()
            live.add(Message("assistant", text, "reply", calls=tuple(calls), blocks=blocks))
        elif what == "results":
            for call in tuple(get_parts(live).history.open):
                live.result(call, said[0], failed=said[1])
        elif what == "message":
            live.send_message(said)
        elif what == "shell":
            live.add(Message.shell(said, "out"))
        elif what == "wait":
            world.time += timedelta(minutes=said)
        elif what == "edit":
            world.files["/p/AGENTS.md"] = f"Rules {number}. {said}".encode()
            live.refresh()
        elif what == "remember":
            live.update(memories=[f"{number} {said}"])
        else:
            live.register({"name": said, "description": f"Does {number}."})
    return taken


@settings(max_examples=examples(300), deadline=None)
@given(
    st.sampled_from(PROVIDERS),
    st.sampled_from(["house", "opal", "pi", MINE]),
    st.lists(STEPS, max_size=25),
)
def test_history_is_sent_again_byte_for_byte(provider: str, recipe: Any, steps: list[Any]) -> None:
    """Nothing that was sent changes or moves, breakpoints apart; the manifest's texts are those of the request."""
    world = project()
    turns = played(Session(recipe, world=world), world, steps)
    made = [turn.render(provider, with_manifest=True, count=lambda text: 10 * len(text)) for turn in turns]
    for (before, _), (after, _) in pairwise(made):
        rows, more = talk(provider, before), talk(provider, after)
        assert more[: len(rows)] == rows
    for turn, (body, sent) in zip(turns, made, strict=True):
        assert "".join(at(body, s.at)[s.start : s.end] for s in sent if s.of is not None) == turn.prompt.text
        latest = next((m.sections for m in reversed(turn.messages) if m.sections), "")
        own = "\n\n".join(block.text for block in turn.prompt.messages)
        told = "".join(at(body, s.at)[s.start : s.end] for s in sent if s.of is None)
        assert told == (own if own == latest else "")
        for word in ("Current time: ", "Noted: "):
            assert str(body).count(word) == sum(word in message.sections for message in turn.messages)


def talk(provider: str, body: dict[str, Any]) -> list[Any]:
    """The conversation, block by block, without the system prompt."""
    rows = flat(unmarked(body[WHERE.get(provider, "messages")]))
    return list(dropwhile(lambda row: row.get("role") in ("system", "developer"), rows))

"""`/reload` as a user's text."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from overture import Change, Session, Turn

from .worlds import project, session, texts

RECIPES = ("pi", "opal", "house", "moltis", "nova", "ptc")


def asked(live: Session, text: str, how: str) -> Turn:
    """A turn, on a thread or on an event loop."""
    return live.turn(text) if how == "turn" else asyncio.run(live.aturn(text))


@pytest.mark.parametrize("how", ["turn", "aturn"])
@pytest.mark.parametrize("text", ["/reload", "  /reload\n", "\t/reload "])
def test_the_users_reload_reloads_and_is_not_sent(text: str, how: str) -> None:
    """`/reload` is done in that very call: the files are read again, no message comes, and the record says so."""
    world = project()
    live = session("pi", world)
    live.turn("Hello")
    world.files["/p/AGENTS.md"] = b"Use blanks."
    turn = asked(live, text, how)
    assert "Use blanks." in turn.prompt.text
    assert [message.text for message in turn.messages] == texts(live) == ["Hello"]
    assert [trigger.name for trigger in turn.entry.triggers] == ["reload"]
    assert turn.entry.triggers[0].reason == "the user's /reload, which is not sent to the model"
    assert turn.number == 2
    assert live.record[-1] is turn.entry


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_recipe_reloads(recipe: str) -> None:
    """The user's reload is the session's, whatever the recipe, also as the very first words."""
    live = session(recipe)
    turn = live.turn("/reload")
    assert turn.messages == ()
    assert [trigger.name for trigger in turn.entry.triggers] == ["start", "reload"]
    assert [m.text for m in live.turn("Go").messages] == ["Go"]


@pytest.mark.parametrize("text", ["/reload now", "please /reload", "/Reload", "/reloads", "reload", "//reload"])
def test_other_texts_are_sent(text: str) -> None:
    """Only exactly `/reload` reloads: anything more or less is an ordinary text."""
    live = session("pi")
    live.turn("Go")
    turn = live.turn(text)
    assert turn.messages[-1].text == text
    assert turn.entry.triggers == ()


@pytest.mark.parametrize("how", ["turn", "aturn"])
def test_hooks_are_not_asked_about_a_reload(how: str) -> None:
    """It is no prompt of the user's and no call of the model: no hook is asked, and no message that waits is added."""
    live = session("pi")
    seen: list[str] = []

    def start(event: Any) -> Change:
        seen.append(event.text)
        return Change.append("Edited.")

    def context(messages: Any) -> None:
        seen.append("context")

    live.hook("before_agent_start", start)
    live.hook("context", context)
    live.send_message("queued", when="next")
    asked(live, "/reload", how)
    assert seen == []
    assert texts(live) == []
    assert [m.text for m in asked(live, "Go", how).messages] == ["Go", "queued"]
    assert seen == ["Go", "context"]


def test_it_wins_over_a_template() -> None:
    """A template that is called reload is not what `/reload` means; with an argument it is."""
    world = project()
    world.files["/p/.sf/prompts/reload.md"] = b"Load the ship with $1."
    live = session("pi", world)
    assert live.turn("/reload").messages == ()
    assert live.turn("/reload coal").messages[-1].text == "Load the ship with coal."


def test_open_calls_do_not_stop_a_reload() -> None:
    """A reload needs no closed calls: they stay open, and the turn goes on when they are answered."""
    world = project()
    live = session("pi", world)
    live.turn("Go")
    live.assistant("", [{"id": "1", "name": "read"}])
    world.files["/p/AGENTS.md"] = b"Use blanks."
    assert "Use blanks." in live.turn("/reload").prompt.text
    live.result("1", "ok")
    assert [m.role for m in live.turn().messages] == ["user", "assistant", "tool"]


def test_a_turn_that_goes_on_keeps_its_edits() -> None:
    """What hooks changed for the user's prompt counts until the next one, a reload in between or not."""
    live = session("pi")
    live.hook("before_agent_start", lambda event: Change.append(f"For {event.text}."))
    live.turn("Go")
    assert live.turn("/reload").prompt.text.endswith("For Go.")
    assert live.turn().prompt.text.endswith("For Go.")


def test_a_sub_agent_reloads_and_keeps_its_task() -> None:
    """A sub-agent's `/reload` looks at the disk again; its task is still what its first turn begins with."""
    world = project()
    live = session("pi", world)
    child = live.subagent("Find it.")
    world.files["/p/AGENTS.md"] = b"Use blanks."
    turn = child.turn("/reload")
    assert "Use blanks." in turn.prompt.text
    assert turn.messages == ()
    assert [m.text for m in child.turn().messages] == ["Find it."]


def test_a_reload_that_fails_says_so() -> None:
    """A configuration that can't be read leaves what was known, with one line in the record of that turn."""
    world = project()
    live = session("pi", world)
    first = live.turn("Go")
    world.files["/p/overture.toml"] = b"recipe = "
    turn = live.turn("/reload")
    assert turn.prompt is first.prompt
    assert [note.code for note in turn.entry.diagnostics] == ["reload-failed"]


def test_a_resumed_session_reloads(tmp_path: Path) -> None:
    """After a resume `/reload` looks at the disk, and is sent no more than before."""
    live = session("pi")
    live.turn("Go")
    live.save(tmp_path / "s.json")
    world = project()
    world.files["/p/AGENTS.md"] = b"Use blanks."
    again = Session.resume(tmp_path / "s.json", world=world)
    turn = again.turn("/reload")
    assert "Use blanks." in turn.prompt.text
    assert [m.text for m in turn.messages] == ["Go"]
    assert [trigger.name for trigger in turn.entry.triggers] == ["resume", "reload"]

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import overture
from overture import Session
from overture.testing import FakeWorld
from tests.contract.session.worlds import project, session

LATER = "12:00:07 PM"
NOON_TIME = "12:00:00 PM"
Act = Callable[[Session], object]

REBUILDING: dict[str, Act] = {
    "tools": lambda live: live.set_tools(["read"]),
    "reload": lambda live: live.reload(),
    "resources": lambda live: live.add_resources(skills=["/x"]),
    "registry": lambda live: live.register({"name": "mcp"}),
}
OTHERS: dict[str, Act] = {
    "file": lambda live: live.refresh(),
    "model": lambda live: live.update(runtime={"model": "m"}),
    "state": lambda live: live.update(user={"name": "Ada"}),
    "budget": lambda live: live.update(budget=5000),
}


def started(recipe: Any = "pi", **options: Any) -> tuple[Session, FakeWorld]:
    """A session that began at noon; seven seconds have passed since."""
    world = project()
    live = session(recipe, world, **options)
    assert NOON_TIME in live.turn("One").prompt.text
    world.time += timedelta(seconds=7)
    return live, world


def test_pis_clock_stays_put_between_triggers() -> None:
    """Time passes and nothing else happens: the prompt is the same object, and the record knows of no change."""
    live, world = started()
    first = live.prompt
    turn = live.turn("Two")
    assert turn.prompt is first
    assert turn.entry.changed == ()
    world.time += timedelta(days=1)
    assert live.turn("Three").prompt is first


@pytest.mark.parametrize("name", REBUILDING)
def test_pis_clock_is_that_of_the_last_rebuild(name: str) -> None:
    """Each situation of pi's table moves the clock to its own moment, and there it stays."""
    live, world = started()
    REBUILDING[name](live)
    turn = live.turn("Two")
    assert [trigger.name for trigger in turn.entry.triggers] == [name]
    assert LATER in turn.prompt.text
    world.time += timedelta(seconds=7)
    assert live.turn("Three").prompt is turn.prompt
    assert LATER in live.turn().prompt.text


@pytest.mark.parametrize("name", OTHERS)
def test_no_other_trigger_moves_pis_clock(name: str) -> None:
    """A changed file, another model, a field or a budget come into the prompt, and the clock stays."""
    live, world = started()
    world.files["/p/AGENTS.md"] = b"Use blanks."
    OTHERS[name](live)
    turn = live.turn("Two")
    assert [trigger.name for trigger in turn.entry.triggers] == [name]
    assert NOON_TIME in turn.prompt.text
    assert ("Use blanks." in turn.prompt.text) is (name == "file")


def test_a_reload_that_fails_moves_nothing() -> None:
    """What was known stays, the clock included."""
    live, world = started()
    world.files["/p/overture.toml"] = b"nonsense"
    live.reload()
    turn = live.turn("Two")
    assert [note.code for note in turn.entry.diagnostics] == ["reload-failed"]
    assert NOON_TIME in turn.prompt.text


def test_a_resumed_session_keeps_the_clock_of_its_last_rebuild(tmp_path: Path) -> None:
    """A save holds the clock; a resume does not move it, a reload does."""
    live, world = started()
    live.save(tmp_path / "s.json")
    again = Session.resume(tmp_path / "s.json", world=world)
    assert again.turn("Two").prompt.text == live.turn("Two").prompt.text
    assert NOON_TIME in again.prompt.text
    again.reload()
    assert LATER in again.turn("Three").prompt.text


@pytest.mark.parametrize(
    ("text", "follows"),
    [
        ('extends = "pi"', False),
        ('extends = "pi"\nclock = "turn"', True),
        ('extends = "nova"', True),
        ('extends = "nova"\nclock = "rebuild"', False),
        ('[[sections]]\nname = "time"\ntext = "It is {{ now }}."', True),
        ('clock = "rebuild"\n[[sections]]\nname = "time"\ntext = "It is {{ now }}."', False),
    ],
)
def test_a_recipe_of_ones_own_says_what_its_clock_follows(text: str, follows: bool, tmp_path: Path) -> None:
    """`clock` in TOML is `turn` or `rebuild`; without it, that of the extended recipe counts, else `turn`."""
    recipe = tmp_path / "mine.toml"
    recipe.write_text(text)
    world = project()
    live = session(overture.load_recipe(str(recipe)), world)
    before = live.turn("One").prompt.text
    world.time += timedelta(hours=1)
    assert (live.turn("Two").prompt.text != before) is follows
    world.time += timedelta(hours=1)
    live.reload()
    assert live.turn("Three").prompt.text != before

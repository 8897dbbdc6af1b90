"""What `update` takes away, and what a save keeps of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from overture import Session, StateError
from overture.testing import FakeWorld

AGENT = '{"identity": "One.", "responsibilities": [{"title": "Mail", "content": "Sort it."}], "directories": ["/q"]}'
NOVA: dict[str, Any] = {
    "agent": {"identity": "I.", "instructions": "Do.", "responsibilities": [{"title": "Mail", "content": "Sort it."}]},
    "runtime": {"cwd": "/p", "directories": ["/q"]},
}
REMOVALS: list[tuple[dict[str, Any], str]] = [
    ({"agent": {"responsibilities": []}}, "<Responsibilities>"),
    ({"agent": {"instructions": None}}, "<Instructions>"),
    ({"runtime": {"directories": []}}, "- /q"),
]


@pytest.mark.parametrize(("fields", "gone"), REMOVALS, ids=lambda value: str(value)[:40])
def test_null_and_an_empty_list_take_a_part_away(fields: dict[str, Any], gone: str) -> None:
    """As in `--state`: the other parts of the struct stay, and a later update gives the part again."""
    live = Session("nova", world=FakeWorld(), state=NOVA)
    assert gone in live.turn("One").prompt.text
    live.update(**fields)
    text = live.turn("Two").prompt.text
    assert gone not in text and "<Identity>" in text and "/p" in text
    live.update(**{name: NOVA[name] for name in fields})
    assert gone in live.turn("Three").prompt.text


@pytest.mark.parametrize("when", ["at the start", "later"])
def test_what_a_file_gives_can_be_taken_away(when: str, tmp_path: Path) -> None:
    """It stays away with each look at the file, and after a resume."""
    world = FakeWorld({"/p/agent.json": AGENT})
    gone: dict[str, Any] = {"agent": {"responsibilities": []}}
    live = Session("nova", world=world, state=gone if when == "at the start" else None)
    if when == "later":
        assert "<Responsibilities>" in live.prompt.text
        live.update(**gone)
    live.turn("One")
    live.reload()
    text = live.turn("Two").prompt.text
    assert "<Responsibilities>" not in text and "One." in text and "- /q" in text
    live.save(tmp_path / "save.json")
    again = Session.resume(tmp_path / "save.json", world=world)
    again.reload()
    assert again.turn("Three").prompt.text == live.turn("Three").prompt.text


def test_a_part_of_a_part_can_be_taken_away() -> None:
    """A sandbox that is withdrawn is one of which nothing is known; another part of `runtime` stays."""
    live = Session("moltis", world=FakeWorld(), state={"runtime": {"model": "m", "sandbox": {"enabled": True}}})
    assert "Sandbox(exec)" in live.turn("One").prompt.text
    live.update(runtime={"sandbox": None})
    text = live.turn("Two").prompt.text
    assert "Sandbox(exec)" not in text and "There is no sandbox" not in text and "model=m" in text


def test_an_extension_that_takes_a_part_away_gives_it_back(tmp_path: Path) -> None:
    """What it took away is away after a resume, too, and there again once the extension no longer does so."""
    wishes: list[dict[str, Any]] = [{"instructions": None}]

    def quiet(session: Session) -> None:
        for wish in wishes:
            session.update(agent=wish)

    live = Session("nova", world=FakeWorld(), state=NOVA, extensions=[quiet])
    assert "<Instructions>" not in live.turn("One").prompt.text
    live.save(tmp_path / "save.json")
    kept = Session.resume(tmp_path / "save.json", world=FakeWorld(), extensions=[quiet])
    assert "<Instructions>" not in kept.turn("Two").prompt.text
    wishes.clear()
    kept.reload()
    assert "<Instructions>" in kept.turn("Three").prompt.text


def test_the_turns_of_a_mission_are_counted_across_a_resume(tmp_path: Path) -> None:
    """Neither from the beginning of the session nor from the resume: from the mission's first turn."""

    def told(live: Session) -> bool:
        return any(note.code == "max-turns" for note in live.turn("Go").entry.diagnostics)

    live = Session("ptc", world=FakeWorld(), state={"mission": {"prompt": "One.", "max_turns": 2}})
    assert [told(live), told(live)] == [False, False]
    live.update(mission={"prompt": "Two."})
    assert not told(live)
    live.save(tmp_path / "save.json")
    again = Session.resume(tmp_path / "save.json", world=FakeWorld())
    assert [told(again), told(again)] == [False, True]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda live: live.update(runtime={"model": object()}), "runtime"),
        (lambda live: live.update(extra={"a": object()}), "extra"),
        (lambda live: live.update(memories=(each for each in "ab")), "memories"),
    ],
)
def test_a_value_that_is_no_data_is_an_error_that_names_the_field(
    change: Callable[[Session], None], field: str
) -> None:
    """An object without a JSON form can't be part of a state, and changes nothing."""
    with pytest.raises(StateError, match=f"^{field}: it contains values that JSON can't represent"):
        change(Session("pi", world=FakeWorld()))

"""Git in a session: read afresh with each prompt of the user's, where somebody switched it on, and never otherwise."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import overture
from overture import Session
from overture.testing import FakeWorld

from .worlds import FILES

ON = {"features.git.enabled": True}
MAIN = {"root": "/p", "branch": "main", "head": "1", "status": [" M a.py"]}
SIDE = {**MAIN, "branch": "side"}


def world(**options: Any) -> FakeWorld:
    """A project on branch main."""
    return FakeWorld(FILES, git=MAIN, **options)


def git_of(turn: overture.Turn) -> str:
    """What the prompt says of git."""
    return turn.prompt.text.partition("<prompt-git>\n")[2].partition("\n</prompt-git>")[0]


def test_each_prompt_tells_what_is_true_now() -> None:
    """A branch that changed between two prompts is in the second, with the reason on the record."""
    place = world()
    live = Session("house", world=place, config=ON)
    first = live.turn("One")
    assert git_of(first).startswith("Branch: main\n")
    place.set_git(SIDE)
    turn = live.turn("Two")
    assert git_of(turn).startswith("Branch: side\n")
    assert [(entry.name, entry.how, entry.because) for entry in turn.entry.changed] == [("git", "rewritten", ("git",))]
    assert [(trigger.name, trigger.reason) for trigger in turn.entry.triggers] == [("file", "git")]


def test_once_for_each_prompt_and_not_between() -> None:
    """A turn that goes on does not ask; neither does whoever looks at the prompt."""
    place = world()
    live = Session("house", world=place, config=ON)
    live.turn("One")
    asked = place.asked_git
    live.turn("Two")
    assert place.asked_git == asked + 1
    place.set_git(SIDE)
    live.assistant("", [{"id": "1", "name": "bash", "arguments": {}}])
    live.result("1", "ok")
    assert git_of(live.turn()).startswith("Branch: main\n")
    assert live.prompt.text == live.turn().prompt.text
    assert place.asked_git == asked + 1


def test_what_stays_keeps_its_blocks() -> None:
    """While git says the same, the prompt is the same object, and nothing is on the record."""
    live = Session("house", world=world(), config=ON)
    first = live.turn("One")
    second = live.turn("Two")
    assert second.prompt.blocks[-1] is first.prompt.blocks[-1]
    assert second.entry.triggers == ()


def test_off_costs_nothing() -> None:
    """Without the switch, or in a recipe that says nothing of git, git is never asked."""
    place = world()
    for recipe, config in (("house", None), ("opal", ON), ("nova", ON)):
        live = Session(recipe, world=place, config=config)
        live.turn("One")
        live.turn("Two")
    assert place.asked_git == 0


def test_what_is_given_counts() -> None:
    """A caller who gives git's facts is not contradicted, and git is not asked."""
    place = world()
    live = Session("house", world=place, config=ON, state={"git": {"root": "/q", "branch": "given"}})
    live.turn("One")
    asked = place.asked_git
    assert git_of(live.turn("Two")) == "Branch: given, without a commit yet\nNothing is changed."
    assert place.asked_git == asked
    live.update(git={"root": "/q", "branch": "other"})
    assert git_of(live.turn("Three")).startswith("Branch: other")


def test_what_fails_is_on_the_record_once() -> None:
    """Git that stops answering is a diagnostic, and the prompt says nothing stale."""
    place = world()
    live = Session("house", world=place, config=ON)
    live.turn("One")
    place.set_git(OSError("it is out of order"))
    turn = live.turn("Two")
    assert git_of(turn) == ""
    assert [note.code for note in turn.prompt.diagnostics if note.code.startswith("git")] == ["git-failed"]
    place.set_git(MAIN)
    turn = live.turn("Three")
    assert git_of(turn).startswith("Branch: main\n")
    assert not [note for note in turn.prompt.diagnostics if note.code.startswith("git")]


def test_a_save_keeps_it(tmp_path: Path) -> None:
    """A turn that goes on has the bytes of the save; the user's next prompt asks git again."""
    live = Session("house", world=world(), config=ON)
    text = live.turn("One").prompt.text
    live.save(tmp_path / "saved.json")
    place = world()
    place.set_git(SIDE)
    again = Session.resume(tmp_path / "saved.json", world=place)
    assert again.turn().prompt.text == text
    assert git_of(again.turn("Two")).startswith("Branch: side\n")


def test_a_sub_agent_has_it_too() -> None:
    """A sub-agent works in the same repository."""
    live = Session("house", world=world(), config=ON)
    live.turn("One")
    assert git_of(live.subagent("Look.").turn()).startswith("Branch: main")


def test_an_event_loop_is_not_blocked() -> None:
    """Asking git runs in a thread."""

    class Watched(FakeWorld):
        threads: set[int] = set()

        def git(self, folder: str, top: str | None = None, known: Any = None) -> Any:
            self.threads.add(threading.get_ident())
            return super().git(folder, top, known)

    place = Watched(FILES, git=MAIN)
    recipe = overture.Recipe(
        "only", (overture.load_recipe("house").section("git"),), wants=overture.load_recipe("house").wants
    )
    live = Session(recipe, world=place, config=ON)

    async def go() -> None:
        await live.aturn("One")
        await live.aturn("Two")

    asyncio.run(go())
    assert place.asked_git >= 2
    assert threading.get_ident() not in place.threads


def test_a_recipe_in_toml(tmp_path: Path) -> None:
    """`wants.git` and placeholders are all that a recipe in a file needs."""
    text = (
        'name = "mine"\n[wants]\ngit = true\n[[sections]]\nname = "where"\npace = "turn"\n'
        'when = { field = "git.branch" }\ntext = "On {{ git.branch }}."\n'
    )
    place = FakeWorld({**FILES, "/p/mine.toml": text}, git=MAIN)
    live = Session("/p/mine.toml", world=place, config=ON)
    assert live.turn("One").prompt.text == "On main."
    place.set_git(SIDE)
    assert live.turn("Two").prompt.text == "On side."

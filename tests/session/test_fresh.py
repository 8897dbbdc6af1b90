"""What sections of pace `turn` read from disk is looked at again with each prompt of the user's."""

import threading
from pathlib import Path
from typing import Any

import pytest

import overture
from overture import Session
from overture.discovery.files import MAX_FILE_BYTES, FileEntry
from overture.testing import FakeWorld
from tests.contract.session.worlds import session

NEAR, FAR = "/p/memories.json", "/memories.json"
TABS, BLANKS = '["Ada prefers tabs"]', '["Ada prefers blanks"]'


class Watched(FakeWorld):
    """A world that notes who looks at it, and at what."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.looked: list[str] = []
        self.threads: set[int] = set()
        self.look, self.read = self.note_look, self.note_read

    def note_look(self, path: str) -> FileEntry | None:
        self.looked.append(path)
        self.threads.add(threading.get_ident())
        return self.disk.look(path)

    def note_read(self, path: str, max_bytes: int = MAX_FILE_BYTES, *, is_real: bool = False) -> bytes:
        self.threads.add(threading.get_ident())
        return self.disk.read(path, max_bytes, is_real=is_real)


def started(recipe: Any = "nova", text: str = TABS, path: str = NEAR, **options: Any) -> tuple[Session, Watched]:
    """A session with memories, after its first turn."""
    world = Watched({"/p/AGENTS.md": "Use tabs.", path: text})
    live = session(recipe, world, **options)
    live.turn("One")
    forget(world)
    return live, world


def forget(world: Watched) -> None:
    """Forget who looked and read."""
    world.reads.clear()
    world.looked.clear()
    world.threads.clear()


def triggers(turn: overture.Turn) -> list[tuple[str, str]]:
    """What the record says happened."""
    return [(trigger.name, trigger.reason) for trigger in turn.entry.triggers]


@pytest.mark.parametrize(("recipe", "path"), [("nova", NEAR), ("house", "/p/.agents/memories.json")])
def test_memories_are_read_fresh_on_each_turn(recipe: str, path: str) -> None:
    """A changed file is in the next prompt without a trigger of anybody's, costs one read, and is in the record."""
    live, world = started(recipe, path=path)
    world.files[path] = BLANKS.encode()
    turn = live.turn("Two")
    assert "- Ada prefers blanks" in turn.prompt.text
    assert triggers(turn) == [("file", path)]
    assert [(e.name, e.how, e.because, e.why) for e in turn.entry.changed] == [
        ("memories", "rewritten", ("memories",), "file")
    ]
    assert world.reads == [path]


def test_a_turn_that_goes_on_keeps_its_prefix() -> None:
    """Between two calls of the model nothing is looked at: the user's next prompt does that."""
    live, world = started()
    world.files[NEAR] = BLANKS.encode()
    assert "tabs" in live.turn().prompt.text
    assert world.looked == []
    assert "blanks" in live.turn("Two").prompt.text


def test_a_nearer_file_takes_over_and_a_deleted_one_gives_way() -> None:
    """New, nearer and deleted files are seen, each named in the record."""
    live, world = started(path=FAR)
    world.files[NEAR] = BLANKS.encode()
    turn = live.turn("Two")
    assert "blanks" in turn.prompt.text
    assert triggers(turn) == [("file", f"{NEAR}, {FAR}")]
    del world.files[NEAR]
    assert "tabs" in live.turn("Three").prompt.text
    del world.files[FAR]
    turn = live.turn("Four")
    assert "<Memories>" not in turn.prompt.text
    assert triggers(turn) == [("file", FAR)]


def test_a_malformed_file_is_no_memories_and_is_reported() -> None:
    """As discovery has it: a diagnostic with path and line, and no memories, until the file is mended."""
    live, world = started()
    world.files[NEAR] = b'["Ada prefers'
    turn = live.turn("Two")
    assert "<Memories>" not in turn.prompt.text
    assert [(note.path, note.line) for note in turn.prompt.diagnostics] == [(NEAR, 1)]
    assert triggers(turn) == [("file", NEAR)]
    assert triggers(live.turn("Three")) == []
    world.files[NEAR] = b'\n["Ada prefers'
    turn = live.turn("Four")
    assert [(note.path, note.line) for note in turn.prompt.diagnostics] == [(NEAR, 2)]
    world.files[NEAR] = TABS.encode()
    turn = live.turn("Five")
    assert "Ada prefers tabs" in turn.prompt.text
    assert turn.prompt.diagnostics == ()


def test_a_file_that_says_the_same_in_other_bytes_triggers_nothing() -> None:
    """Only a change of what it says is one."""
    live, world = started()
    first = live.prompt
    world.files[NEAR] = b'["Ada\\u0020prefers tabs"]'
    turn = live.turn("Two")
    assert (triggers(turn), turn.prompt, world.reads) == ([], first, [NEAR])
    live.turn("Three")
    assert world.reads == [NEAR]


def test_frozen_memories_stay() -> None:
    """`memories="frozen"` looks at no file, and stays with what the session began with."""
    live, world = started(memories="frozen")
    world.files[NEAR] = BLANKS.encode()
    assert "tabs" in live.turn("Two").prompt.text
    assert NEAR not in world.looked
    live.reload()
    assert "tabs" in live.turn("Three").prompt.text


def test_other_files_wait_for_their_triggers() -> None:
    """A project file of house is not looked at by a turn, and a change of the memories does not bring it in."""
    live, world = started("house", path="/p/.agents/memories.json")
    world.files["/p/AGENTS.md"] = b"Use blanks."
    world.files["/p/.agents/memories.json"] = BLANKS.encode()
    turn = live.turn("Two")
    assert "Ada prefers blanks" in turn.prompt.text
    assert "Use tabs." in turn.prompt.text
    assert "/p/AGENTS.md" not in world.looked
    live.refresh()
    turn = live.turn("Three")
    assert "Use blanks." in turn.prompt.text
    assert "Ada prefers blanks" in turn.prompt.text


def test_a_resumed_session_follows_what_it_followed(tmp_path: Path) -> None:
    """A turn that goes on has the bytes of the save; the user's next prompt has what the file says now."""
    live, world = started()
    live.save(tmp_path / "s.json")
    world.files[NEAR] = BLANKS.encode()
    again = Session.resume(tmp_path / "s.json", world=world)
    assert "tabs" in again.turn().prompt.text
    turn = again.turn("Two")
    assert "blanks" in turn.prompt.text
    assert triggers(turn) == [("file", "differs from the saved session")]
    world.files[NEAR] = TABS.encode()
    turn = again.turn("Three")
    assert "tabs" in turn.prompt.text
    assert triggers(turn) == [("file", NEAR)]

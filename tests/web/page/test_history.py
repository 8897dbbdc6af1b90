"""The history keeps the newest turns, with what each changed."""

from pathlib import Path

from msgspec.structs import replace

from overture.known_models.model_table import packaged_table
from overture.terminal.options import CommandOptions
from overture.web.page.live_page import Choice, LivePage, LivePrompt
from overture.web.page.turn_history import MAX_TURNS, TurnHistory

from .shown import NOW, write


def page_of(folder: Path) -> LivePrompt:
    """A prompt whose files nobody watches."""
    where = str(folder)
    options = CommandOptions("opal", cwd=where, home=where, root=where, now=NOW, tokenizer="estimate")
    return LivePage(options, packaged_table()).prompt(Choice())


def test_old_turns_are_forgotten(tmp_path: Path) -> None:
    """Of more turns than are kept, the newest stay; their numbers go on."""
    write(tmp_path, AGENTS_dot_md="0\n")
    live = page_of(tmp_path)
    taken, (row,) = live.history.turn(), live.history.rows
    assert taken is not None
    history = TurnHistory()
    for number in range(1, MAX_TURNS + 11):
        history.add(taken, replace(row, turn=number))
    assert [row.turn for row in history.rows] == list(range(11, MAX_TURNS + 11))
    assert history.turn(10) is None
    assert history.next == MAX_TURNS + 11


def test_the_conversation_is_compared_by_bytes(tmp_path: Path) -> None:
    """The first difference counts bytes, which are not characters."""
    write(tmp_path, AGENTS_dot_md="Größe: 1\n")
    live = page_of(tmp_path)
    write(tmp_path, AGENTS_dot_md="Größe: 22\n")
    live.look()
    old, new = (live.history.turn(number) for number in (1, 2))
    assert old is not None and new is not None
    at = new.sheet.text.index("22\n", new.sheet.text.index("Größe"))
    assert live.history.rows[1].first == len(new.sheet.text[:at].encode()) > at

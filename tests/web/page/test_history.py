"""The history keeps the newest turns, and what they have in common once."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from overture.known_models.model_table import packaged_table
from overture.report.sheet.sheet import SheetWithTools
from overture.session.session import Session
from overture.tokens.counter import ESTIMATE
from overture.web.page.live_page import LivePage
from overture.web.page.turn_history import MAX_TURNS, TurnHistory, diff_turns
from overture.web.service.problems import RefusedError

from .shown import NOW, write


def opening(folder: Path) -> LivePage:
    """A page that has no turn yet."""

    def make_session() -> Session:
        return Session("opal", cwd=folder, home=folder, root=folder, state={"now": NOW}, count=ESTIMATE)

    return LivePage(make_session, packaged_table())


def page_of(folder: Path) -> LivePage:
    """A page whose files nobody watches."""
    live = opening(folder)
    live.rebuild()
    return live


def test_before_the_first_turn_nobody_waits_on_the_event_loop(tmp_path: Path) -> None:
    """Whoever asks for the version gets it at once, and a tab that chooses too early leaves no page behind."""
    live = opening(tmp_path)
    live.patience = 0.0
    assert live.version == 0
    with pytest.raises(RefusedError):
        live.fork()
    assert live._forks == []
    live.rebuild()
    assert live.version == live.background().version == 1


def edit(live: LivePage, folder: Path, text: str) -> None:
    write(folder, AGENTS_dot_md=text)
    live.session.refresh()
    live.rebuild()


def test_what_stays_is_kept_once(tmp_path: Path) -> None:
    """Sections, sources and tools that did not change are the same objects in both turns."""
    write(tmp_path, AGENTS_dot_md="One.\n")
    live = page_of(tmp_path)
    edit(live, tmp_path, "Two.\n")
    first, second = (live.history.turn(number) for number in (1, 2))
    assert first is not None and second is not None
    shared = {id(block) for block in first.sheet.blocks} & {id(block) for block in second.sheet.blocks}
    assert len(shared) == len(second.sheet.blocks) - 1
    assert second.sheet.sources is first.sheet.sources
    assert second.tools is first.tools


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
    edit(live, tmp_path, "Größe: 2\n")
    old, new = (live.history.turn(number) for number in (1, 2))
    assert old is not None and new is not None
    at = new.sheet.text.index("2\n", new.sheet.text.index("Größe"))
    assert live.history.rows[1].first == len(new.sheet.text[:at].encode()) > at


class ReplacedHistory(TurnHistory):
    """A history whose session is replaced by another one right after each look at it."""

    def turn(self, number: int | None = None) -> SheetWithTools | None:
        shown = super().turn(number)
        self.begin_again("another")
        return shown


def test_a_session_that_is_replaced_meanwhile_is_compared_to_the_end(tmp_path: Path) -> None:
    """A difference is that of the turns that there were when it was asked for."""
    write(tmp_path, AGENTS_dot_md="One.\n")
    live = page_of(tmp_path)
    edit(live, tmp_path, "Two.\n")
    history = ReplacedHistory()
    for number, row in enumerate(live.history.rows, 1):
        shown = live.history.turn(number)
        assert shown is not None
        history.add(shown, row)
    difference = diff_turns(history, packaged_table(), None, None)
    assert [block.name for block in difference.blocks if block.change != "same"] == ["project-context"]

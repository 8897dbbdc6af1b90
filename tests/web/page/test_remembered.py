"""What takes a while is made once for all who ask, until something changes."""

import asyncio
from functools import partial
from types import SimpleNamespace

import pytest

from overture.session.session import get_parts
from overture.testing import FakeWorld
from overture.web.page import report_routes

from .asking import page_of


def test_who_asks_at_once_gets_the_same_answer() -> None:
    """Thirty clients together cost one look at the project."""
    with page_of({"/p/AGENTS.md": "Yes.\n"}) as page:
        answers = page.together("check", 30)
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.text for answer in answers}) == 1
        assert page.live.asked == 1


@pytest.mark.parametrize("path", ["files", "check", "agents?all=1"])
def test_an_answer_lasts_until_something_changes(path: str) -> None:
    """The same version gives the same bytes without a look; the next version is looked at again."""
    with page_of({"/p/AGENTS.md": "Yes.\n", "/p/CLAUDE.md": "No.\n"}) as page:
        first = page.get(path).content
        assert page.get(path).content == first
        assert page.live.asked == 1
        page.live.version += 1
        page.get(path)
        assert page.live.asked == 2


def test_a_change_is_seen() -> None:
    """After an edit, the answers are those of the new files."""
    with page_of({"/p/AGENTS.md": "Fine.\n"}) as page:
        assert not page.data("check")["fixable"]
        session = page.live.session
        world = get_parts(session).setup.settings.world
        assert isinstance(world, FakeWorld)
        world.files["/p/AGENTS.md"] = "Hid\u200bden.\n".encode()
        session.refresh("/p/AGENTS.md")
        session.turn("Go on.")
        page.live.version += 1
        assert page.data("check")["fixable"] == 1


def test_what_failed_is_tried_again() -> None:
    """A problem is not remembered."""
    with page_of({"/p/AGENTS.md": "Fine.\n", "/p/overture.toml": '[check]\nignore = ["no-such"]\n'}) as page:
        assert page.get("check").status_code == 422
        asked = page.live.asked
        assert page.get("check").status_code == 422
        assert page.live.asked > asked


def test_an_answer_does_not_grow_old(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other agents read files that nobody watches: after a while it is looked at again, though nothing is known."""
    with page_of({"/p/AGENTS.md": "Yes.\n"}) as page:
        page.get("files")
        monkeypatch.setattr(report_routes, "FRESH", 0.0)
        page.get("files")
        assert page.live.asked == 2


def test_an_answer_that_took_long_is_not_old_when_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its age counts from its end: those who waited for it get it, and do not have it made again, one by one."""
    clock = [0.0]
    monkeypatch.setattr(report_routes, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def make() -> float:
        clock[0] += 2 * report_routes.FRESH
        return clock[0]

    with page_of({"/p/AGENTS.md": "Yes.\n"}) as page:
        kept = report_routes.AnswerCache(page.live, page.turns)

        async def ask_thrice() -> list[float]:
            return await asyncio.gather(*(kept.give("report", make) for _ in range(3)))

        assert set(page.loop.run(ask_thrice())) == {2 * report_routes.FRESH}


def test_many_paths_do_not_fill_the_memory() -> None:
    """Whatever somebody types, a few dozen answers are kept; the first ones are made again."""
    with page_of({"/p/AGENTS.md": "Yes.\n"}) as page:
        kept = report_routes.AnswerCache(page.live, page.turns)
        for number in (*range(40), 0):
            assert page.loop.run(kept.give(number, partial(int, number))) == number
        assert len(kept.answers) == report_routes.MAX_CACHED_ANSWERS

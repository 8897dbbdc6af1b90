"""Each browser tab chooses for itself; files are followed for all of them."""

from pathlib import Path

import pytest

from overture.web.page import header_choices
from overture.web.page.turn_history import PageEvent

from .shown import paged, wait_for, write
from .test_sheet import text_of

ONE, OTHER = "?tab=00000001", "?tab=00000002"


def test_a_choice_is_that_of_its_tab(tmp_path: Path) -> None:
    """Another tab, and whoever names none, still get what they had; each has its own turns."""
    write(tmp_path, AGENTS_dot_md="Mind the tide.\n")
    with paged(tmp_path) as page:
        assert page.post(f"/page/choose{ONE}", recipe="codex", model="gpt-5").status_code == 200
        assert page.post(f"/page/choose{OTHER}", recipe="cursor").status_code == 200
        shown = [page.get(f"/page/sheet{tab}") for tab in ("", ONE, OTHER)]
        assert [sheet["recipe"] for sheet in shown] == ["opal", "codex", "cursor"]
        assert [sheet["turn"] for sheet in shown] == [1, 2, 2]
        assert page.get(f"/page/choices{ONE}")["model"] == "gpt-5"
        assert page.get(f"/page/choices{OTHER}")["model"] is None
        assert page.get(f"/page/diff{ONE}&a=1&b=2")["b"] == 2
        played = page.post(f"/page/play{ONE}", tools_off=[]).json()
        assert played["sheet"]["recipe"] == "codex"


@pytest.mark.slow
def test_a_save_is_heard_in_every_tab(tmp_path: Path) -> None:
    """A tab with a choice of its own is told of an edit, and of new calls, as the others are."""
    write(tmp_path, AGENTS_dot_md="Mind the tide.\n")
    with paged(tmp_path, watch=True) as page:
        assert page.post(f"/page/choose{ONE}", recipe="codex").status_code == 200
        (fork,) = page.live._forks
        wait_for(lambda: fork.watching)
        with page.listen() as first, page.listen(ONE) as second:
            assert (first.until("turn"), second.until("turn")) == ({"turn": 1}, {"turn": 2})
            write(tmp_path, AGENTS_dot_md="Mind the wind.\n")
            assert (first.until("turn"), second.until("turn")) == ({"turn": 2}, {"turn": 3})
            page.live.history.publish(PageEvent("calls"))
            second.until("calls")
        assert "Mind the wind." in text_of(page.get("/page/sheet"))
        assert "Mind the wind." in text_of(page.get(f"/page/sheet{ONE}"))


@pytest.mark.parametrize("tab", ["", "?tab=", "?tab=../x", "?tab=" + "a" * 40])
def test_a_choice_needs_a_tab(tmp_path: Path, tab: str) -> None:
    """What is no id of a tab is refused, and changes nothing for anybody."""
    with paged(tmp_path) as page:
        assert page.post(f"/page/choose{tab}", recipe="codex").status_code == 422
        assert page.get("/page/sheet")["recipe"] == "opal"


@pytest.mark.slow
def test_tabs_that_are_closed_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only so many have a page of their own: the oldest that nobody looks at goes, one that is open never does."""
    monkeypatch.setattr(header_choices, "MAX_TABS", 2)
    with paged(tmp_path) as page:
        assert page.post(f"/page/choose{ONE}", recipe="codex").status_code == 200
        with page.listen(ONE) as stream:
            stream.until("turn")
            for number in (2, 3):
                assert page.post(f"/page/choose?tab=0000000{number}", recipe="cursor").status_code == 200
            assert page.get(f"/page/sheet{ONE}")["recipe"] == "codex"
            assert page.get(f"/page/sheet{OTHER}")["recipe"] == "opal"
            with page.listen("?tab=00000003") as third:
                third.until("turn")
                refused = page.post("/page/choose?tab=00000004", recipe="cursor")
                assert (refused.status_code, len(page.live._forks)) == (503, 2)

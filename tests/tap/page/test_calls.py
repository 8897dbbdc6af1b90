"""What a tap has recorded, as the page's browser asks for it: the list, one call, and what goes wrong."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from overture.report.sheet.make_sheet import file_id
from overture.tap.recorded_call import RecordedCall, Run
from overture.tap.store.store import open_store

from ...web.page.shown import Paged, paged, write
from ..judge.calls import call, said, system, tool, usage

RULES = "# Rules\n\nRun `make test` before you commit anything at all.\nSay why, in plain English words.\n"


def prompt(day: int) -> str:
    """A system prompt that tells the day before the rules."""
    return f"# Today\nIt is 2026-03-{day:02}.\n\n{RULES}" + "Every ship is greeted by name. " * 300


def recorded(folder: Path) -> list[RecordedCall]:
    """Two calls of which the second tells another day, and one of an older run."""
    fields: dict[str, Any] = {"program": "claude", "cwd": str(folder), "first_ms": 120.0}
    words = [*said("Which ships lie here?", mark=True)]
    old = call(tool("Read"), system("You are A.", mark=True), *words, id="old", run="r0", usage=usage(9, 0, 0, 1))
    return [
        old,
        *(
            call(
                tool("Read"),
                system(prompt(day), mark=True),
                *words,
                minute=60 + day,
                id=f"day{day}",
                run="r1",
                usage=usage(40, 0, 2400, 7),
                reply="Aye.",
                **fields,
            )
            for day in (7, 8)
        ),
    ]


def keep(place: Path, folder: Path) -> None:
    """The calls in a store."""
    with open_store(place) as store:
        store.add_run(Run("r0", "2026-11-15T10:00:00+00:00", "codex", ("codex",), ended="2026-11-15T10:01:00+00:00"))
        store.add_run(Run("r1", "2026-11-15T11:00:00+00:00", "claude", ("claude", "-p", "hi")))
        for each in recorded(folder):
            store.add(each)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Paged]:
    """A page on a project of which calls are recorded."""
    folder = tmp_path_factory.mktemp("calls")
    write(folder, AGENTS_dot_md=RULES)
    keep(folder / "calls.sqlite", folder)
    with paged(folder, calls=str(folder / "calls.sqlite")) as found:
        yield found


def test_the_newest_run_is_listed(page: Paged) -> None:
    """Its bill in a sentence, its conversations, and its calls, newest first, with what became of the cache."""
    told = page.get("/page/calls")
    assert told["bill"].startswith("This session cost $0.0") and "the date in Today changed" in told["bill"]
    assert [(run["id"], run["program"], run["calls"]) for run in told["runs"]] == [
        ("r1", "claude", 2),
        ("r0", "codex", 1),
    ]
    assert (told["run"], told["judged"], told["total"]) == ("r1", 2, 2)
    assert [conversation["name"] for conversation in told["conversations"]] == ["main"]
    later, earlier = told["calls"]
    assert (later["id"], later["reason"], later["cause"]) == ("day8", "prefix changed", "the date in Today changed")
    assert later["byte"] and later["lost"] > 2_000 and later["cost"] > 0 and later["first_ms"] == 120
    assert (earlier["reason"], earlier["tokens"], earlier["written"]) == ("first call", 2_440, 2_400)
    assert not {"pieces", "reply"} & {*later}


def test_one_call(page: Paged) -> None:
    """Sections with tokens and shares, tools by name, messages by kind, the reply, and the usage as it was said."""
    told = page.get("/page/call/day8")
    assert [part["name"] for part in told["sections"]] == ["Today", "Rules"]
    assert [part["name"] for part in told["tools"]] == ["Read"] and told["messages"][0]["name"] == "user"
    assert abs(sum(part["share"] for part in (*told["sections"], *told["tools"], *told["messages"])) - 1) < 0.01
    assert (told["reply"], told["before"], told["after"], told["conversation"]) == ("Aye.", "day7", None, "main")
    assert page.get("/page/call/day7")["after"] == "day8"


def test_the_prompt_with_its_sources(page: Paged) -> None:
    """Each text with its file and line, what changed, and the files behind it; such a file can be asked for."""
    told = page.get("/page/call/day8/prompt")
    sheet = told["sheet"]
    assert "".join(block["before"] + piece["text"] for block in sheet["blocks"] for piece in block["pieces"]) == prompt(
        8
    )
    assert [(block["name"], block["pace"]) for block in sheet["blocks"]] == [("Today", "turn"), ("Rules", "session")]
    labels = [sheet["sources"][piece["source"]]["label"] for piece in sheet["blocks"][1]["pieces"]]
    assert labels == ["AGENTS.md:1", "the agent's own text"]
    files = {file["shown"]: file for file in told["files"]["files"]}
    assert files["AGENTS.md"]["sent"] and files["AGENTS.md"]["words"].startswith("whole, 4 lines")
    known = files["AGENTS.md"]["file"]
    assert known == file_id(str(page.folder / "AGENTS.md"))
    assert page.get(f"/page/file/{known}")["text"] == RULES


def test_strangers_are_refused(page: Paged, tmp_path: Path) -> None:
    """The rules for all routes count for these: who asks in another's name, and who has no token."""
    assert page.client.get("/page/calls", headers={"Host": "evil.example"}).status_code == 403
    assert page.client.get("/page/call/day8", headers={"Origin": "http://evil.example"}).status_code == 403
    with paged(tmp_path, calls=str(tmp_path / "none.sqlite"), token="word") as other:
        assert other.client.get("/page/calls").status_code == 401
        allowed = other.client.get("/page/calls", headers={"Authorization": "Bearer word"})
        found = allowed.json()
        assert (found["problem"], found["run"], found["store"]) == (None, None, str(tmp_path / "none.sqlite"))
    assert not (tmp_path / "none.sqlite").exists()


def spoil(place: Path, how: str) -> None:
    """A store with which something is wrong."""
    if how == "text":
        place.write_text("no database at all")
    elif how == "other":
        with closing(sqlite3.connect(place)) as other, other:
            other.execute("CREATE TABLE mine (x)")
    else:
        open_store(place).close()
        with closing(sqlite3.connect(place)) as newer, newer:
            newer.execute("PRAGMA user_version = 99")


def test_a_store_that_cannot_be_read(tmp_path: Path) -> None:
    """One sentence, whatever it is; the rest of the page works, and once the store is mended it is shown."""
    place = tmp_path / "calls.sqlite"
    with paged(tmp_path, calls=str(place)) as page:
        for how, said_then in (("text", "not an SQLite file"), ("other", "another program"), ("newer", "version 99")):
            spoil(place, how)
            place.chmod(0o600)
            told = page.client.get("/page/calls")
            assert told.status_code == 200 and said_then in told.json()["problem"]
            assert page.client.get("/page/sheet").status_code == 200
            for each in tmp_path.glob("calls.sqlite*"):
                each.unlink()
        assert (page.get("/page/calls")["problem"], page.get("/page/calls")["run"]) == (None, None)
        keep(place, tmp_path)
        assert page.get("/page/calls")["problem"] is None
        assert page.get("/page/calls")["run"]

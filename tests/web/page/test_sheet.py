"""The sheet is the prompt that is sent; turns are listed; strangers get neither."""

from pathlib import Path

import pytest

import overture

from .shown import NOW, Paged


def text_of(sheet: dict) -> str:  # type: ignore[type-arg]
    return "".join(b["before"] + "".join(p["text"] for p in b["pieces"]) for b in sheet["blocks"])


def built(folder: Path, recipe: str = "opal") -> str:
    found = overture.discover(recipe, cwd=folder, home=folder, root=folder)
    return overture.build(recipe, found.state.replace(now=overture.State.from_dict({"now": NOW}).now)).text


def test_the_sheet_holds_the_prompt(page: Paged) -> None:
    """Its pieces, side by side, are what `overture.build` gives, and lead to the file."""
    sheet = page.get("/page/sheet")
    assert text_of(sheet) == built(page.folder)
    assert {"AGENTS.md:1", ".agents/skills/csv/SKILL.md:3"} <= {source["label"] for source in sheet["sources"]}
    assert sheet == page.get("/page/sheet?turn=1")
    assert (sheet["turn"], sheet["project"], sheet["broken"]) == (1, page.folder.name, None)


def test_turns_are_listed(page: Paged) -> None:
    """The first row says that the page was opened, and what one request costs."""
    told = page.get("/page/turns")
    (row,) = told["turns"]
    assert (row["turn"], row["cause"], row["cached"]) == (1, "the page was opened", 0)
    assert row["tokens"] == page.get("/page/sheet")["tokens"]
    assert row["uncached"] > 0


@pytest.mark.parametrize(
    ("path", "status", "at"),
    [("/page/sheet?turn=99", 404, "turn"), ("/page/sheet?turn=0", 404, "turn"), ("/page/sheet?turn=x", 422, "turn"),
     ("/page/sheet?turn=-1", 422, "turn"), ("/page/sheet?turn=99999999999999999999", 422, "turn"),
     ("/page/diff?a=1&b=9", 404, "b"), ("/page/diff?a=9&b=1", 404, "a"), ("/page/diff?a=%F0&b=1", 422, "a")],
)  # fmt: skip
def test_a_turn_that_is_not_there(page: Paged, path: str, status: int, at: str) -> None:
    """A problem that names the number, and where it stands in the address."""
    answer = page.client.get(path)
    assert (answer.status_code, answer.json()["path"]) == (status, at)


@pytest.mark.parametrize("path", ["/page/sheet", "/page/turns", "/page/diff", "/page/events", "/"])
def test_strangers_get_nothing(page: Paged, path: str) -> None:
    """403 for a foreign Host and a foreign Origin."""
    assert page.client.get(path, headers={"Host": "evil.example"}).status_code == 403
    assert page.client.get(path, headers={"Origin": "http://evil.example"}).status_code == 403


def test_a_turn_beside_itself_differs_in_nothing(page: Paged) -> None:
    """No first byte, every section the same, and all of it in the cache that can be."""
    told = page.get("/page/diff?a=1&b=1")
    assert (told["first"], told["block"], told["tools"]) == (None, None, False)
    assert {block["change"] for block in told["blocks"]} == {"same"}
    assert told["cache"]["common"] == told["cache"]["tokens"]

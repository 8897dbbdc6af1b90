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


def test_turns_are_listed(page: Paged) -> None:
    """The first row says that the page was opened, and what one request costs."""
    told = page.get("/page/turns")
    (row,) = told["turns"]
    assert (row["turn"], row["cause"], row["cached"]) == (1, "the page was opened", 0)
    assert row["tokens"] == page.get("/page/sheet")["tokens"]
    assert row["uncached"] > 0


@pytest.mark.parametrize("path", ["/page/sheet", "/page/turns", "/page/diff", "/page/events", "/"])
def test_strangers_get_nothing(page: Paged, path: str) -> None:
    """403 for a foreign Host and a foreign Origin."""
    assert page.client.get(path, headers={"Host": "evil.example"}).status_code == 403
    assert page.client.get(path, headers={"Origin": "http://evil.example"}).status_code == 403

"""The sheet is the prompt that is sent; turns are listed; strangers get neither."""

import pytest

from .shown import Paged


def test_turns_are_listed(page: Paged) -> None:
    """The first row says that the page was opened, and what one request costs."""
    told = page.get("/page/turns")
    assert (told["live"], len(told["turns"])) == ("files", 1)
    row = told["turns"][0]
    assert (row["turn"], row["cause"], row["cached"]) == (1, "the page was opened", 0)
    assert row["tokens"] == page.get("/page/sheet")["tokens"]
    assert row["uncached"] > 0


@pytest.mark.parametrize("path", ["/page/sheet", "/page/turns", "/page/state", "/page/diff", "/page/events", "/"])
def test_strangers_get_nothing(page: Paged, path: str) -> None:
    """403 for a foreign Host and a foreign Origin."""
    assert page.client.get(path, headers={"Host": "evil.example"}).status_code == 403
    assert page.client.get(path, headers={"Origin": "http://evil.example"}).status_code == 403

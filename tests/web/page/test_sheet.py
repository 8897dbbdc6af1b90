"""The sheet is the prompt that is sent; turns are listed; strangers get neither."""

from pathlib import Path

import pytest

import overture

from .shown import NOW, Paged, paged, write


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


def test_a_request_names_its_agent_model_and_budget(tmp_path: Path) -> None:
    """Each has turns of its own, and leaves the others as they are; what nobody knows is refused."""
    write(tmp_path, AGENTS_dot_md="Mind the tide.\n")
    with paged(tmp_path) as page:
        sheets = [page.get(f"/page/sheet{query}") for query in ("", "?recipe=codex&model=gpt-5", "?recipe=opal")]
        assert [sheet["recipe"] for sheet in sheets] == ["opal", "codex", "opal"]
        assert sheets[1]["context"]["model"] == "gpt-5"
        assert sheets[0] == sheets[2]
        whole = sheets[0]["tokens"]
        assert page.get(f"/page/sheet?budget={whole - 50}")["budget"] == {"limit": whole - 50, "whole": whole}
        assert page.get("/page/sheet")["tokens"] == whole
        for query, status in (("recipe=oppal", 422), ("recipe=/etc/passwd", 422), ("recipe=nova&budget=1", 409)):
            assert page.client.get(f"/page/sheet?{query}").status_code == status, query


def test_a_save_is_a_turn_of_each_prompt_that_is_looked_at(tmp_path: Path) -> None:
    """A changed file, and a new skill in a folder that was empty when the page was opened."""
    (tmp_path / ".agents" / "skills" / "new").mkdir(parents=True)
    write(tmp_path, AGENTS_dot_md="Mind the tide.\n")
    with paged(tmp_path) as page, page.listen() as first, page.listen("?recipe=codex") as second:
        assert (first.until("turn"), second.until("turn")) == ({"turn": 1}, {"turn": 1})
        write(tmp_path, AGENTS_dot_md="Mind the wind.\n")
        assert (first.until("turn"), second.until("turn")) == ({"turn": 2}, {"turn": 2})
        write(tmp_path, _dot_agents__skills__new__SKILL_dot_md="---\nname: new\ndescription: Use it.\n---\nDo it.\n")
        assert first.until("turn") == {"turn": 3}
        causes = [row["cause"] for row in page.get("/page/turns")["turns"]]
        assert causes == ["the page was opened", "AGENTS.md changed", ".agents/skills/new/SKILL.md changed"]

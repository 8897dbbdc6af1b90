"""Names and forms that the documents have: PtcRunner's options, pi's hooks and keywords, and what counts as nothing."""

from typing import Any

import pytest

import overture
from overture import Session
from overture.testing import FakeWorld
from tests.contract.session.worlds import session


def test_an_update_of_the_mission_merges() -> None:
    """What is not given stays; an error is of one turn, and goes with the next update."""
    live = session("ptc", state={"mission": {"prompt": "Go.", "data": {"a": 1}}})
    live.turn("One")
    live.update(mission={"error": {"type": "parse_error", "message": "Unexpected token"}})
    text = live.turn("Two").prompt.text
    assert "# Previous Turn Error" in text and "`ctx/a`" in text and "\nGo." in text
    live.update(mission={"data": {"b": 2}, "max_turns": 9})
    text = live.turn("Three").prompt.text
    assert "# Previous Turn Error" not in text and "`ctx/b`" in text and "`ctx/a`" not in text and "\nGo." in text
    assert live.prompt.state.mission is not None and live.prompt.state.mission.max_turns == 9
    live.update(mission={"data": None})
    assert "ctx/b" not in live.turn("Four").prompt.text


@pytest.mark.parametrize("how", ["keyword", "attribute", "method"])
def test_a_function_has_pis_snippet_and_guidelines(how: str) -> None:
    """`promptSnippet` and `promptGuidelines`: as keywords of `tool`, or as attributes of the function or method."""

    def add(a: int) -> int:
        """Add one."""
        return a + 1

    class Box:
        def add(self, a: int) -> int:
            """Add one."""
            return a + 1

    given: dict[str, Any] = {"promptSnippet": "Adds\none", "promptGuidelines": ["Use add for sums"]}
    function: Any = overture.tool(add, **given) if how == "keyword" else Box().add if how == "method" else add
    for name, value in given.items() if how != "keyword" else ():
        setattr(add if how == "attribute" else Box.add, name, value)
    text = Session("pi", world=FakeWorld(), tools=[function]).prompt.text
    assert "- add: Adds one\n" in text and "- Use add for sums\n" in text


def test_an_empty_soul_is_an_absent_one() -> None:
    """moltis says with an empty SOUL.md what it says without the file; house has no soul then."""
    home = "/home/user/.moltis"
    for more in ({}, {f"{home}/IDENTITY.md": "---\nname: Bo\n---\n"}):
        texts = [
            Session("moltis", world=FakeWorld({**more, **soul}), state={"session": {"id": "s"}}).prompt.text
            for soul in ({}, {f"{home}/SOUL.md": ""}, {f"{home}/SOUL.md": " \n\n"})
        ]
        assert texts[0] == texts[1] == texts[2]
        assert ("## Soul" in texts[0]) is bool(more)
    assert "<soul>" not in Session("house", world=FakeWorld({"/home/user/.agents/SOUL.md": ""})).prompt.text


@pytest.mark.parametrize("recipe", ["moltis", "house"])
@pytest.mark.parametrize("tools", [["exec"], ["browser"]])
def test_no_sandbox_is_claimed_only_where_that_is_known(recipe: str, tools: list[str]) -> None:
    """Where nobody speaks of a sandbox, neither does the prompt; `enabled` false says that there is none."""
    given = [{"name": name} for name in tools]
    runtime = {"cwd": "/p", "host": "h"}
    silent = overture.build(recipe, {"tools": given, "runtime": runtime}).text
    assert "sandbox" not in silent.lower()
    known = overture.build(recipe, {"tools": given, "runtime": {**runtime, "sandbox": {"enabled": False}}}).text
    assert ("There is no sandbox" in known) is (recipe == "moltis" or tools == ["exec"])

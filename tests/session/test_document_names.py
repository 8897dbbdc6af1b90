"""Names and forms that the documents have: PtcRunner's options, pi's hooks and keywords, and what counts as nothing."""

from datetime import timedelta
from typing import Any

import pytest

import overture
from overture import Session, StateError
from overture.recipes import BUILTIN
from overture.testing import FakeWorld
from tests.contract.session.worlds import project, session

CONTEXT: dict[str, Any] = {"user_id": 1, "emails": [1, 2, 3, 4]}
OURS = {
    "data": CONTEXT,
    "data_signature": "(user_id :int, emails [:int])",
    "limits": {"list_sample": 2, "omit_reference": True},
}
AGENT = {"name": "email_agent", "description": "Reads mail.", "signature": "(prompt :string) -> :any"}


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


def test_the_limits_of_a_mission_merge_too() -> None:
    """A limit that is not given stays, as a part of `runtime.sandbox` does; null takes all of them away."""
    live = session("ptc", state={"mission": {"prompt": "Go.", "data": CONTEXT, "limits": {"omit_reference": True}}})
    live.turn("One")
    live.update(mission={"limits": {"list_sample": 1}})
    text = live.turn("Two").prompt.text
    assert "Quick Reference" not in text and "`[1, ...]` (4 items)" in text
    live.update(mission={"limits": {"omit_reference": False}})
    text = live.turn("Three").prompt.text
    assert "Quick Reference" in text and "`[1, ...]` (4 items)" in text
    live.update(mission={"limits": None})
    assert "`[1, 2, 3, ...]` (4 items)" in live.turn("Four").prompt.text


def test_a_program_without_a_mission_is_reported() -> None:
    """ptc says so in a warning; no other recipe needs one."""
    for recipe in BUILTIN:
        codes = [note.code for note in overture.build(recipe, {"now": "2026-01-01T12:00:00Z"}).diagnostics]
        assert ("mission-missing" in codes) is (recipe == "ptc")
    assert overture.build("ptc", {"mission": {"prompt": "Go."}}).diagnostics == ()


def test_the_turns_of_a_mission_are_counted() -> None:
    """More than max_turns are on the record; another prompt is another mission."""
    live = session("ptc", state={"mission": {"prompt": "Go.", "max_turns": 2}})

    def told(text: str | None) -> list[str]:
        return [note.message for note in live.turn(text).entry.diagnostics if note.code == "max-turns"]

    assert [told("One"), told(None)] == [[], []]
    assert told("Three") == [
        "this is turn 3 of the mission, and mission.max_turns is 2: end it, or raise mission.max_turns"
    ]
    live.update(mission={"prompt": "Another."})
    assert [told("One"), told("Two")] == [[], []]
    assert len(told("Three")) == 1


def test_resources_that_add_nothing_are_no_rebuild() -> None:
    """pi's clock stays where nothing new is named; where something is, it moves."""
    world = project()
    live = Session("pi", world=world)
    live.add_resources(skills=["/x"])
    before = live.turn("One").prompt
    world.time += timedelta(hours=1)
    live.add_resources()
    live.add_resources(skills=["/x"])
    turn = live.turn("Two")
    assert turn.prompt is before and turn.entry.triggers == ()
    live.add_resources(skills=["/x", "/y"])
    turn = live.turn("Three")
    assert [(each.name, each.reason) for each in turn.entry.triggers] == [("resources", "/y")]
    assert "01:00:00 PM" in turn.prompt.text


@pytest.mark.parametrize("kind", ["skills", "context", "prompts", "themes"])
@pytest.mark.parametrize("path", ["/p/more/", "more", "./more", "/p/a/../more"])
def test_a_path_in_another_spelling_is_no_new_resource(kind: Any, path: str) -> None:
    """It names what the session has: nothing is rebuilt, and a provider's cache stays valid."""
    live = session("pi")
    live.add_resources(**{kind: ["/p/more"]})
    before = live.turn("One").prompt
    live.add_resources(**{kind: [path]})
    turn = live.turn("Two")
    assert turn.prompt is before and turn.entry.triggers == ()


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


def test_attributes_that_are_no_texts_are_errors() -> None:
    """And what is given to `tool` wins over them."""

    def add(a: int) -> int:
        """Add one."""
        return a + 1

    vars(add)["promptGuidelines"] = "Use add"
    with pytest.raises(StateError, match=r"'add': promptGuidelines is 'Use add'\. Use a list of strings"):
        overture.tools_from([add])
    vars(add).update(promptGuidelines=["Far"], promptSnippet="Far")
    (tool,) = overture.tools_from([overture.tool(add, snippet="Near", guidelines=["Near"])])
    assert (tool.snippet, tool.guidelines) == ("Near", ("Near",))


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        (lambda messages: {"messages": messages[-1:]}, ["Two"]),
        (lambda messages: {"messages": None}, ["One", "Two"]),
        (lambda messages: {}, ["One", "Two"]),
        (lambda messages: {"message": messages}, ["One", "Two"]),
        (lambda messages: {"messages": ["x"]}, ["One", "Two"]),
    ],
)
def test_a_context_hook_answers_in_pis_form(answer: Any, kept: list[str]) -> None:
    """`{"messages": […]}` is the list itself; another key or value is reported, and the hook passed over."""
    live = session("pi")
    live.turn("One")
    live.hook("context", answer, name="h")
    turn = live.turn("Two")
    assert [message.text for message in turn.messages] == kept
    given = answer(list(live.messages))
    wrong = "message" in given or given.get("messages") == ["x"]
    assert [note.code for note in turn.entry.diagnostics] == (["hook-failed"] if wrong else [])


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

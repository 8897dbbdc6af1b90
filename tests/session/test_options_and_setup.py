"""What people use of a session: its names, its parameters and its options; everything else is private."""

import inspect
from typing import Any, get_type_hints

import pytest
from overture.session.old_names import OLD_NAMES

import overture
from overture import ConfigError, Message, OvertureError, Session, SessionOptions, StateError
from overture.session.options_and_setup import SessionKeywords
from overture.session.session import get_parts
from overture.testing import FakeWorld

MAX_PUBLIC_NAMES = 31
"""Names that a session shows; another one needs a reason. What only frameworks need is in `session.framework`."""
MAX_PARAMETERS = 12


def test_a_session_shows_what_people_use() -> None:
    """Each public name is a method or a property with a docstring; the object itself has one attribute, private."""
    names = [name for name in dir(Session) if not name.startswith("_")]
    assert len(names) <= MAX_PUBLIC_NAMES
    assert all(inspect.getdoc(getattr(Session, name)) for name in names)
    live = Session("opal", world=FakeWorld())
    live.turn("Go")
    assert list(vars(live)) == ["_parts"]


def test_the_names_of_before_still_work() -> None:
    """What another name does answers to its old name too, and is in no list."""
    live: Any = Session("house", world=FakeWorld({"/p/sub/AGENTS.md": "Use tabs."}))
    for name in ("add_usage", "aprepare_request", "nested_for", "prepare_request", "use_skill"):
        assert getattr(live, name).__func__ is getattr(live.framework, name).__func__
    assert live.prepare() == live.prompt
    assert (live.state, live.recipe) == (live.prompt.state, live.prompt.recipe)
    assert not OLD_NAMES.keys() & {*dir(live)}
    with pytest.raises(AttributeError, match="no attribute 'prepared'"):
        _ = live.prepared


def test_old_changes_do_what_the_new_names_do() -> None:
    """Tools, hooks, model, budget, messages: two sessions, each by one set of names, are the same afterwards."""

    def hook(event: object) -> str:
        return "never"

    old, new = (_start_with_a_call() for _ in range(2))
    old.interrupt("Stopped.")
    new.result(None, "Stopped.", failed=True)
    old.shell("!ls", "a", 1, cut="/tmp/a")
    new.add(Message.shell("!ls", "a", 1, cut="/tmp/a"))
    old.touch("sub/x.py")
    new.refresh(touched=["sub/x.py"])
    assert old.files_changed(["/elsewhere"]) is new.refresh("/elsewhere")
    old.set_model("gpt-5", provider="openai")
    new.update(runtime={"model": "gpt-5", "provider": "openai"})
    old.set_budget(5000, len)
    new.update(budget=5000, count=len)
    old.unregister("read")
    new.set_tools([tool.name for tool in new.prompt.state.tools if tool.name != "read"])
    old.unhook(old.hook("before_agent_start", hook))
    turns = [each.turn("Go on") for each in (old, new)]
    assert turns[0].messages == turns[1].messages and len(turns[0].messages) == 6
    assert turns[0].prompt.text == turns[1].prompt.text
    names = [trigger.name for trigger in turns[0].entry.triggers]
    assert names == ["model", "budget", "registry"]


def _start_with_a_call() -> Any:
    """A session whose model waits for the result of a call."""
    live = Session("house", world=FakeWorld({"/p/sub/AGENTS.md": "Use tabs.", "/p/sub/x.py": ""}))
    live.register({"name": "read", "parameters": {"type": "object"}}, {"name": "find", "parameters": {}})
    live.turn("Look")
    live.assistant("", [{"id": "1", "name": "read", "arguments": {}}])
    return live


def test_an_update_of_fields_and_budget_is_all_or_nothing() -> None:
    """A wrong budget leaves the fields as they were, and a wrong field the budget."""
    live = Session("house", world=FakeWorld())
    before = live.turn("Go").prompt
    with pytest.raises(ConfigError, match="budget"):
        live.update(memories=["Tabs."], budget=-1)
    with pytest.raises(StateError, match="memoris"):
        live.update(memoris=["Tabs."], budget=5000)
    assert live.turn("On").prompt.text == before.text
    live.update(memories=["Tabs."], budget=5000)
    assert [trigger.name for trigger in live.turn("On").entry.triggers] == ["state", "budget"]


def test_a_field_can_be_taken_back() -> None:
    """`runtime=None` is no other model: the session has no runtime of its own any more."""
    live = Session("house", world=FakeWorld())
    live.turn("Go")
    live.update(runtime={"model": "gpt-5"})
    live.update(runtime=None)
    turn = live.turn("On")
    assert [trigger.reason for trigger in turn.entry.triggers] == ["model: gpt-5", "given: runtime"]


def test_none_is_a_call_only_where_it_failed() -> None:
    """A lookup that gives None answers no call by mistake."""
    live = _start_with_a_call()
    with pytest.raises(OvertureError):
        live.result(None, "done")
    live.result(None, "It stopped.", failed=True)
    assert live.turn("Go on").messages[-2].failed


def test_the_parameters_are_few_and_each_option_is_a_keyword() -> None:
    """`options` holds the rest, and the keywords are the fields of SessionOptions with the same types."""
    assert len(inspect.signature(Session).parameters) <= MAX_PARAMETERS
    assert get_type_hints(SessionKeywords) == get_type_hints(SessionOptions)


@pytest.mark.parametrize("how", ["options", "keyword", "both"])
def test_an_option_counts_however_it_is_given(how: str) -> None:
    """`options=SessionOptions(…)` and the keyword do the same; where both are given, the keyword wins."""
    world = FakeWorld({"/p/AGENTS.md": "Use tabs."})
    ways: dict[str, dict[str, Any]] = {
        "options": {"options": SessionOptions(on_change="append", world=world)},
        "keyword": {"on_change": "append", "world": world},
        "both": {"options": SessionOptions(on_change="rewrite", world=world), "on_change": "append"},
    }
    live = Session("opal", **ways[how])
    before = live.turn("Hello").prompt.text
    live.set_tools(["shell"])
    after = live.turn("Go on")
    assert after.prompt.text == before
    assert [(block.name, block.how) for block in after.entry.changed] == [("tool-guidelines", "told")]


def test_a_keyword_that_is_not_known_names_the_nearest() -> None:
    """A slip is a TypeError, as Python's own, with the nearest option."""
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'on_chnge'.*'on_change'"):
        Session("opal", on_chnge="append")  # type: ignore[call-arg]


def test_options_are_frozen_and_shared() -> None:
    """One value serves many sessions, and nobody changes it."""
    options = SessionOptions(world=FakeWorld(), keep=2)
    with pytest.raises(AttributeError):
        options.keep = 3  # type: ignore[misc]
    for live in (Session("opal", options=options), Session("pi", options=options)):
        for _ in range(3):
            live.turn("Go")
        assert [entry.turn for entry in live.record] == [2, 3]


def test_a_subagent_has_the_options_of_its_parent_but_does_not_watch() -> None:
    """It counts, waits and tells as the parent does; files are watched by the parent alone."""
    parent = Session("opal", options=SessionOptions(world=FakeWorld(), hook_limit=3.0, watch=True))
    child = parent.subagent("Count.")
    options = get_parts(child).setup.settings.options
    assert (options.hook_limit, options.watch, get_parts(child).watching) == (3.0, False, False)


def test_refreshing_names_paths_or_none() -> None:
    """Without paths the next turn looks; with paths only where one of them matters."""
    world = FakeWorld({"/p/AGENTS.md": "Use tabs."})
    live = Session("opal", world=world)
    live.turn("Go")
    assert live.refresh("/elsewhere") is False
    assert not live.turn("On").entry.triggers
    assert live.refresh(touched=[]) is True
    live.touch()  # type: ignore[attr-defined]  # a tool that touched nothing
    assert not live.turn("On").entry.triggers
    for paths in ((), ("/p/AGENTS.md",), ("x/../AGENTS.md",)):
        assert live.refresh(*paths) is True
        assert [trigger.name for trigger in live.turn("On").entry.triggers] == ["file"]


def test_a_name_that_there_is_not_is_an_attribute_error() -> None:
    """Python's own words for it, so that hasattr and frameworks that probe objects work."""
    live = Session("opal", world=FakeWorld())
    with pytest.raises(AttributeError, match="'Session' object has no attribute 'talk'"):
        live.talk  # type: ignore[attr-defined]  # noqa: B018
    assert not hasattr(overture.Session, "talk")

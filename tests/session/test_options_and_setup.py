"""What people use of a session: its names, its parameters and its options; everything else is private."""

import inspect
from functools import partial
from typing import Any, get_type_hints

import pytest

import overture
from overture import Session, SessionOptions
from overture.session.options_and_setup import SessionKeywords
from overture.session.session import get_parts
from overture.testing import FakeWorld

MAX_PUBLIC_NAMES = 40
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
    """What moved to `framework`, and what `prompt` does, answers to its old name too, and is in no list."""
    live = Session("opal", world=FakeWorld({"/p/sub/AGENTS.md": "Use tabs."}))
    for name in ("add_usage", "aprepare_request", "nested_for", "prepare_request", "use_skill"):
        assert getattr(live, name).__func__ is getattr(live.framework, name).__func__
    assert live.prepare() == live.prompt  # type: ignore[attr-defined]
    assert not {"prepare", "use_skill"} & {*dir(live)}
    with pytest.raises(AttributeError, match="no attribute 'prepared'"):
        _ = live.prepared  # type: ignore[attr-defined]


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
    """Without paths the next turn looks; with paths only where one of them matters. The old name still works."""
    world = FakeWorld({"/p/AGENTS.md": "Use tabs."})
    live = Session("opal", world=world)
    live.turn("Go")
    assert live.refresh("/elsewhere") is False
    assert not live.turn("On").entry.triggers
    old_name: Any = getattr(live, "files_changed")  # noqa: B009
    named = (partial(live.refresh, "/p/AGENTS.md"), partial(live.refresh, "x/../AGENTS.md"))
    for refresh in (live.refresh, *named, partial(old_name, ["/p/AGENTS.md"])):
        assert refresh() is True
        assert [trigger.name for trigger in live.turn("On").entry.triggers] == ["file"]
    assert "files_changed" not in dir(live)


def test_a_name_that_there_is_not_is_an_attribute_error() -> None:
    """Python's own words for it, so that hasattr and frameworks that probe objects work."""
    live = Session("opal", world=FakeWorld())
    with pytest.raises(AttributeError, match="'Session' object has no attribute 'talk'"):
        live.talk  # type: ignore[attr-defined]  # noqa: B018
    assert not hasattr(overture.Session, "talk")

from datetime import datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import overture
from overture import State, StateError
from overture.model.state.agent_and_runtime import User
from overture.testing import make_state
from tests.contract.effort import examples

FULL: dict[str, Any] = {
    "agent": {
        "name": "Ada",
        "emoji": "🦉",
        "responsibilities": [{"title": "t", "content": "c"}],
        "capabilities": ["files", "memory"],
    },
    "user": {"name": "Grace", "timezone": "Europe/Paris", "location": "Paris"},
    "overrides": {"system": "", "append": "more"},
    "context_files": [{"path": "/p/AGENTS.md", "content": "Use tabs.", "kind": "project", "line": 3}],
    "workspace_files": [{"name": "TOOLS.md", "path": "/d/TOOLS.md", "content": "x"}],
    "skills": [
        {
            "name": "pdf",
            "description": "Reads PDF files",
            "location": "/s/pdf/SKILL.md",
            "source": "project",
            "body": "…",
            "disable_model_invocation": True,
            "license": "MIT",
            "compatibility": "any",
            "allowed_tools": ["read"],
            "metadata": {"a": "b"},
        }
    ],
    "tools": [{"name": "read", "parameters": {"type": "object"}, "guidelines": ["g"], "planning_only": True}],
    "native_tools": False,
    "runtime": {
        "cwd": "/p",
        "directories": ["/q"],
        "docs": {"main": "/m"},
        "sandbox": {"enabled": True, "network": False},
    },
    "now": "2026-03-07T08:55:05-06:00",
    "session": {"id": "s", "plan_path": "/plan.md"},
    "channel": "telegram",
    "memories": ["one", "two"],
    "task": {"id": 7, "title": "t", "steps": [{"title": "s", "done": True}]},
    "background": True,
    "mission": {
        "prompt": "p",
        "data": {"a": [1]},
        "limits": {"list_sample": 2},
        "error": {"type": "x", "message": "y"},
    },
    "extra": {"anything": [1, {"deep": None}]},
}


def test_every_key_of_the_contract_makes_the_round_trip() -> None:
    """A state with every key set comes back from JSON as it was written."""
    state = State.from_dict(FULL)
    written = msgspec.json.encode(state.to_dict())
    assert msgspec.json.decode(written) == FULL
    assert State.from_dict(msgspec.json.decode(written)) == state


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.sampled_from(("\ufeff", "\n", "\r", " ", "\t", "x", "\u2028"))).map("".join))
def test_a_file_makes_the_round_trip(content: str) -> None:
    """However a file begins and ends, its tidied form is not tidied further when it is read back."""
    state = make_state(context_files=[{"path": "/p/A.md", "content": content}])
    assert State.from_dict(state.to_dict()) == state


@pytest.mark.parametrize(
    ("written", "kept", "line"),
    [
        ("x", "x", 1),
        ("\ufeffx\r\ny\r\n", "x\ny", 1),
        ("\n \n  indented\n\nend\n\n", "  indented\n\nend", 3),
        ("\ufeff\r\n\r\nx", "x", 3),
        ("a\rb", "a\nb", 1),
        ("\ufeff", "", 1),
        (" \n\t\n", "", 1),
    ],
)
def test_files_are_tidied_on_entry(written: str, kept: str, line: int) -> None:
    """BOM, CRLF and blank lines around a file go, and its first line keeps its number."""
    file = make_state(context_files=[{"path": "/p/A.md", "content": written}]).context_files[0]
    assert file.content == kept
    if kept:
        assert file.line == line


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"tools": [{"name": "a"}, {"name": "b"}, {"name": 3}]}, "tools[2].name: expected text, got a whole number"),
        ({"tools": {"name": "a"}}, "tools: expected a list, got an object."),
        ({"native_tools": "yes"}, "native_tools: expected true or false, got text"),
        (
            {"task": {"id": 1, "title": "t", "steps": [{"title": None}]}},
            "task.steps[0].title: expected text, got null.",
        ),
        ({"session": {}}, "session: the key 'id' is missing; it is required here."),
        ({"skills": [{"name": "a", "description": "d"}]}, "skills[0]: the key 'location' is missing"),
        ({"now": "yesterday"}, "now: not an ISO 8601 time, e.g. 2026-03-07T08:55:05-06:00"),
        ({"now": "2026-03-07T08:55:05"}, "now: a time needs its offset, e.g. 2026-03-07T08:55:05-06:00"),
        ({"now": 5}, "now: expected an ISO 8601 time"),
        ({"agent": {"capabilities": ["fly"]}}, "agent.capabilities[0]: "),
        ({"extra": []}, "extra: expected an object, got a list."),
    ],
)
def test_a_value_that_does_not_fit_is_named_by_its_path(data: dict[str, Any], message: str) -> None:
    """The error gives the path of the bad value, what was expected and what was found."""
    with pytest.raises(StateError) as caught:
        State.from_dict(data)
    assert str(caught.value).startswith(message)


def test_a_word_that_is_not_allowed_comes_with_those_that_are() -> None:
    """A capability that does not exist is answered with the four that do."""
    with pytest.raises(StateError) as caught:
        make_state(agent={"capabilities": ["fly"]})
    assert all(word in str(caught.value) for word in ("fly", "files", "instructions", "memory", "triggers"))


@pytest.mark.parametrize(
    ("data", "place", "near"),
    [
        ({"tols": []}, "unknown key 'tols'", "tools"),
        ({"tools": [{"name": "a", "snipet": "x"}]}, "tools[0]: unknown key 'snipet'", "snippet"),
        ({"runtime": {"cdw": "/p"}}, "runtime: unknown key 'cdw'", "cwd"),
        ({"runtime": {"docs": {"mian": "/p"}}}, "runtime.docs: unknown key 'mian'", "main"),
        ({"mission": {"prompt": "p", "limits": {"list_samples": 1}}}, "mission.limits: unknown key", "list_sample"),
        ({"origins": {"now": {"path": "/p", "lin": 1}}}, "unknown key 'lin'", "line"),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest(data: dict[str, Any], place: str, near: str) -> None:
    """An unknown key is an error that names it, where it stands, and the nearest known one."""
    with pytest.raises(StateError) as caught:
        State.from_dict(data)
    assert place in str(caught.value)
    assert f"Did you mean '{near}'?" in str(caught.value)


def test_replace_keeps_the_other_fields_as_objects() -> None:
    """`replace` changes what it is told to and hands on the rest as the same objects."""
    state = make_state(**FULL)
    later = state.replace(channel="cli", now=None)
    assert (later.channel, later.now) == ("cli", None)
    assert later.tools is state.tools
    assert state.channel == "telegram"


def test_replace_with_an_unknown_name_is_an_error() -> None:
    """`replace` of a field that State does not have names the nearest."""
    with pytest.raises(StateError, match=r"'memory' is not known.*Did you mean 'memories'\?"):
        State().replace(memory=())


def test_a_time_is_kept_with_its_offset() -> None:
    """`now` is an aware datetime whose offset is written back."""
    state = make_state(now="2026-03-07T08:55:05-06:00")
    assert state.now == datetime.fromisoformat("2026-03-07T08:55:05-06:00")
    assert state.to_dict()["now"] == "2026-03-07T08:55:05-06:00"


def test_a_given_override_is_not_traced_to_the_file_it_replaced() -> None:
    """When a caller replaces the text of SYSTEM.md, its characters are not said to stand in that file."""
    state = make_state(
        overrides={"system": "from the file"}, origins={"overrides.system": {"path": "/p/.sf/SYSTEM.md"}}
    )
    given_by_caller = state.replace(overrides=make_state(overrides={"system": "from the caller"}).overrides)
    prompt = overture.build("pi", given_by_caller)
    assert prompt.source_at(prompt.text.index("from the caller")).kind == "state"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"agent": "\ud800"}, "agent: half of a surrogate pair outside a string"),
        ({"tools": ["\ud800"]}, "tools[0]: half of a surrogate pair outside a string"),
        ({"agent": {"responsibilities": "\udfff"}}, "agent.responsibilities: half of a surrogate pair"),
        ({"agent": 10**5_000}, "agent: expected an object or null, got a whole number (a very long int)."),
        ({"memories": [10**5_000]}, "memories[0]: expected text, got a whole number (a very long int)."),
    ],
)
def test_values_that_mean_harm_are_one_line(fields: dict[str, Any], said: str) -> None:
    """Half a surrogate pair where no text belongs, and a number that Python does not write, are errors like others."""
    with pytest.raises(StateError) as caught:
        State.from_dict(fields)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize("zone", ["a/" * 2_000 + "b", "A" * 100_000, "Europe/" * 50])
def test_a_zone_that_means_harm_is_unknown(zone: str) -> None:
    """A time zone with thousands of steps is no zone, and is reported in a short line."""
    prompt = overture.build("pi", make_state(now="2026-03-07T08:55:05-06:00", runtime={"timezone": zone}))
    [note] = [note for note in prompt.diagnostics if note.code == "timezone-unknown"]
    assert len(note.message) < 200


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"memories": "abc"}, "memories: expected a list, got text ('abc')."),
        ({"memories": [5]}, "memories[0]: expected text, got a whole number (5)."),
        ({"tools": None}, "tools: expected a list, got null."),
        ({"context_files": 5}, "context_files: expected a list, got a whole number (5)."),
        ({"now": "2026"}, "now: not an ISO 8601 time"),
        ({"audience": "Public"}, "audience: 'Public' is not one of private, public. Did you mean 'public'?"),
        ({"secrets": "hide"}, "secrets: 'hide' is not one of redact, show."),
        ({"runtime": "/p"}, "runtime: expected an object or null, got text"),
        ({"agent": User()}, "agent: expected an object or null, got User."),
        ({"background": "no"}, "background: expected true or false, got text ('no')."),
        ({"extra": []}, "extra: expected an object, got a list."),
        ({"memories": (5,)}, "memories[0]: expected text, got a whole number (5)."),
        ({"skills": ({"name": "tide"},)}, "skills[0]: the key 'description' is missing"),
    ],
)
def test_a_state_made_directly_refuses_values_of_another_kind(fields: dict[str, Any], message: str) -> None:
    """A text is not taken apart into letters, and the error names the field."""
    with pytest.raises(StateError) as caught:
        State(**fields)
    assert str(caught.value).startswith(message)

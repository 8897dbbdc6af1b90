"""agent.json: what is taken from it, from which line, and what is said about the rest."""

import json
from typing import Any

import pytest

import overture
from overture.model.state.agent_and_runtime import Agent
from overture.model.state.discovery import Discovery
from overture.testing import FakeWorld

WHOLE = """{
  "name": "Ada",
  "trust": "sandbox",
  "identity":
    "You are Ada.\\nYou help.",
  "instructions": "Be brief.",
  "responsibilities": [
    {"title": "Routing", "content": "Route.", "id": 1},
    {
      "content": "Greet.",
      "title": "Greeting"
    }
  ],
  "capabilities": ["files", "memory"],
  "directories": ["~/notes", "../shared/", ".", "/p/agents/ada", "/srv", "~"]
}
"""


def found_in(text: str | bytes, **world: Any) -> Discovery:
    """What discovery makes of an agent.json with that text."""
    files = {"/p/agents/ada/agent.json": text}
    return overture.discover("nova", world=FakeWorld(files, cwd="/p/agents/ada", **world))


def outcome_of(found: Discovery) -> str:
    """What came of the agent.json."""
    return next(look.outcome for look in found.looked_at if look.path == "/p/agents/ada/agent.json")


def test_the_keys_of_an_agent_are_taken_and_others_passed_over() -> None:
    """Texts, duties and capabilities become the agent; a key that is not ours is nobody's fault."""
    found = found_in(WHOLE)
    assert json.loads(json.dumps(found.state.to_dict()))["agent"] == {
        "name": "Ada",
        "identity": "You are Ada.\nYou help.",
        "instructions": "Be brief.",
        "responsibilities": [
            {"title": "Routing", "content": "Route."},
            {"title": "Greeting", "content": "Greet."},
        ],
        "capabilities": ["files", "memory"],
    }
    assert found.diagnostics == ()
    assert outcome_of(found) == "loaded"


def test_every_field_leads_back_to_its_line() -> None:
    """The origin of a field is the line of the file on which its value begins."""
    origins = found_in(WHOLE).state.origins
    assert {field: origin.line for field, origin in origins.items()} == {
        "agent.name": 2,
        "agent.identity": 5,
        "agent.instructions": 6,
        "agent.responsibilities[0].title": 8,
        "agent.responsibilities[0].content": 8,
        "agent.responsibilities[1].title": 11,
        "agent.responsibilities[1].content": 10,
        "agent.capabilities": 14,
        **{f"runtime.directories[{index}]": 15 for index in range(4)},
    }
    assert {origin.path for origin in origins.values()} == {"/p/agents/ada/agent.json"}


BAD: list[tuple[str, str, int]] = [
    ('{\n"name": "Ada"\n"x": 1}', "invalid JSON: ", 3),
    ("{", "invalid JSON: ", 1),
    ('\n\n"Ada"', "expected an object, got text", 3),
    ("[]", "expected an object, got a list", 1),
    ("null", "expected an object, got null", 1),
    ("[" * 100_000, "nested too deeply", 1),
    ('{"name": ' + "9" * 5000 + "}", "number that is too long", 1),
]


@pytest.mark.parametrize(("text", "message", "line"), BAD)
def test_a_file_that_is_no_object_is_one_line_with_its_place(text: str, message: str, line: int) -> None:
    """The file gives nothing, its fault is reported with its line, and nothing raises."""
    found = found_in(text)
    (note,) = found.diagnostics
    assert message in note.message
    assert (note.level, note.code, note.path, note.line) == ("error", "agent-skipped", "/p/agents/ada/agent.json", line)
    assert outcome_of(found) == "skipped"
    assert (found.state.agent, found.state.origins) == (None, {})


BAD_VALUES: list[tuple[str, str, int]] = [
    ('"identity": 3', "identity is skipped: expected text or null, got a whole number (3)", 2),
    ('"identity": ["I"]', "identity is skipped: expected text or null, got a list", 2),
    ('"identity": "\\ud800"', "identity is skipped: it contains half of a surrogate pair", 2),
    ('"identity": NaN', "identity is skipped: expected text or null, got a number", 2),
    ('"responsibilities": {}', "responsibilities is skipped: expected a list, got an object", 2),
    ('"responsibilities": [\n"x"]', "responsibilities[0] is skipped: expected an object", 3),
    ('"responsibilities": [\n{"title": "T"}]', "responsibilities[0] is skipped: the key 'content' is missing", 3),
    ('"responsibilities": [{"title": 1, "content": "C"}]', "responsibilities[0] is skipped: title: expected text", 2),
    ('"responsibilities": [{"title": "T", "content":\n" "}]', "content: it must not be blank", 3),
    (
        '"responsibilities": [{"title": "T",\n"content": "\\udc00"}]',
        "responsibilities[0] is skipped: content: it contains half of",
        3,
    ),
    ('"capabilities": {"memory": {}}', "expected a list or null, got an object", 2),
    ('"directories": "/srv"', "expected a list, got text", 2),
    ('"directories": [""]', "directories[0] is skipped: it must not be blank", 2),
]


@pytest.mark.parametrize(("value", "message", "line"), BAD_VALUES)
def test_a_value_that_does_not_fit_is_one_line_and_takes_no_other_with_it(value: str, message: str, line: int) -> None:
    """The value is reported with its line and left out; the agent keeps its name and its instructions."""
    found = found_in(f'{{"name": "Ada",\n{value},\n"instructions": "Be brief."}}')
    (note,) = found.diagnostics
    assert message in note.message
    assert (note.level, note.code, note.path, note.line) == ("error", "agent-invalid", "/p/agents/ada/agent.json", line)
    assert outcome_of(found) == "loaded"
    assert found.state.agent == Agent(name="Ada", instructions="Be brief.")
    assert {"agent.name", "agent.instructions"} == {*found.state.origins}
    overture.build("nova", found.state).to_dict()


def test_each_bad_value_is_reported() -> None:
    """All faults are known at once, in the order of the keys that an agent has."""
    found = found_in('{"capabilities": ["memry"],\n"name": 1}')
    assert [(note.message[:20], note.line) for note in found.diagnostics] == [
        ("name is skipped: exp", 2),
        ("capabilities[0] is s", 1),
    ]
    assert found.state.agent == Agent(capabilities=())


def test_a_value_of_a_megabyte_makes_no_such_report() -> None:
    """The report shows as much of a wrong word as a person reads."""
    (note,) = found_in(json.dumps({"capabilities": ["x" * 1_000_000]})).diagnostics
    assert len(note.message) < 250


def test_a_link_out_of_the_project_is_not_followed() -> None:
    """An agent.json that leads elsewhere is refused and recorded."""
    world = FakeWorld({"/etc/agent.json": '{"name": "Eve"}'}, links={"/p/agent.json": "/etc/agent.json"})
    found = overture.discover("nova", world=world)
    assert found.state.agent is None
    assert [note.code for note in found.diagnostics] == ["agent-outside"]

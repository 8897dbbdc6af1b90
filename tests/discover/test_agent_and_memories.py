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


def test_directories_are_made_absolute_and_the_working_directory_is_dropped() -> None:
    """`~` is home, a relative path begins at the working directory, and that one is not listed again."""
    runtime = found_in(WHOLE).state.runtime
    assert runtime is not None
    assert runtime.directories == ("/home/user/notes", "/p/agents/shared", "/srv", "/home/user")


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


def test_a_text_of_several_lines_is_one_line_of_its_file() -> None:
    """All characters of a JSON text stand on the line that holds it, escaped line breaks or not."""
    found = found_in(WHOLE)
    prompt = overture.build("nova", found.state)
    for word in ("You are Ada.", "You help."):
        assert str(prompt.source_at(prompt.text.index(word))) == "/p/agents/ada/agent.json:5"


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


def test_of_equal_keys_the_last_counts_and_those_of_other_programs_are_not_looked_at() -> None:
    """As JSON readers do; a key that is not ours may be given as often as its program likes."""
    found = found_in('{"x": 1, "x": 2, "\\ud800": 1,\n"name": "Eve",\n"name": "Bob",\n"name": "Ada"}')
    assert found.state.agent == Agent(name="Ada")
    assert found.state.origins["agent.name"].line == 4
    assert found.diagnostics == ()


def test_each_bad_value_is_reported() -> None:
    """All faults are known at once, in the order of the keys that an agent has."""
    found = found_in('{"capabilities": ["memry"],\n"name": 1}')
    assert [(note.message[:20], note.line) for note in found.diagnostics] == [
        ("name is skipped: exp", 2),
        ("capabilities[0] is s", 1),
    ]
    assert found.state.agent == Agent(capabilities=())


def test_a_file_of_nothing_that_fits_is_skipped() -> None:
    """There is no agent then, and the last fault is the reason."""
    found = found_in('{"responsibilities": [1],\n"name": 1}')
    assert found.state.agent is None
    assert outcome_of(found) == "skipped"


@pytest.mark.parametrize(
    ("values", "message", "good"),
    [
        ('["memory",\n"memry"]', "capabilities[1] is skipped: 'memry' is not one of files, ", ("memory",)),
        ('["memory",\n"memry", "files"]', "Did you mean 'memory'?", ("memory", "files")),
        ('["files",\n"a - at `$.name"]', "capabilities[1] is skipped: 'a - at `$.name' is not one of", ("files",)),
        ("[\n[]]", "capabilities[0] is skipped: expected text, got a list", ()),
    ],
)
def test_an_unknown_capability_gives_none(values: str, message: str, good: tuple[str, ...]) -> None:
    """The known ones stay; where none does, the agent has none, and not all as without the key."""
    found = found_in(f'{{"capabilities":{values}}}')
    (note,) = found.diagnostics
    assert message in note.message
    assert note.line == 2
    assert found.state.agent == Agent(capabilities=good)  # type: ignore[arg-type]


def test_a_good_value_survives_a_bad_neighbour() -> None:
    """One bad item takes no other with it, and what follows keeps its own line."""
    duties = [{"title": "A", "content": "a"}, 7, {"title": "B", "content": "b"}]
    found = found_in(json.dumps({"identity": 1, "instructions": "How", "responsibilities": duties}, indent=0))
    assert found.state.agent is not None
    assert found.state.agent.instructions == "How"
    assert [duty.title for duty in found.state.agent.responsibilities] == ["A", "B"]
    assert found.state.origins["agent.responsibilities[1].title"].line == 11
    assert [note.line for note in found.diagnostics] == [2, 9]


def test_a_value_of_a_megabyte_makes_no_such_report() -> None:
    """The report shows as much of a wrong word as a person reads."""
    (note,) = found_in(json.dumps({"capabilities": ["x" * 1_000_000]})).diagnostics
    assert len(note.message) < 250


@pytest.mark.parametrize("text", ["", "\ufeff \n", "{}", '{"trust": "sandbox"}', '{"identity": null}'])
def test_a_file_that_gives_nothing_is_no_fault(text: str) -> None:
    """An empty file, or one without a key of ours, counts as cleared."""
    found = found_in(text)
    assert found.diagnostics == ()
    assert found.state.agent is None
    assert outcome_of(found) == "cleared"


@pytest.mark.parametrize("depth", [50, 200, 900, 940, 960, 980, 990, 1000, 5000])
@pytest.mark.parametrize("key", ["x", "identity", "capabilities", "responsibilities", "directories"])
def test_a_deep_nest_is_at_worst_one_fault(key: str, depth: int) -> None:
    """However deep a value nests, the file is read or refused, and nothing raises."""
    found = found_in(f'{{"name": "A", "{key}": {"[" * depth}{"]" * depth}}}')
    assert len(found.diagnostics) <= 1


def test_bytes_that_are_not_utf_8_are_shown_and_reported() -> None:
    """A BOM and CRLF are no matter; a stray byte becomes U+FFFD with a warning."""
    found = found_in(b'\xef\xbb\xbf{\r\n"name":\r\n"A\xff"}')
    assert found.state.agent is not None
    assert found.state.agent.name == "A\ufffd"
    assert found.state.origins["agent.name"].line == 3
    assert [note.code for note in found.diagnostics] == ["not-utf-8"]


def test_a_link_out_of_the_project_is_not_followed() -> None:
    """An agent.json that leads elsewhere is refused and recorded."""
    world = FakeWorld({"/etc/agent.json": '{"name": "Eve"}'}, links={"/p/agent.json": "/etc/agent.json"})
    found = overture.discover("nova", world=world)
    assert found.state.agent is None
    assert [note.code for note in found.diagnostics] == ["agent-outside"]

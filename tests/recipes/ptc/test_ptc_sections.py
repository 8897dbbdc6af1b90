"""What each section says under which condition."""

from typing import Any

import pytest

import overture
from overture import SignatureError
from overture.model.prompt.prompt import Prompt
from overture.testing import make_state

SEARCH = {"name": "search", "signature": "(q :string) -> [:int]", "description": "Search."}
HELPER = {"name": "helper", "signature": "(q :string) -> :any", "planning_only": True}


def build(active: list[dict[str, Any]] | None = None, **mission: Any) -> Prompt:
    """The prompt for a mission in its JSON form."""
    return overture.build("ptc", make_state(tools=active or [], mission={"prompt": "Do it.", **mission}))


def block(prompt: Prompt, name: str) -> str:
    """The text of one block, or nothing."""
    return next((block.text for block in prompt.blocks if block.name == name), "")


def omitted(prompt: Prompt) -> dict[str, str]:
    """The sections that were left out, with their reasons."""
    return {omission.name: omission.reason for omission in prompt.omitted}


def test_sections_stand_in_the_order_of_the_document() -> None:
    """Seven sections, and the error last, each at its pace."""
    assert [(s.name, s.pace) for s in overture.load_recipe("ptc").sections] == [
        ("role", "static"),
        ("rules", "static"),
        ("data-inventory", "turn"),
        ("tools", "session"),
        ("reference", "static"),
        ("output-format", "static"),
        ("mission", "turn"),
        ("previous-turn-error", "turn"),
    ]


@pytest.mark.parametrize(
    ("tools", "max_turns", "single"),
    [
        ([], 1, True),
        ([HELPER], 1, True),
        ([SEARCH], 1, False),
        ([], 2, False),
        ([], None, False),
    ],
)
def test_mode(tools: list[dict[str, Any]], max_turns: int | None, single: bool) -> None:
    """One turn and nothing to call is the single-turn variant; only there is no way to return or fail."""
    text = build(tools, max_turns=max_turns).text
    assert ("expression evaluator" in text) is single
    for words in ("(return ", "(fail ", "### return", "### fail", "6. Call", "7. Call", "`fail`"):
        assert (words in text) is not single


@pytest.mark.parametrize(
    ("mission", "section", "reason"),
    [
        ({"data": {}}, "data-inventory", "the mission has no data"),
        ({"max_turns": 1}, "tools", "a single turn without tools has nothing to call"),
        ({"limits": {"omit_reference": True}}, "reference", "mission.limits.omit_reference is set"),
        ({"prompt": "  \n"}, "mission", "the mission's prompt is blank"),
    ],
)
def test_section_without_anything_to_say(mission: dict[str, Any], section: str, reason: str) -> None:
    """A section is left out whole, and the reason is recorded."""
    assert omitted(build(**mission))[section] == reason


@pytest.mark.parametrize(
    ("key", "value", "row"),
    [
        ("n", 123, "| `ctx/n` | `:int` | `123` |"),
        ("f", float("nan"), "| `ctx/f` | `:float` | `NaN` |"),
        ("f", float("-inf"), "| `ctx/f` | `:float` | `-Infinity` |"),
        pytest.param("n", 10**5000, "| `ctx/n` | `:int` | `<an integer of about 5001 digits>` |", id="huge"),
        ("b", True, "| `ctx/b` | `:bool` | `true` |"),
        ("x", None, "| `ctx/x` | `:any` | `nil` |"),
        ("s", "a|b\nc", '| `ctx/s` | `:string` | `"a\\|b\\nc"` |'),
        ("s", "a\\|b", '| `ctx/s` | `:string` | `"a\\\\\\|b"` |'),
        ("s", "`a`", '| `ctx/s` | `:string` | `` "`a`" `` |'),
        ("s", "x" * 50, f'| `ctx/s` | `:string` | `"{"x" * 50}"` |'),
        pytest.param("s", "x" * 1_000_000, f'| `ctx/s` | `:string` | `"{"x" * 47}..."` |', id="1 MB"),
        ("xs", [], "| `ctx/xs` | `[:any]` | `[]` |"),
        ("xs", [1, 2, 3], "| `ctx/xs` | `[:int]` | `[1, 2, 3]` |"),
        ("xs", [1, 2, 3, 4], "| `ctx/xs` | `[:int]` | `[1, 2, 3, ...]` (4 items) |"),
        ("m", {"xs": [1] * 9}, "| `ctx/m` | `{xs [:int]}` | `{xs: [1, 1, 1, ...] (9 items)}` |"),
        ("m", {"a b": 1}, '| `ctx/m` | `{"a b" :int}` | `{"a b": 1}` |'),
        ("m", {"_pw": "s", "id": 1}, "| `ctx/m` | `{_pw :string, id :int}` | `{_pw: [Hidden], id: 1}` |"),
        ("_t", {"a": 1}, "| `ctx/_t` | `:map` | [Hidden] |"),
        ("a b|c", 1, '| `ctx/"a b\\|c"` | `:int` | `1` |'),
        ("", 1, '| `ctx/""` | `:int` | `1` |'),
    ],
)
def test_row_of_the_inventory(key: str, value: Any, row: str) -> None:
    """Each value has one row of three cells, whatever it holds."""
    lines = block(build(data={key: value}), "data-inventory").split("\n")
    assert lines[4:6] == ["| Key | Type | Sample |", "|-----|------|--------|"]
    assert lines[6] == row


@pytest.mark.parametrize(("limit", "sample"), [(0, "`[...]` (2 items)"), (9, "`[1, 2]`")])
def test_list_sample(limit: int, sample: str) -> None:
    """As many items as the limit says, and never fewer than none."""
    assert f"| {sample} |" in build(data={"a": [1, 2]}, limits={"list_sample": limit}).text


def test_large_map_is_bounded() -> None:
    """Of 200 keys ten are shown, and the count of all."""
    row = block(build(data={"m": {f"k{n}": n for n in range(200)}}), "data-inventory").split("\n")[6]
    assert row.endswith("k9: 9, ...}` (200 keys) |")
    assert "| `:map` |" in row


def test_hidden_values_are_nowhere() -> None:
    """What is hidden is neither in the prompt nor in what is said about it."""
    data = {"_a": "s3cret", "u": {"_b": "s3cret", "l": [{"_c": "s3cret"}]}}
    prompt = build(data=data, prompt="{{u}}", data_signature="(_a :int, u {_b :int, l [{_c :int}]})")
    assert "s3cret" not in prompt.text + str(prompt.to_dict())
    assert prompt.diagnostics[0].message == ("mission.data._a: expected :int, got [Hidden]; see mission.data_signature")


def test_declared_type_wins_over_the_inferred_one() -> None:
    """A data signature gives the type; keys that it does not name are inferred."""
    text = block(build(data={"a": 1, "b": 2}, data_signature="(a :float)"), "data-inventory")
    assert "| `ctx/a` | `:float` |" in text
    assert "| `ctx/b` | `:int` |" in text


def test_data_that_does_not_fit_is_reported() -> None:
    """Data and signature that disagree give a warning for each value, the first five one by one."""
    prompt = build(data={"ids": ["x"] * 7}, data_signature="(ids [:int], name :string)")
    messages = [note.message for note in prompt.diagnostics]
    assert messages[0] == 'mission.data.ids[0]: expected :int, got "x"; see mission.data_signature'
    assert messages[-1] == "mission.data: 3 more values do not match mission.data_signature"


@pytest.mark.parametrize(
    ("tool", "line"),
    [
        ({"signature": "-> :map"}, "x() -> :map"),
        ({}, "x() -> :any"),
        ({"parameters": {"type": "object", "properties": {}}}, "x() -> :any"),
        (
            {
                "parameters": {
                    "properties": {"id": {"type": "integer"}, "user name": {"type": "string"}},
                    "required": ["id"],
                }
            },
            'x(id :int, "user name" :string?) -> :any',
        ),
        (
            {"signature": "(a :int) -> :bool", "parameters": {"properties": {"b": {}}}},
            "x(a :int) -> :bool",
        ),
    ],
)
def test_signature_of_a_tool(tool: dict[str, Any], line: str) -> None:
    """The signature, or else the JSON Schema of the arguments."""
    assert f"### x\n```\n{line}\n```" in block(build([{"name": "x", **tool}]), "tools")


@pytest.mark.parametrize(
    ("tools", "names"),
    [
        (["b", "a"], ["b", "a", "return", "fail"]),
        (["fail", "a"], ["fail", "a", "return"]),
        (["return", "fail"], ["return", "fail"]),
    ],
)
def test_order_of_tools(tools: list[str], names: list[str]) -> None:
    """The caller's order, then return and fail unless the caller has his own."""
    text = block(build([{"name": name} for name in tools]), "tools")
    assert [line[4:] for line in text.split("\n") if line.startswith("### ")] == names


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"description": "Long.", "snippet": "short"}, "Long."),
        ({"snippet": "short"}, "short"),
        ({"description": "  \n"}, ""),
    ],
)
def test_description_of_a_tool(fields: dict[str, Any], said: str) -> None:
    """The description, or else the snippet, below the signature."""
    text = block(build([{"name": "x", **fields}]), "tools")
    assert text.partition("x() -> :any\n```\n")[2].partition("\n### return")[0].strip() == said


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"data_signature": "(a :int,\nb :inf)"}, "mission.data_signature: line 2, column 3: expected a type"),
        ({"output_signature": "{a"}, "mission.output_signature: line 1, column 3: expected a type"),
        ({"active": [{"name": "x"}, {"name": "y", "signature": "(a"}]}, "tools[1].signature: line 1, column 3: "),
    ],
)
def test_bad_signature_names_its_field(fields: dict[str, Any], message: str) -> None:
    """A signature that can't be read is one line with the field, the line and the column."""
    with pytest.raises(SignatureError) as error:
        build(**fields)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"type": "timeout", "message": "a\nb"}, "- **Error**: timeout\n- **Message**: a b\n"),
        ({"type": " ", "message": ""}, "- **Error**: unknown_error\n- **Message**: Unknown error\n"),
        ({"type": "x", "message": "y" * 600}, f"- **Message**: {'y' * 500}...\n"),
    ],
)
def test_error_of_the_previous_turn(fields: dict[str, Any], line: str) -> None:
    """The error stands last, its type and message on one line each."""
    prompt = build(error=fields)
    assert prompt.blocks[-1].name == "previous-turn-error"
    assert line in prompt.blocks[-1].text


@pytest.mark.parametrize(
    ("wanted", "shown", "noted"),
    [
        (None, ["send_email", "weather", "helper"], False),
        ("relevant", ["send_email"], True),
        (["weather"], ["weather"], True),
        (["weather", "send_email", "helper"], ["send_email", "weather", "helper"], False),
    ],
)
def test_tools_are_trimmed_on_request(wanted: Any, shown: list[str], noted: bool) -> None:
    """Only what the mission asks for is shown, and what is left out is recorded."""
    tools: list[dict[str, Any]] = [
        {"name": "send_email"},
        {"name": "weather", "description": "Forecast for a city."},
        HELPER,
    ]
    prompt = build(tools, prompt="Draft emails to all customers.", tools=wanted) if wanted else build(tools)
    text = block(prompt, "tools")
    names = [line[4:] for line in text.split("\n") if line.startswith("### ")]
    assert [name for name in names if name not in ("return", "fail")] == shown
    assert prompt.diagnostics == ()
    assert any("mission.tools excludes" in omission.reason for omission in prompt.omitted) is noted

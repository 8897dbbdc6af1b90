"""What each section says under which condition."""

from decimal import Decimal
from typing import Any

import pytest

import overture
from overture import SignatureError, StateError
from overture.model.prompt.prompt import Prompt
from overture.testing import make_state

SEARCH = {"name": "search", "signature": "(q :string) -> [:int]", "description": "Search."}
LONG = f'"{"x" * 500}"'
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


def test_without_a_state_it_is_an_agent_that_waits() -> None:
    """An empty state gives a prompt, and reasons for what is not in it."""
    prompt = overture.build("ptc", make_state())
    assert "# Rules" in prompt.text
    assert omitted(prompt) == {
        "data-inventory": "no mission is given",
        "mission": "no mission is given",
        "previous-turn-error": "the previous turn did not fail",
    }


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


@pytest.mark.parametrize(
    ("limit", "value", "sample"),
    [
        (5, "x" * 5, '`"xxxxx"`'),
        (5, "x" * 6, '`"xxxxx..."`'),
        (5, ["x" * 6, {"a": "y" * 9}], '`["xxxxx...", {a: "yyyyy..."}]`'),
        (0, {"subject": "Hello"}, '`{subject: "..."}`'),
        (5, {"a_long_name": 123456789}, "`{a_long_name: 123456789}`"),
        (80, "x" * 60, f'`"{"x" * 60}"`'),
        (500, ["x" * 500] * 4, f"`[{LONG}, {LONG}, {LONG}, ...]` (4 items)"),
        (5000, "x" * 4000, f'`"{"x" * 4000}"`'),
    ],
)
@pytest.mark.parametrize("recipe", ["ptc", "house"])
def test_string_truncate_counts_for_samples(recipe: str, limit: int, value: Any, sample: str) -> None:
    """Given, it says how much of a string a sample shows, at every depth; names and numbers are not strings."""
    mission = {"prompt": "Do it.", "data": {"a": value}, "limits": {"string_truncate": limit}}
    assert f"| {sample} |" in overture.build(recipe, make_state(mission=mission)).text


def test_string_truncate_counts_for_errors() -> None:
    """The details of an error, its type and its message are values like others; what is cut is reported."""
    error = {"type": "x" * 9, "message": "y" * 9, "details": {"at": "z" * 9}}
    prompt = build(error=error, limits={"string_truncate": 5})
    assert '`{at: "zzzzz..."}` |' in prompt.text
    assert "- **Error**: xxxxx...\n- **Message**: yyyyy...\n" in prompt.text
    assert [note.message.partition(" is truncated")[0] for note in prompt.diagnostics] == [
        "mission.error.type",
        "mission.error.message",
    ]


def test_string_truncate_is_kept_in_json() -> None:
    """A limit that is given is written out, also the one that a filled-in value has without it."""
    given = {"mission": {"prompt": "Go", "limits": {"string_truncate": 500}}}
    assert make_state(**given).to_dict() == given


def test_large_map_is_bounded() -> None:
    """Of 200 keys ten are shown, and the count of all."""
    row = block(build(data={"m": {f"k{n}": n for n in range(200)}}), "data-inventory").split("\n")[6]
    assert row.endswith("k9: 9, ...}` (200 keys) |")
    assert "| `:map` |" in row


def test_deep_data_is_bounded() -> None:
    """A thousand levels of data give a short row."""
    deep: Any = {"end": 1}
    for _ in range(1000):
        deep = {"a": [deep]}
    rows = block(build(data={"deep": deep}), "data-inventory").split("\n")
    assert len(rows) == 7
    assert len(rows[6]) < 200


def test_large_data_is_bounded() -> None:
    """No cell grows beyond a thousand characters and a few."""
    wide = [{f"key{n}": ["x" * 49] * 3 for n in range(10)}] * 3
    row = block(build(data={"wide": wide}), "data-inventory").split("\n")[6]
    assert len(row) < 1500
    assert "...` |" in row


@pytest.mark.parametrize(
    ("data", "noted"),
    [({"_a": 1}, True), ({"a": [{"_b": 1}]}, True), ({"a": 1}, False), ({"a": "_b"}, False), ({"a": [1] * 9}, False)],
)
def test_note_on_hidden_fields(data: dict[str, Any], noted: bool) -> None:
    """The note stands below the table only if something is hidden."""
    assert ("Note: Firewalled fields" in build(data=data).text) is noted


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


def test_keys_that_no_program_can_write_are_reported() -> None:
    """A key that is no identifier is shown in quotes, and a warning says so."""
    (note,) = build(data={"user name": 1}).diagnostics
    assert note.message == 'mission.data: a program can\'t write ctx/"user name"; rename the key'


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


def test_schema_with_two_hundred_properties() -> None:
    """A large schema is one line with all of its parameters."""
    schema = {"type": "object", "properties": {f"p{n}": {"$ref": "#"} for n in range(200)}}
    text = block(build([{"name": "x", "parameters": schema}]), "tools")
    assert "p199 " in text.split("\n")[6]


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


def test_planning_only_tools_stand_apart() -> None:
    """They have their own heading; in a single turn they are the only ones."""
    assert block(build([HELPER], max_turns=1), "tools") == (
        "# Available Tools\n\n## Tools for planning (do not call)\n\n"
        "These tools are shown for context but cannot be called directly:\n\n"
        "### helper\n```\nhelper(q :string) -> :any\n```"
    )


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


def test_details_of_an_error_are_a_row() -> None:
    """`ctx/fail` is in the inventory where there are details, also without other data; else a warning says so."""
    error = {"type": "x", "message": "y"}
    assert "| `ctx/fail` | `{at :int}` | `{at: 3}` |" in build(error={**error, "details": {"at": 3}}).text
    prompt = build(error=error)
    assert "data-inventory" in omitted(prompt)
    assert [note.code for note in prompt.diagnostics] == ["error-details"]


def test_details_win_over_data_of_the_same_name() -> None:
    """There is one row `ctx/fail`, and the data that gives way is reported."""
    prompt = build(data={"fail": 1}, error={"type": "x", "message": "y", "details": "z"})
    assert prompt.text.count("`ctx/fail` |") == 1
    assert [note.code for note in prompt.diagnostics] == ["data-key"]


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


def test_trimming_never_leaves_nothing() -> None:
    """Where no tool shares a word with the mission, all are shown, and a warning says so."""
    prompt = build([SEARCH], prompt="Hm.", tools="relevant")
    assert "### search" in prompt.text
    assert "all are shown" in prompt.diagnostics[0].message


def test_trimming_to_an_unknown_tool_is_an_error() -> None:
    """A name that no tool has is told with the nearest one."""
    with pytest.raises(StateError, match=r"mission.tools: Tool 'serch' is not known.*'search'"):
        build([SEARCH], tools=["serch"])


def test_static_sections_do_not_move() -> None:
    """A new turn with new data leaves every static block as it was, byte for byte."""
    first, later = build([SEARCH], data={"a": 1}), build([SEARCH], data={"b": 2}, error={"type": "x", "message": "y"})
    for one, other in zip(first.blocks, later.blocks, strict=False):
        assert one.name == other.name
        if one.pace != "turn":
            assert one.text == other.text


def test_a_cut_error_is_on_the_record() -> None:
    """An error's message that is cut is among the cuts and the diagnostics, with its size."""
    error = {"type": "t" * 20, "message": "word " * 400, "details": {}}
    prompt = overture.build("ptc", make_state(mission={"prompt": "x", "error": error}))
    assert [(cut.block, cut.part, cut.how) for cut in prompt.cuts] == [
        ("previous-turn-error", "mission.error.message", "shortened")
    ]
    assert prompt.cuts[0].from_tokens > prompt.cuts[0].to_tokens > 0
    assert [note.message.partition(";")[0] for note in prompt.diagnostics] == [
        "mission.error.message is truncated to 500 of its 1,999 characters"
    ]


def test_a_cut_value_names_no_size_that_is_not_known() -> None:
    """A list is not written to its end where it is cut, so the warning gives the limit alone."""
    mission = {"prompt": "{{many}}", "data": {"many": [*range(500)]}, "limits": {"string_truncate": 10}}
    prompt = overture.build("ptc", make_state(mission=mission))
    assert [note.message.partition(";")[0] for note in prompt.diagnostics] == [
        "mission.data.many is truncated to 10 characters"
    ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(Decimal("12.50"), "<Decimal>"), ([1, {"raw": b"x"}], "<bytes>"), (2**900, "<an integer of about 272 digits>")],
)
def test_a_value_that_a_mission_can_not_say_is_reported(value: object, shown: str) -> None:
    """A value of which only the kind can be written is not lost in silence; a text that looks like one is none."""
    prompt = overture.build("ptc", make_state(mission={"prompt": "{{a}} {{b}}", "data": {"a": value, "b": "<b>"}}))
    assert [(note.code, note.message) for note in prompt.diagnostics] == [
        ("data-opaque", f"mission.data.a is written as {shown}, without its value; pass a text or a number")
    ]

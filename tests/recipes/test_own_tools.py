"""The tools of every recipe can be sent as they are."""

import pytest

import overture
from overture.model.tool import Tool, one_of, takes, text, texts, truth, whole
from overture.providers.write.tools import report_missing_schemas
from overture.recipes import BUILTIN, builtin
from overture.recipes.ptc.recipe import FINISH
from overture.testing import make_state

OWN = [(name, tool) for name in BUILTIN for tool in builtin(name).tools] + [("ptc", tool) for tool in FINISH]
IDS = [f"{name} {tool.name}" for name, tool in OWN]


@pytest.mark.parametrize(("recipe", "tool"), OWN, ids=IDS)
def test_every_own_tool_has_a_schema(recipe: str, tool: Tool) -> None:
    """An object with at least one parameter; those that are required are among them, each is told in one line."""
    schema = tool.parameters
    assert schema is not None
    assert schema["type"] == "object"
    assert schema["properties"]
    assert set(schema.get("required", [])) <= set(schema["properties"])
    for parameter in schema["properties"].values():
        assert parameter["description"].strip() == parameter["description"] != ""
        assert "\n" not in parameter["description"]
        assert set(parameter) - {"description"} or recipe == "ptc"


@pytest.mark.parametrize(
    ("recipe", "name", "required", "optional"),
    [
        ("pi", "read", ["path"], ["offset", "limit"]),
        ("pi", "bash", ["command"], ["timeout"]),
        ("pi", "edit", ["path", "oldText", "newText"], []),
        ("pi", "write", ["path", "content"], []),
        ("opal", "read_file", ["path"], ["offset", "limit"]),
        ("opal", "edit_file", ["path", "old_text", "new_text"], []),
        ("opal", "write_file", ["path", "content"], []),
        ("opal", "shell", ["command"], ["timeout"]),
        ("opal", "use_skill", ["name"], []),
        ("moltis", "exec", ["command"], ["timeout"]),
        ("nova", "notify_user", ["text"], []),
        ("house", "edit", ["path", "old_text", "new_text"], []),
    ],
)
def test_a_call_can_do_what_the_tool_says(recipe: str, name: str, required: list[str], optional: list[str]) -> None:
    """The parameters are those without which the tool could not do what it is there for."""
    (tool,) = (tool for tool in builtin(recipe).tools if tool.name == name)
    assert tool.parameters is not None
    assert tool.parameters.get("required", []) == required
    assert list(tool.parameters["properties"]) == [*required, *optional]


@pytest.mark.parametrize("recipe", BUILTIN)
def test_no_recipe_needs_a_warning(recipe: str) -> None:
    """With all of a recipe's own tools active, nothing is to be said about them."""
    tools = builtin(recipe).tools
    prompt = overture.build(recipe, make_state(agent={"name": "Ada"}, mission={"prompt": "Go."}).replace(tools=tools))
    assert report_missing_schemas(tools) == []
    assert [note for note in prompt.diagnostics if note.code.startswith("tool")] == []


def test_a_schema_is_written_plainly() -> None:
    """What recipes write is the JSON Schema that it looks like; without required parameters there is no such list."""
    made = takes({"a": text("A."), "n": whole("N.")}, {"t": truth("T."), "l": texts("L."), "o": one_of("O.", "x", "y")})
    assert made == {
        "type": "object",
        "properties": {
            "a": {"type": "string", "description": "A."},
            "n": {"type": "integer", "description": "N."},
            "t": {"type": "boolean", "description": "T."},
            "l": {"type": "array", "items": {"type": "string"}, "description": "L."},
            "o": {"type": "string", "enum": ["x", "y"], "description": "O."},
        },
        "required": ["a", "n"],
    }
    assert takes({}, {"a": text("A.")}) == {"type": "object", "properties": {"a": text("A.")}}

"""The tools of every recipe can be sent as they are."""

import pytest

from overture.model.tool import Tool
from overture.recipes import BUILTIN, builtin
from overture.recipes.ptc.recipe import FINISH

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

"""A tool in its own form: its two spellings, and its name."""

from typing import Any

import pytest

from overture import RecipeError, StateError
from overture.model.tool import Tool
from overture.recipes import builtin
from overture.recipes.toml.make_recipe import make_recipe
from overture.testing import make_state

DEPLOY = {"name": "deploy", "promptSnippet": "Ship it", "promptGuidelines": ["Ask before you deploy"]}


def test_a_recipe_in_toml_takes_both_spellings() -> None:
    """A recipe's own tools may be spelled either way."""
    made = make_recipe({"extends": "pi", "tools": [DEPLOY], "active": ["deploy"]}, "mine", builtin)
    assert made.tools[-1] == Tool("deploy", snippet="Ship it", guidelines=("Ask before you deploy",))


@pytest.mark.parametrize("name", ["", "  ", "\t\n", None])
def test_a_tool_has_a_name(name: Any) -> None:
    """A tool without a name is an error that names its place, in a state, in Python and in a recipe."""
    with pytest.raises(StateError, match=r"^tools\[2\](\.name)?: .*(must not be empty|expected text)"):
        make_state(tools=[{"name": "a"}, {"name": "b"}, {"name": name}])
    with pytest.raises(StateError, match="the name of a tool must not be empty"):
        Tool(name)
    with pytest.raises(RecipeError, match=r"^Recipe 'mine': tools\[0\]"):
        make_recipe({"tools": [{"name": name}]}, "mine", builtin)


@pytest.mark.parametrize("fields", [{"guidelines": "Ask"}, {"prompt_guidelines": "Ask"}, {"guidelines": 5}])
def test_guidelines_that_are_no_list_are_refused(fields: dict[str, Any]) -> None:
    """A text is not taken apart into letters."""
    with pytest.raises(StateError, match="the guidelines of the tool 'deploy' must be a list, not "):
        Tool("deploy", **fields)

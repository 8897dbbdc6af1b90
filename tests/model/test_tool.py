"""A tool in its own form: its two spellings, and its name."""

from typing import Any

import msgspec
import pytest

from overture import RecipeError, State, StateError, build
from overture.model.tool import Tool
from overture.recipes import builtin
from overture.recipes.toml.make_recipe import make_recipe
from overture.testing import make_state

DEPLOY = {"name": "deploy", "promptSnippet": "Ship it", "promptGuidelines": ["Ask before you deploy"]}
OURS = {"name": "deploy", "snippet": "Ship it", "guidelines": ["Ask before you deploy"]}


def test_a_state_takes_both_spellings() -> None:
    """`promptSnippet` and `promptGuidelines` say what `snippet` and `guidelines` say, and are written as these."""
    state = make_state(tools=[DEPLOY])
    assert state == make_state(tools=[OURS])
    assert state.to_dict() == {"tools": [OURS]}
    text = build("pi", state).text
    assert "- deploy: Ship it\n" in text
    assert "- Ask before you deploy\n" in text


def test_a_recipe_in_toml_takes_both_spellings() -> None:
    """A recipe's own tools may be spelled either way."""
    made = make_recipe({"extends": "pi", "tools": [DEPLOY], "active": ["deploy"]}, "mine", builtin)
    assert made.tools[-1] == Tool("deploy", snippet="Ship it", guidelines=("Ask before you deploy",))


def test_the_schema_of_a_state_knows_both() -> None:
    """The JSON Schema that ships with the package allows what a state takes."""
    tool = msgspec.json.schema(State)["$defs"]["Tool"]["properties"]
    assert {"snippet", "guidelines", "promptSnippet", "promptGuidelines", "strict", "foreign"} <= set(tool)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"snippet": "Other"}, "tools[1]: 'snippet' ('Other') and 'promptSnippet' ('Ship it') differ."),
        ({"guidelines": ["x"]}, "tools[1]: 'guidelines' (('x',)) and 'promptGuidelines' (('Ask before you deploy',))"),
    ],
)
def test_two_spellings_that_differ_are_an_error(more: dict[str, Any], said: str) -> None:
    """The error is one line that names both."""
    with pytest.raises(StateError) as caught:
        make_state(tools=[{"name": "a"}, {**DEPLOY, **more}])
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_two_spellings_that_agree_are_fine() -> None:
    """The same twice is the same."""
    assert make_state(tools=[{**DEPLOY, **OURS}]) == make_state(tools=[OURS])


def test_a_misspelt_key_of_a_state_is_refused() -> None:
    """A state is strict: an unknown key is an error with the nearest known one."""
    with pytest.raises(StateError, match=r"tools\[0\]: unknown key 'promptSnipet'\. Did you mean 'promptSnippet'\?"):
        make_state(tools=[{"name": "a", "promptSnipet": "x"}])


@pytest.mark.parametrize("name", ["", "  ", "\t\n", None])
def test_a_tool_has_a_name(name: Any) -> None:
    """A tool without a name is an error that names its place, in a state, in Python and in a recipe."""
    with pytest.raises(StateError, match=r"^tools\[2\](\.name)?: .*(must not be empty|expected text)"):
        make_state(tools=[{"name": "a"}, {"name": "b"}, {"name": name}])
    with pytest.raises(StateError, match="the name of a tool must not be empty"):
        Tool(name)
    with pytest.raises(RecipeError, match=r"^Recipe 'mine': tools\[0\]"):
        make_recipe({"tools": [{"name": name}]}, "mine", builtin)


def test_a_missing_name_is_named_by_its_place() -> None:
    """No name at all is one line, too."""
    with pytest.raises(StateError, match=r"^tools\[1\]: the key 'name' is missing"):
        make_state(tools=[{"name": "a"}, {"description": "d"}])


@pytest.mark.parametrize("fields", [{"guidelines": "Ask"}, {"prompt_guidelines": "Ask"}, {"guidelines": 5}])
def test_guidelines_that_are_no_list_are_refused(fields: dict[str, Any]) -> None:
    """A text is not taken apart into letters."""
    with pytest.raises(StateError, match="the guidelines of the tool 'deploy' must be a list, not "):
        Tool("deploy", **fields)

"""What an author of a recipe hears when it can't be made."""

from typing import Any

import pytest

import overture
from overture import Body, Group, Part, Recipe, RecipeError, Section, Skip, heading, section, tag
from overture.model.source import from_state
from overture.model.state.agent_and_runtime import Runtime
from overture.testing import make_state


@section("greeting", pace="static", frame=tag("greeting"))
def greeting(memories: tuple[str, ...]) -> Body:
    """What is said first."""
    return "\n".join(memories)


def test_a_parameter_that_state_does_not_have_is_an_error_with_the_nearest_name() -> None:
    """A section whose parameter is misspelt fails when the recipe is made, and names the field that was meant."""

    @section("plan")
    def plan(sesion: Any) -> Body:
        return str(sesion)

    with pytest.raises(RecipeError) as caught:
        Recipe("mine", (plan,))
    message = str(caught.value)
    assert "Section 'plan' of recipe 'mine' reads 'sesion'" in message
    assert "Did you mean 'session'?" in message


def test_two_sections_of_one_name_are_an_error() -> None:
    """A recipe can't have two sections of one name."""
    with pytest.raises(RecipeError, match="Recipe 'mine' has two sections named 'greeting'"):
        Recipe("mine", (greeting, greeting))


def say_hello(memories: tuple[str, ...]) -> Body:
    """What is said first."""
    return "Hello."


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (say_hello, 'has a section that is none: .* Write @section\\("name"\\) above its function'),
        (section("x", place="usr")(say_hello), "has an invalid place: 'usr'. Use one of system, user"),  # type: ignore[arg-type]
        (section("x", pace="often")(say_hello), "has an invalid pace: 'often'. Use one of static, session, turn"),  # type: ignore[arg-type]
        (section("x", frame="facts")(say_hello), "has an invalid frame: 'facts'. Use frame=tag"),  # type: ignore[arg-type]
    ],
)
def test_a_section_of_another_kind_is_one_clear_error(made: Any, words: str) -> None:
    """A function without its decorator, and a place, a pace or a frame that is none, are named: none is left out."""
    with pytest.raises(RecipeError, match=words):
        Recipe("mine", (made,))


def test_a_misspelt_section_is_answered_with_the_nearest() -> None:
    """Asking a recipe for a section that it does not have names the nearest."""
    with pytest.raises(RecipeError, match=r"Recipe 'opal' has no section 'planing'. Did you mean 'planning'\?"):
        overture.load_recipe("opal").section("planing")


def test_a_recipe_of_ones_own_is_built_like_any_other() -> None:
    """Sections, frames and parts that a user writes give blocks with their sources."""

    @section("host", frame=heading("## Host"))
    def host(runtime: Runtime | None) -> Body:
        """Where it runs."""
        if runtime is None or runtime.host is None:
            return Skip("no host is given")
        return Part(runtime.host, from_state("runtime.host"))

    mine = Recipe("mine", (greeting, host))
    prompt = overture.build(mine, make_state(memories=["Hello."], runtime={"host": "## host"}))
    assert prompt.text == "<greeting>\nHello.\n</greeting>\n\n## Host\n\n\\## host"
    assert str(prompt.source_at(len(prompt.text) - 1)) == "state runtime.host"
    assert [block.pace for block in prompt.blocks] == ["static", "session"]
    assert overture.build(mine, make_state(memories=["Hello."])).omitted[0].reason == "no host is given"


@pytest.mark.parametrize("said", ["", " \n", None, Group(()), Part("  "), Group((" ", Part("\n")))])
def test_a_section_with_nothing_to_say_leaves_no_empty_frame(said: Body) -> None:
    """A body of nothing or of blanks alone leaves neither tag nor heading."""
    mine = Recipe("mine", (Section("blank", lambda: said, frame=tag("blank")), greeting))
    prompt = overture.build(mine, make_state(memories=["Hello."]))
    assert prompt.text == "<greeting>\nHello.\n</greeting>"
    assert [omission.name for omission in prompt.omitted] == ["blank"]

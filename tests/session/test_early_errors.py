"""What no turn could use is refused where it is written: by the constructor, before anything of the project is read."""

from pathlib import Path
from typing import Any

import pytest

import overture
from overture import ConfigError, RecipeError, Resources, Session, SessionError, StateError
from overture.model.recipe.recipe import Recipe
from overture.testing import FakeWorld
from tests.contract.session.worlds import project


@pytest.mark.parametrize(
    ("recipe", "options", "error", "words"),
    [
        ("opal", {"state": 5}, StateError, "expected an object, got a whole number"),
        ("opal", {"tools": 5}, StateError, "Tools must be a list"),
        ("opal", {"memories": "never"}, SessionError, "memories is 'never'. Pass 'live', 'frozen' or None."),
        ("opal", {"hook_limit": "10"}, SessionError, "hook_limit is '10'. Pass seconds, or None."),
        ("opal", {"max_depth": "1"}, SessionError, "max_depth is '1'. Pass a whole number from 0 on."),
        ("opal", {"keep": -1}, SessionError, "keep is -1. Pass a whole number from 0 on."),
        ("hose", {}, RecipeError, "'hose' is not known.*Did you mean 'house'"),
        ("nowhere.toml", {}, RecipeError, "nowhere.toml"),
        (Path("nowhere.toml"), {}, RecipeError, "nowhere.toml"),
        (7, {}, RecipeError, "7 is not a recipe"),
        (["opal"], {}, RecipeError, "is not a recipe"),
        ("opal", {"config": {"nope": 1}}, ConfigError, "Unknown setting 'nope'"),
        ("opal", {"config": {"features.skils.enabled": True}}, ConfigError, "Did you mean 'features.skills.enabled'"),
        ("opal", {"config": {"features.skills.enabled": "maybe"}}, ConfigError, "maybe"),
        (None, {"config": {"recipe": "hose"}}, RecipeError, "'hose' is not known"),
        ("opal", {"cwd": "/gone"}, ConfigError, "'/gone' is not a directory"),
        ("opal", {"cwd": "/p", "root": "/q"}, ConfigError, "'/q' is not the working directory"),
    ],
)
def test_the_constructor_refuses_what_it_can_know(
    recipe: Any, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    """An unknown recipe, a missing .toml, a wrong type, a bad setting or folder: our error, at once."""
    with pytest.raises(error, match=words):
        Session(recipe, world=project(), **options)


def test_lists_are_lists() -> None:
    """A text in place of a list is an error, and not an item for each of its letters."""
    with pytest.raises(SessionError, match=r"skills is '/x'. Pass a list: skills=\[…\]"):
        Resources(skills="/x")  # type: ignore[arg-type]
    live = Session("opal", world=project())
    with pytest.raises(SessionError, match="themes is '/x'"):
        live.add_resources(themes="/x")
    with pytest.raises(SessionError, match="names is 'read'"):
        live.set_tools("read")
    with pytest.raises(SessionError, match="tools is 'read'"):
        live.subagent("Look.", tools="read")
    with pytest.raises(SessionError, match="touched is '/x'"):
        live.result("1", "ok", touched="/x")
    live.add_resources(skills=["/x"])
    assert live.turn("Go").entry.triggers[-1].reason == "/x"


def test_a_message_is_for_now_or_for_the_next_turn() -> None:
    """Any other word is an error, and the message is not sent."""
    live = Session("opal", world=project())
    with pytest.raises(SessionError, match="when is 'later'"):
        live.send_message("Hello", when="later")  # type: ignore[arg-type]
    assert live.messages == ()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda live: live.send_message(None, when="next"), "the text None. Pass one of these roles"),
        (lambda live: live.add(overture.Message("robot", "x")), "the role 'robot'"),  # type: ignore[arg-type]
        (lambda live: live.add({"role": "user", "content": "x"}), "Pass a Message"),
        (lambda live: live.compact(None), "the text None"),
        (lambda live: live.compact("So far.", keep="2"), "keep is '2'. Pass the number of messages to keep."),
        (lambda live: live.branch("So far.", keep=-1), "keep is -1"),
        (lambda live: live.hook("context", 3), "The hook is 3. Pass a function."),
        (lambda live: live.set_tools([3]), "names has 3, which is not a text"),
        (lambda live: live.add_resources(skills=[None]), "skills has None"),
        (lambda live: live.subagent(None), "The task is None"),
    ],
)
def test_what_no_turn_could_use_does_not_stay_in_the_session(wrong: Any, words: str) -> None:
    """Our error, where it is passed; the next turn is as if nothing had been passed."""
    live = Session("opal", world=project())
    live.turn("Hello")
    with pytest.raises((SessionError, StateError), match=words):
        wrong(live)
    assert [message.text for message in live.turn("Go").messages] == ["Hello", "Go"]


def test_paths_of_resources_may_be_path_objects(tmp_path: Path) -> None:
    """`pathlib.Path` is as good as its text."""
    (tmp_path / "TEAM.md").write_text("Be brief.")
    live = Session("opal", cwd=tmp_path, home=tmp_path, root=tmp_path)
    live.add_resources(context=[tmp_path / "TEAM.md"])
    live.refresh(touched=[tmp_path / "x.py"])
    assert "Be brief." in live.turn("Go").prompt.text
    live.save(tmp_path / "s.json")
    assert "Be brief." in Session.resume(tmp_path / "s.json").turn().prompt.text


def test_a_recipe_of_the_projects_own_is_found() -> None:
    """Names from the configuration of `cwd`, paths of .toml files as text or Path, and Recipes are as good."""
    world = project(**{"overture.toml": '[recipes.mine]\nextends = "pi"', "my.toml": 'extends = "opal"\nname = "my"'})
    assert Session("mine", world=world).prompt.recipe.name == "mine"
    assert (
        Session(Path("/p/my.toml"), world=world).prompt.recipe.name
        == Session("my.toml", world=world).prompt.recipe.name
    )
    recipe = overture.load_recipe("pi")
    assert Session(recipe, world=world).prompt.recipe is recipe and isinstance(recipe, Recipe)


def test_for_a_built_in_recipe_nothing_is_read() -> None:
    """The constructor asks for the folder that is named, and reads no file; discovery waits for the first turn."""
    world = project()
    live = Session("opal", world=world, cwd="/p")
    assert world.reads == []
    live.turn("Go")
    assert "/p/AGENTS.md" in world.reads


def test_a_save_is_resumed_although_its_project_is_gone(tmp_path: Path) -> None:
    """What is refused to a new session is no matter for one that stands on its save; nor for a sub-agent."""
    live = Session("opal", world=project(), cwd="/p", config={"features.skills.enabled": True})
    text = live.turn("Go").prompt.text
    live.save(tmp_path / "s.json")
    assert Session.resume(tmp_path / "s.json", world=FakeWorld()).turn().prompt.text == text
    world = project(**{"sub/overture.toml": '[recipes.mine]\nextends = "opal"', "sub/x": ""})
    child = Session("mine", world=world, cwd="/p/sub").subagent("Look.")
    assert child.turn().prompt.recipe.name == "mine"

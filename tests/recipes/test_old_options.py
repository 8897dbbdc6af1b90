"""Options that served one agent are quirks of that agent; recipes that have the old ones mean the same."""

import pytest

from overture.errors import RecipeError
from overture.model.wants import Wants
from overture.recipes.toml.make_recipe import make_recipe
from overture.recipes.toml.recipe_form import OLD_SWITCHES


def wants(**tables: object) -> Wants:
    """The wants of a recipe that has these tables."""

    def load(name: str) -> None:
        raise AssertionError(name)

    return make_recipe({"name": "mine", "wants": tables}, "mine", load).wants  # type: ignore[arg-type]


@pytest.mark.parametrize("option", OLD_SWITCHES)
def test_an_old_switch_is_the_quirk_of_its_agent(option: str) -> None:
    """Switched on, it names the agent; at its old default it says nothing."""
    on, agent = OLD_SWITCHES[option]
    place, _, key = option.rpartition(".")
    inner = {"depth": 3} if place == "imports" else {}
    for value, expected in ((on, agent), (None, "")):
        table = {place: {**inner, key: value}} if place else {key: value}
        (step,) = wants(files=[{"step": "s", "names": ["A.md"], **table}]).files
        assert step.quirks == expected


def test_a_step_has_the_quirks_of_one_agent() -> None:
    """Two old switches of two agents are refused, with both names."""
    with pytest.raises(RecipeError, match=r"`whole` is a quirk of crush, but the step has those of 'gemini-cli'"):
        wants(files=[{"step": "s", "names": ["A.md"], "sorted": True, "whole": True}])


def test_old_words_of_imports_and_skills() -> None:
    """Where imports count is one list, how a path is written one word, and so is what has no fixed order."""
    imports = {"depth": 1, "in_code": True, "indented": False, "spaces": True}
    (step,) = wants(files=[{"step": "s", "names": ["A.md"], "imports": imports}]).files
    assert step.imports is not None
    assert (step.imports.counts_in, step.imports.begins) == (("code",), "text")
    skills = wants(skills={"home": ["x"], "winner_fixed": False, "menu": {"names_count": True}}).skills
    assert skills is not None and skills.menu is not None
    assert (skills.unordered, skills.menu.counts) == ("winners", "names")

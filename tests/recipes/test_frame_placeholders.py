"""Placeholders around files and skills in a recipe in TOML: `opens`, `closes`, `each` and `menu`."""

import tomllib

import pytest

import overture
from overture.errors import RecipeError
from overture.model.recipe.recipe import Recipe
from overture.recipes import builtin
from overture.recipes.toml.make_recipe import make_recipe
from overture.sections.agent_files import FILE_PLACEHOLDERS
from overture.testing import FakeWorld

STEP = '[[wants.files]]\nstep = "own"\nnames = ["rules.md"]\n[[sections]]\nname = "rules"\nfiles = ["own"]\n'
MENU = '[[sections]]\nname = "menu"\n'


def made(text: str) -> Recipe:
    return make_recipe(tomllib.loads(text), "mine", builtin)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (STEP + 'each = "{{ txet }}"', "section 'rules' of recipe 'mine': `each` fills in {{ txet }}"),
        (STEP + 'each = "{{ txet }}"', "Did you mean 'text'?"),
        (STEP + 'each = { own = "{{ text }}", "a.md" = "{{ agent.name }}" }', "{{ agent.name }}"),
        (STEP + 'opens = "{{ now }}"', "`opens` fills in {{ now }}, which has no value there. Known: runtime.cwd."),
        (STEP + 'closes = "{{ text }}"', "`closes` fills in {{ text }}"),
        (MENU + 'menu = "- {{ name }} {{ descripton }}"', "Did you mean 'description'?"),
        (MENU + 'menu = "- {{ name }}"\nopens = "{{ user.name }}"', "`opens` fills in {{ user.name }}"),
    ],
)
def test_a_placeholder_without_a_value_is_an_error(text: str, words: str) -> None:
    """It would be empty in every prompt, and nobody would know."""
    with pytest.raises(RecipeError) as caught:
        made(text)
    assert words.lower() in str(caught.value).lower()


def test_every_known_placeholder_has_its_value() -> None:
    """Those of the reference, and any key of the frontmatter, also with a hyphen."""
    each = "|".join(f"{{{{ {name} }}}}" for name in (*FILE_PLACEHOLDERS, "front.argument-hint"))
    recipe = made(f'{STEP}each = "{each}"\nopens = "{{{{ runtime.cwd }}}}: "')
    text = "---\ndescription: Tides.\nargument-hint: a quay\n---\nHi."
    found = overture.discover(recipe, world=FakeWorld({"/p/rules.md": text, "/p/.git/HEAD": ""}), cwd="/p")
    said = overture.build(recipe, found.state).text.replace(text, "TEXT")
    assert said == "/p: TEXT|Tides.|/p/rules.md|rules.md|rules.md|/p|rules.md|rules|rules.md|p/rules.md|a quay"


def test_a_limit_of_an_unknown_step_is_an_error() -> None:
    """It would limit nothing; a limit of a known step is taken."""
    limit = '[[wants.limits]]\nname = "room"\nmost = 9\nof = ["{}"]\n'
    assert made(STEP + limit.format("own")).wants.limits[0].of == ("own",)
    with pytest.raises(RecipeError, match=r"limit 'room' is of the step 'onw', which .* Did you mean 'own'"):
        made(STEP + limit.format("onw"))

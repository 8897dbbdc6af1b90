"""Where recipes are found by name."""

import subprocess
import sys
from pathlib import Path

import pytest

import overture
from overture.errors import RecipeError
from overture.testing import FakeWorld


def test_toml_file_with_a_text_beside_it() -> None:
    """A recipe's path is relative to the caller, the files of its sections to the recipe."""
    world = FakeWorld(
        {
            "/p/recipes/mine.toml": 'extends = "base.toml"\n[[sections]]\nname = "b"\nfile = "b.md"',
            "/p/recipes/base.toml": '[[sections]]\nname = "a"\ntext = "A"',
            "/p/recipes/b.md": "B\r\n",
        }
    )
    recipe = overture.load_recipe("recipes/mine.toml", cwd="/p", world=world)
    assert overture.build(recipe, overture.State()).text == "A\n\nB"
    assert recipe.name == "mine"


def test_recipe_from_the_configuration() -> None:
    """A [recipes.NAME] table with `extends` defines a recipe that can be named, and the settings still count."""
    world = FakeWorld(
        {
            "/p/overture.toml": (
                'recipe = "ours"\n[recipes.ours]\nextends = "pi"\nremove = ["clock-and-cwd"]\n'
                '[recipes.ours.features.skills]\nenabled = false\n[recipes.pi]\nfolder = ".x"'
            ),
            "/p/.agents/skills/a/SKILL.md": "---\nname: a\ndescription: b\n---\n",
        }
    )
    found = overture.discover(cwd="/p", world=world)
    assert found.state.skills == ()
    assert overture.load_recipe("ours", cwd="/p", world=world).sections[-1].name == "skills"


def test_a_configured_recipe_may_extend_the_built_in_one_of_its_name() -> None:
    """`[recipes.opal] extends = "opal"` changes opal here."""
    world = FakeWorld({"/p/overture.toml": 'recipe = "opal"\n[recipes.opal]\nextends = "opal"\nremove = ["identity"]'})
    found = overture.discover("opal", cwd="/p", world=world)
    assert found.state.tools


@pytest.mark.parametrize(
    "files",
    [
        {"/p/a.toml": 'extends = "a.toml"'},
        {"/p/a.toml": 'extends = "b.toml"', "/p/b.toml": 'extends = "../p/a.toml"'},
    ],
)
def test_a_circle_ends(files: dict[str, str]) -> None:
    """A recipe that extends itself, straight or around a corner, is an error that shows the circle."""
    with pytest.raises(RecipeError, match="extends itself"):
        overture.load_recipe("a.toml", cwd="/p", world=FakeWorld(files))


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "can't be read"),
        ({"/p/a.toml": "x ="}, "invalid TOML"),
        ({"/p/a.toml": b"\xff"}, "invalid TOML"),
        ({"/p/a.toml": '[[sections]]\nname = "x"\nfile = "gone.md"'}, "can't read its file '/p/gone.md'"),
        ({"/p/a.toml": '[[sections]]\nname = "x"\nfile = "b"', "/p/b": b"\xff"}, "is not UTF-8"),
        ({"/p/a.toml": '[[sections]]\nname = "x"\nfile = "b"\ntext = "c"', "/p/b": "b"}, "both a text and a file"),
        ({"/p/a.toml": "sections = 3"}, "sections: expected a list"),
    ],
)
def test_bad_files_are_one_clear_line(files: dict[str, str | bytes], words: str) -> None:
    """A recipe file that can't be used is one line that names it."""
    with pytest.raises(RecipeError) as caught:
        overture.load_recipe("a.toml", cwd="/p", world=FakeWorld(files))
    assert words in str(caught.value)


def test_recipe_from_an_installed_package(tmp_path: Path) -> None:
    """A package offers a recipe through the entry-point group `overture.recipes`."""
    (tmp_path / "greeter.py").write_text(
        "from overture import Recipe, section\n"
        "@section('hello')\n"
        "def hello(agent):\n"
        "    '''A greeting.'''\n"
        "    return f'Hello, {agent.name}.'\n"
        "RECIPE = Recipe('greeter', (hello,))\n"
    )
    info = tmp_path / "greeter-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: greeter\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[overture.recipes]\ngreeter = greeter:RECIPE\nbroken = greeter:NOTHING\n")
    command = [sys.executable, "-m", "overture", "build", "--no-discover", "--set", "agent.name=Ada"]
    environment = {"PYTHONPATH": str(tmp_path), "PATH": ""}
    good = subprocess.run([*command, "greeter"], capture_output=True, text=True, env=environment, check=False)
    assert (good.stdout, good.stderr, good.returncode) == ("Hello, Ada.\n", "", 0)
    bad = subprocess.run([*command, "broken"], capture_output=True, text=True, env=environment, check=False)
    assert bad.returncode == 2
    assert bad.stderr.startswith("error: Can't load recipe `broken` from `greeter:NOTHING`")
    assert bad.stderr.count("\n") == 1


def test_a_recipes_own_files_are_in_the_record() -> None:
    """The file of a section is the source of its words, line by line, and is listed among the files."""
    world = FakeWorld(
        {
            "/p/mine.toml": '[[sections]]\nname = "b"\nfile = "b.md"',
            "/p/b.md": "\nOne {{ runtime.cwd }}\nTwo",
        }
    )
    recipe = overture.load_recipe("mine.toml", cwd="/p", world=world)
    found = overture.discover(recipe, cwd="/p", world=world)
    prompt = overture.build(recipe, found.state)
    assert prompt.text == "One /p\nTwo"
    assert str(prompt.source_at(0)) == "/p/b.md:2"
    assert str(prompt.source_at(4)) == "state runtime.cwd"
    assert str(prompt.source_at(prompt.text.index("Two"))) == "/p/b.md:3"
    looked = [(look.path, look.outcome) for look in found.looked_at if look.what == "recipe"]
    assert looked == [("/p/mine.toml", "loaded"), ("/p/b.md", "loaded")]


def test_a_recipe_named_in_a_file_is_relative_to_that_file() -> None:
    """`recipe = "recipes/mine.toml"` is looked for beside the configuration that says so."""
    world = FakeWorld(
        {
            "/p/overture.toml": 'recipe = "recipes/mine.toml"',
            "/p/recipes/mine.toml": 'extends = "opal"\nremove = ["planning"]',
        },
        folders=("/p/deep/er",),
    )
    found = overture.discover(cwd="/p/deep/er", world=world)
    assert ("/p/recipes/mine.toml", "recipe") in [(look.path, look.what) for look in found.looked_at]


@pytest.mark.parametrize("folder", ["../out", "/etc", "~/x", ".sf/../.."])
def test_a_setting_leads_nowhere_else(folder: str) -> None:
    """A recipe's folder is a name inside the project or home; a path that is not a plain name is refused."""
    world = FakeWorld({"/p/overture.toml": f'[recipes.pi]\nfolder = "{folder}"'})
    with pytest.raises(overture.ConfigError, match="is not a plain name"):
        overture.discover("pi", cwd="/p", world=world)

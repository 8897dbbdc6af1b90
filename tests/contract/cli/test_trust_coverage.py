"""`overture trust` covers what a project's settings lead to: recipes with their texts, code behind links."""

import json
from pathlib import Path

import pytest

from .trusted_project import SECRET, make_project, overture, trust


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A project beside a folder with a file that its recipe wants."""
    make_project(tmp_path)
    (tmp_path / "out/other.md").write_text("Another file of the machine.")
    return tmp_path


def reach_out(top: Path, setting: str, recipe: str) -> Path:
    """A project whose recipe, with its text in a file outside, asks for more than the project's settings do."""
    (top / "p/overture.toml").write_text(f'recipe = "{setting}"\n')
    path = top / "p" / recipe
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'extends = "opal"\n[[sections]]\nname = "a"\nfile = "{top}/out/manual.md"\n')
    return path


@pytest.mark.parametrize("recipe", ["own.toml", "own/pyproject.toml"])
@pytest.mark.parametrize("change", ["recipe", "text"])
def test_what_a_recipe_alone_asks_for_is_approved_by_content(recipe: str, change: str, top: Path) -> None:
    """Settings that need no approval name a recipe that does: it is approved with its texts, as they are now."""
    path = reach_out(top, recipe, recipe)
    assert SECRET not in overture(top, "build").stdout
    assert {Path(each["path"]).name for each in trust(top, "--yes")["files"]} == {
        "overture.toml", path.name, "manual.md",
    }  # fmt: skip
    assert SECRET in overture(top, "build").stdout
    if change == "recipe":
        path.write_text(path.read_text().replace("manual.md", "other.md"))
    else:
        (top / "out/manual.md").write_text("Another file of the machine.")
    assert "Another file" not in overture(top, "build").stdout
    assert trust(top)["trust"] == "changed"


def test_a_recipe_behind_a_link_is_approved_where_it_is_read(top: Path) -> None:
    """`link/../own.toml` is the file in the project, as the recipe is opened; not that beside the link's target."""
    path = reach_out(top, "deep/link/../own.toml", "deep/own.toml")
    (top / "p/far/below").mkdir(parents=True)
    (top / "p/far/own.toml").write_text('extends = "opal"\n')
    (top / "p/deep/link").symlink_to("../far/below")
    assert str(path) in [each["path"] for each in trust(top, "--yes")["files"]]
    assert SECRET in overture(top, "build").stdout
    path.write_text(path.read_text().replace("manual.md", "other.md"))
    assert "Another file" not in overture(top, "build").stdout


@pytest.mark.parametrize("kind", ["text", "recipe", "tools"])
def test_text_from_outside_is_not_shown(kind: str, top: Path) -> None:
    """What a recipe or tools file brings from outside is in the difference only with `--read-outside`."""
    reach_out(top, "own.toml", "own.toml")
    (top / "out/own.toml").write_text(f'extends = "opal"\n[[sections]]\nname = "a"\ntext = "{SECRET}"\n')
    (top / "out/tools.json").write_text(json.dumps([{"name": "moor", "description": SECRET}]))
    if kind != "text":
        setting = {"recipe": 'recipe = "../out/own.toml"', "tools": 'recipe = "pi"\ntools = "../out/tools.json"'}
        (top / "p/overture.toml").write_text(f"{setting[kind]}\n")
    shown = "moor" if kind == "tools" else SECRET
    assert not [line for line in trust(top)["diff"] if shown in line]
    assert [line for line in trust(top, "--read-outside")["diff"] if shown in line]


@pytest.mark.parametrize("link", ["p/kit/helper.py", "p/kit/more"])
def test_code_behind_a_link_is_approved_with_its_extension(link: str, top: Path) -> None:
    """A module or folder of the package may be a link; what it leads to is covered, and so is compiled code."""
    for folder in ("p/kit", "p/far"):
        (top / folder).mkdir()
    (top / "p/kit/__init__.py").write_text("def setup(session): pass\n")
    (top / "p/kit/fast.so").write_bytes(b"\x7fELF")
    (top / "p/kit/circle").symlink_to(".")
    (top / "p/far/code.py").write_text("x = 1\n")
    (top / link).symlink_to("../far/code.py" if link.endswith(".py") else "../far")
    (top / "p/overture.toml").write_text('extensions = ["kit:setup"]\n')
    covered = [Path(each["path"]).relative_to(top / "p").as_posix() for each in trust(top, "--yes")["files"]]
    assert sorted(covered) == ["far/code.py", "kit/__init__.py", "kit/fast.so", "overture.toml"]
    (top / "p/far/code.py").write_text("x = 2\n")
    assert trust(top)["trust"] == "changed"


def test_a_name_that_leads_up_is_no_link(top: Path) -> None:
    """A recipe of the project may name a file above it: it is reported by that rule, and not read."""
    (top / "p/overture.toml").write_text('recipe = "own.toml"\n')
    (top / "p/own.toml").write_text('extends = "opal"\nwants.context.names = ["../out/manual.md"]\n')
    assert SECRET not in overture(top, "build").stdout
    [outside] = trust(top)["outside"]
    assert outside["why"] == f"outside the project: {top}/out/manual.md ({len(SECRET)} bytes), the recipe names it"


def test_the_answer_counts_the_files(top: Path) -> None:
    """One file is trusted as it is, several as they are."""
    (top / "p/overture.toml").write_text("features.git.enabled = true\n")
    assert overture(top, "trust", "--yes").stdout.splitlines()[-1].startswith("1 file trusted as it is now. ")
    reach_out(top, "own.toml", "own.toml")
    assert overture(top, "trust", "--yes").stdout.splitlines()[-1].startswith("3 files trusted as they are now. ")

"""Folders that the configuration names and that are not there are reported, with the key and the file."""

import json
from pathlib import Path
from typing import Any

import pytest

import overture
from overture.testing import FakeWorld

from ..cli.run import run
from .disk import came_of, find, link, names, put, put_skill

KEY = "features.skills.extra_dirs"


def said(top: Path, recipe: str = "opal", **more: Any) -> list[str]:
    """The lines on the configuration."""
    return [str(note) for note in find(top, recipe, **more).diagnostics if note.code == "config-missing"]


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    """One warning for each, with the folder as it was understood, the key, and the file that gives it."""
    file = put(tmp_path / "p/overture.toml", f'{KEY} = ["shared", "more"]\n')
    assert said(tmp_path) == [
        f"warning: {file}: {KEY} names '{tmp_path}/p/shared', which does not exist: create it, or use another path",
        f"warning: {file}: {KEY} names '{tmp_path}/p/more', which does not exist: create it, or use another path",
    ]
    (tmp_path / "p/shared").mkdir()
    (tmp_path / "p/more").mkdir()
    assert said(tmp_path) == []


def test_what_is_no_folder_is_reported_once(tmp_path: Path) -> None:
    """A file, a link to a file, a link to nothing and a link to itself are no folders; a link to one is."""
    put(tmp_path / "p/file", "x")
    (tmp_path / "p/folder").mkdir()
    for name, target in (("to-file", "file"), ("nowhere", "gone"), ("loop", "loop"), ("good", "folder")):
        link(tmp_path / "p" / name, target)
    for name, why in (
        ("file", "is not a folder: use another path"),
        ("to-file", "is not a folder: use another path"),
        ("nowhere", "is a symlink to gone, which does not exist: fix it, or use another path"),
        ("loop", "can't be used: it is a symlink loop"),
    ):
        found = find(tmp_path, config={KEY: [name]})
        [line] = [str(note) for note in found.diagnostics]
        assert line == f"warning: command line: {KEY} names '{tmp_path}/p/{name}', which {why}"
    assert find(tmp_path, config={KEY: ["good", "folder"]}).diagnostics == ()


def test_the_record_keeps_the_folder(tmp_path: Path) -> None:
    """What came of the folder is on record as before, and it is searched once it is there."""
    config = {"features.skills.extra_dirs": ["shared"]}
    first = find(tmp_path, config=config)
    assert came_of(first, tmp_path / "p/shared", "skill") == ("absent", "")
    put_skill(tmp_path / "p/shared/tide")
    assert names(find(tmp_path, config=config, since=first)) == ["tide"]


@pytest.mark.parametrize("recipe", ["opal", "pi", "moltis", "nova", "ptc", "house"])
def test_every_recipe_reports_it(tmp_path: Path, recipe: str) -> None:
    """Whether or not the recipe has skills, a folder that is named is meant to be there."""
    put(tmp_path / "p/overture.toml", 'features.skills.extra_dirs = ["shared"]\n')
    assert len(said(tmp_path, recipe)) == 1


def test_one_recipes_folders_concern_no_other(tmp_path: Path) -> None:
    """A folder that is named for one recipe is reported there; the nearest place counts alone."""
    put(tmp_path / "p/overture.toml", '[recipes.pi.features.skills]\nextra_dirs = ["shared"]\n')
    assert len(said(tmp_path, "pi")) == 1
    assert said(tmp_path, "opal") == []
    assert said(tmp_path, "pi", config={"features.skills.extra_dirs": []}) == []


def test_a_variable_and_the_users_file_are_named(tmp_path: Path) -> None:
    """The line says which variable or file gave the folder."""
    file = put(tmp_path / "home/.config/overture/overture.toml", 'features.skills.extra_dirs = ["~/notes"]\n')
    [line] = said(tmp_path)
    assert line.startswith(f"warning: {file}: features.skills.extra_dirs names '{tmp_path}/home/notes'")
    world = FakeWorld(environment={"OVERTURE_FEATURES_SKILLS_EXTRA_DIRS": "/gone"})
    [note] = overture.discover("opal", world=world).diagnostics
    assert (note.path, note.code) == ("OVERTURE_FEATURES_SKILLS_EXTRA_DIRS", "config-missing")


def test_a_session_reports_it_until_it_is_there(tmp_path: Path) -> None:
    """A session's prompt has the line, and loses it when the folder comes and it looks again."""
    put(tmp_path / "p/overture.toml", 'features.skills.extra_dirs = ["shared"]\n')
    session = overture.Session("opal", cwd=tmp_path / "p", root=tmp_path, home=tmp_path / "home")
    assert "config-missing" in {note.code for note in session.prompt.diagnostics}
    put_skill(tmp_path / "p/shared/tide")
    session.reload()
    assert "config-missing" not in {note.code for note in session.prompt.diagnostics}


def test_the_command_line_says_it(tmp_path: Path) -> None:
    """build, explain, skills and config name the folder; without discovery nothing is looked for."""
    (tmp_path / "home").mkdir()
    options = ["--home", str(tmp_path / "home"), "-c", "features.skills.extra_dirs=gone"]
    for words in (["build", "opal"], ["explain", "opal", "--json"], ["config", "opal"]):
        done = run(*words, *options, cwd=tmp_path)
        assert done.returncode == 0, words
        assert "features.skills.extra_dirs names" in done.stderr + done.stdout, words
    assert run("build", "opal", "--strict", *options, cwd=tmp_path).returncode == 1
    assert run("build", "opal", "--no-discover", *options, cwd=tmp_path).stderr == ""
    told = json.loads(run("explain", "opal", "--json", *options, cwd=tmp_path).stdout)
    assert [note["code"] for note in told["diagnostics"]] == ["config-missing"]

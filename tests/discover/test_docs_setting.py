"""`runtime.docs` in the configuration: where the harness's documentation lies."""

from pathlib import Path
from typing import Any

import pytest

import overture
from overture import ConfigError
from overture.model.state.agent_and_runtime import Docs
from tests.contract.cli.run import read_stdout
from tests.contract.discover.disk import find, put

HEAD = "Pi documentation (read only when the user asks about pi itself"


def docs(top: Path, recipe: str = "pi", **more: Any) -> Docs | None:
    """What is discovered of it."""
    runtime = find(top, recipe, **more).state.runtime
    return runtime.docs if runtime else None


def test_without_it_nothing_is_said(tmp_path: Path) -> None:
    """Where nothing is configured there is no documentation, and no heading."""
    assert docs(tmp_path) is None
    assert HEAD not in overture.build("pi", find(tmp_path, "pi").state).text


def test_a_file_gives_it(tmp_path: Path) -> None:
    """Paths begin at the file that gives them, `~` is home, and a URL stays as it is."""
    put(tmp_path / "docs/README.md", "x")
    put(tmp_path / "home/more.md", "x")
    text = (
        '[runtime.docs]\nmain = "docs/README.md"\nadditional = "~/more.md"\nexamples = "https://pi.example/examples"\n'
    )
    put(tmp_path / "overture.toml", text)
    found = find(tmp_path, "pi")
    assert found.diagnostics == ()
    assert docs(tmp_path) == Docs(
        f"{tmp_path}/docs/README.md", f"{tmp_path}/home/more.md", "https://pi.example/examples"
    )
    prompt = overture.build("pi", found.state).text
    lines = prompt.partition(HEAD)[2].split("\n")[1:4]
    assert lines == [
        f"- Main documentation: {tmp_path}/docs/README.md",
        f"- Additional docs: {tmp_path}/home/more.md",
        "- Examples: https://pi.example/examples",
    ]
    assert "- examples: https://pi.example/examples" in overture.build("house", find(tmp_path, "house").state).text


def test_the_heading_is_a_full_sentence(tmp_path: Path) -> None:
    """It begins as pi's document prints it, and no elision is left in it."""
    state = overture.State.from_dict({"runtime": {"docs": {"main": "/docs"}}})
    [heading] = [line for line in overture.build("pi", state).text.split("\n") if line.startswith(HEAD)]
    assert heading.endswith("):")
    assert "..." not in heading
    assert "…" not in heading


def test_pyproject_variable_and_command_line(tmp_path: Path) -> None:
    """The nearest place counts, key by key, and one recipe's own before the general one."""
    put(tmp_path / "p/pyproject.toml", '[tool.overture.runtime.docs]\nmain = "https://one"\nexamples = "https://two"\n')
    assert docs(tmp_path) == Docs("https://one", None, "https://two")
    assert docs(tmp_path, config={"runtime.docs.main": "https://three"}) == Docs("https://three", None, "https://two")
    assert docs(tmp_path, config={"runtime.docs.main": ""}) == Docs(None, None, "https://two")
    put(
        tmp_path / "p/overture.toml",
        'runtime.docs.main = "https://one"\n[recipes.pi.runtime.docs]\nmain = "https://pi"\n',
    )
    assert docs(tmp_path) == Docs("https://pi")
    assert docs(tmp_path, "house") == Docs("https://one")


def test_a_recipe_of_the_configuration_may_have_its_own(tmp_path: Path) -> None:
    """A table that defines a recipe may hold the setting too."""
    put(
        tmp_path / "p/overture.toml",
        '[recipes.mine]\nextends = "pi"\n[recipes.mine.runtime.docs]\nmain = "https://mine"\n',
    )
    assert docs(tmp_path, "mine") == Docs("https://mine")
    assert docs(tmp_path) is None


def test_the_state_wins(tmp_path: Path) -> None:
    """What a state gives goes over it, field by field, in a session and on the command line alike."""
    put(tmp_path / "p/overture.toml", '[runtime.docs]\nmain = "https://one"\nexamples = "https://two"\n')
    given = {"runtime": {"docs": {"main": "https://mine"}}}
    session = overture.Session("pi", cwd=tmp_path / "p", root=tmp_path, home=tmp_path / "home", state=given)
    assert session.prompt.state.runtime is not None
    assert session.prompt.state.runtime.docs == Docs("https://mine", None, "https://two")
    assert session.prompt.state.runtime.cwd == str(tmp_path / "p")
    (tmp_path / "home").mkdir()
    options = ["--cwd", str(tmp_path / "p"), "--home", str(tmp_path / "home")]
    text = read_stdout("build", "pi", *options, "--set", "runtime.docs.main=https://mine")
    assert "- Main documentation: https://mine\n" in text
    assert "- Examples: https://two\n" in text
    text = read_stdout("build", "pi", *options, "-c", "runtime.docs.additional=https://more")
    assert "- Main documentation: https://one\n- Additional docs: https://more\n- Examples: https://two\n" in text


def test_what_is_wrong_with_it_is_said(tmp_path: Path) -> None:
    """A path that is not there is reported; a wrong type or an unknown key is an error."""
    file = put(tmp_path / "p/overture.toml", 'runtime.docs.main = "docs"\n')
    [note] = find(tmp_path, "pi").diagnostics
    assert str(note) == (
        f"warning: {file}: runtime.docs.main names '{tmp_path}/p/docs', "
        "which does not exist: create it, or use another path"
    )
    put(tmp_path / "p/docs", "a file will do")
    assert find(tmp_path, "pi").diagnostics == ()
    for text, word in (("runtime.docs.main = 7", "runtime.docs.main"), ('runtime.docs.man = "x"', "runtime.docs.main")):
        put(file, text)
        with pytest.raises(ConfigError, match=word):
            find(tmp_path, "pi")

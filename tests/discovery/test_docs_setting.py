"""`runtime.docs` in the configuration: where the harness's documentation lies."""

from pathlib import Path
from typing import Any

import pytest

import overture
from overture import ConfigError
from overture.model.state.agent_and_runtime import Docs
from tests.contract.cli.run import read_stdout
from tests.contract.discovery.disk import find, put

HEAD = "Pi documentation (read only when the user asks about pi itself"


def docs(top: Path, recipe: str = "pi", **more: Any) -> Docs | None:
    """What is discovered of it."""
    runtime = find(top, recipe, **more).state.runtime
    return runtime.docs if runtime else None


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

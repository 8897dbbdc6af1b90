"""Extensions of the configuration and of packages: whose count, and where."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from overture import ConfigError, Session
from tests.contract.cli.run import run as run_overture

from .test_extensions import _modules, at, put, registering, said, tools

__all__ = ["_modules"]
USER = "home/.config/overture/overture.toml"


def listing(*specs: str, **more: str) -> str:
    """A configuration that gives these extensions."""
    lines = [f"{key} = {value}" for key, value in more.items()]
    return "\n".join([f"extensions = [{', '.join(map(repr, specs))}]", *lines]) + "\n"


def untrusted(live: Session) -> list[Any]:
    """What the last turn says about trust."""
    return [note for note in live.record[-1].diagnostics if note.code == "extension-untrusted"]


@pytest.mark.parametrize("form", ["overture.toml", "pyproject.toml"])
def test_a_project_that_nobody_trusts(form: str, tmp_path: Path) -> None:
    """Its extensions are not loaded; one line names the file, and the very line that would let them be loaded."""
    head = "[tool.overture]\n" if form == "pyproject.toml" else ""
    file = put(tmp_path / f"p/{form}", head + listing("x:setup"))
    put(tmp_path / "p/x.py", "raise SystemExit\n")
    live = at(tmp_path)
    live.turn("Go")
    (note,) = live.record[-1].diagnostics
    folder = os.path.realpath(tmp_path / "p")
    line = f'trusted = ["{folder}"]'
    assert (note.code, note.path) == ("extension-untrusted", str(file))
    assert note.message.endswith(f"write at the top of {tmp_path / USER}: {line}")
    assert live.prompt.diagnostics == ()
    put(tmp_path / USER, f"{line}\n")
    put(tmp_path / "p/x.py", registering("x"))
    live.turn("/reload")
    assert tools(live) == ["x"]
    assert said(live) == []


@pytest.mark.parametrize(
    "folder", ["{top}/p", "{top}", "{top}/p/../p", "~/link", "{top}/nowhere", "{top}/p/sub", "{top}/pp"]
)
@pytest.mark.parametrize("how", ["user", "environment", "program"])
def test_who_may_trust(folder: str, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's file, the environment and the program trust folders and all below them, by their real paths."""
    put(tmp_path / "p/overture.toml", listing("x:setup"))
    put(tmp_path / "p/x.py", registering("x"))
    (tmp_path / "pp").mkdir()
    (tmp_path / "p/sub").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "home/link").symlink_to(tmp_path / "p")
    path = folder.format(top=tmp_path)
    config = None
    if how == "user":
        put(tmp_path / USER, f'trusted = ["{path}"]\n')
    elif how == "environment":
        monkeypatch.setenv("OVERTURE_TRUSTED", path)
    else:
        config = {"trusted": [path]}
    live = at(tmp_path, config=config)
    live.turn("Go")
    good = folder.endswith(("top}", "top}/p", "../p", "link"))
    assert tools(live) == (["x"] if good else [])
    assert len(untrusted(live)) == (not good)


@pytest.mark.parametrize(
    "line",
    ['trusted = ["."]', 'trusted = ["/"]', "[recipes.pi]\ntrusted = ['/']", "[features.extensions]\nenabled = true"],
)
def test_a_project_can_not_trust_itself(line: str, tmp_path: Path) -> None:
    """Trust in a project's own file counts for nothing, in whatever form, and is reported."""
    file = put(tmp_path / "p/overture.toml", listing("x:setup") + line)
    put(tmp_path / "p/x.py", registering("x"))
    live = at(tmp_path)
    if "recipes" in line:
        with pytest.raises(ConfigError, match=r"recipes\.pi\.trusted"):
            live.turn("Go")
        return
    live.turn("Go")
    assert tools(live) == []
    assert len(untrusted(live)) == 1
    if line.startswith("trusted"):
        (note,) = live.prompt.diagnostics
        assert (note.code, note.path) == ("config-untrusted", str(file))
        assert "a project can't trust itself" in note.message


@pytest.mark.parametrize("trusted", [False, True])
def test_a_project_takes_nothing_from_the_user(trusted: bool, tmp_path: Path) -> None:
    """The user's extensions are loaded whatever a project lists; only one that is trusted may switch them off."""
    put(tmp_path / USER, listing("mine:setup", trusted=f"['{tmp_path}']" if trusted else "[]"))
    put(tmp_path / "home/.config/overture/mine.py", registering("mine"))
    put(tmp_path / "p/overture.toml", "extensions = []\n")
    live = at(tmp_path)
    live.turn("Go")
    assert tools(live) == ["mine"]
    assert untrusted(live) == []
    put(tmp_path / "p/overture.toml", "[features.extensions]\nenabled = false\n")
    live.turn("/reload")
    assert tools(live) == ([] if trusted else ["mine"])
    assert len(untrusted(live)) == (not trusted)


def test_a_project_does_not_switch_them_on(tmp_path: Path) -> None:
    """What the user switched off stays off where nobody trusts the project; saying what counts anyway is no matter."""
    put(tmp_path / USER, listing("mine:setup") + "[features.extensions]\nenabled = false\n")
    put(tmp_path / "home/.config/overture/mine.py", registering("mine"))
    put(tmp_path / "p/overture.toml", "[features.extensions]\nenabled = true\n")
    live = at(tmp_path)
    live.turn("Go")
    assert tools(live) == []
    put(tmp_path / USER, listing("mine:setup"))
    live.turn("/reload")
    assert tools(live) == ["mine"]
    assert said(live) == []


@pytest.mark.parametrize("place", ["environment", "program", "file"])
def test_a_module_is_looked_for_beside_a_file_only(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that the environment or a program gives is never found in the project: it can't put itself in between."""
    put(tmp_path / "lib/harbor_kit.py", registering("installed"))
    put(tmp_path / "p/harbor_kit.py", registering("project"))
    sys.path.insert(0, str(tmp_path / "lib"))
    options: dict[str, Any] = {}
    if place == "environment":
        monkeypatch.setenv("OVERTURE_EXTENSIONS", "harbor_kit:setup")
    elif place == "program":
        options = {"extensions": ["harbor_kit:setup"]}
    else:
        put(tmp_path / "p/overture.toml", listing("harbor_kit:setup"))
        options = {"config": {"trusted": [str(tmp_path)]}}
    live = at(tmp_path, **options)
    live.turn("Go")
    assert tools(live) == (["project"] if place == "file" else ["installed"])


def package(top: Path, name: str, points: str) -> None:
    """An installed package with these entry points."""
    info = top / f"{name}-1.0.dist-info"
    put(info / "METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    put(info / "entry_points.txt", f"[overture.extensions]\n{points}\n")


def test_an_installed_package_brings_one(tmp_path: Path) -> None:
    """An entry point is loaded without a word of configuration, unless that switches it off."""
    package(tmp_path / "lib", "harbor-kit", "b = harbor_kit:setup\na = harbor_kit:other\nc = harbor_kit:nothing")
    put(
        tmp_path / "lib/harbor_kit.py",
        registering("kit")
        + "def other(session):\n    session.register({'parameters': {'type': 'object'}, 'name': 'o'})\n",
    )
    sys.path.insert(0, str(tmp_path / "lib"))
    live = at(tmp_path)
    live.turn("Go")
    assert tools(live) == ["o", "kit"]
    (line,) = said(live)
    assert line.startswith("extension 'harbor_kit:nothing of package harbor-kit' is not loaded: the module has no")
    put(tmp_path / "lib/harbor_kit.py", registering("new"))
    live.turn("/reload")
    assert sorted(tools(live)) == ["new", "o"]
    off = at(
        tmp_path,
        config={"features.extensions.enabled": False},
        extensions=[lambda s: s.register({"parameters": {"type": "object"}, "name": "g"})],
    )
    off.turn("Go")
    assert tools(off) == ["g"]
    assert said(off) == []


def run(top: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """The command line as a process, in `top`/p."""
    return run_overture(*words, cwd=top / "p", HOME=str(top / "home"))


def test_the_command_line(tmp_path: Path) -> None:
    """`config` shows them; `build` says why it does not."""
    put(tmp_path / "p/overture.toml", listing("x.py:setup"))
    put(tmp_path / "p/x.py", registering("kit"))
    (tmp_path / "home").mkdir()
    shown = run(tmp_path, "config", "pi", "-c", "trusted=.")
    rows = {line.split()[0]: line.split()[1:] for line in shown.stdout.splitlines()}
    assert rows["extensions"] == ['["x.py:setup"]', "overture.toml"]
    assert rows["trusted"][1:] == ["command", "line"]
    assert rows["features.extensions.enabled"] == ["true", "default"]
    refused = run(tmp_path, "build", "pi").stderr
    assert refused.startswith(f"warning: {tmp_path / 'p/overture.toml'}: line 1: 'extensions' has no effect: ")
    assert refused.count("\n") == 1

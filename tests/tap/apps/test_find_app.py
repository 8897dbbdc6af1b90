"""An app is found by its bundle or its name, and what is wrong with one is said in a line."""

import os
import plistlib
import socket
import sys
from pathlib import Path

import pytest

from overture.errors import ConfigError
from overture.tap.programs.apps.find_app import located
from overture.tap.programs.apps.profile import own_profile, profile_words
from overture.tap.programs.named_program import named_program

from .bundle import bundle


def test_a_bundle_is_its_program(tmp_path: Path) -> None:
    """As its Info.plist names it, also where that is binary; words behind it stay."""
    made = bundle(tmp_path)
    program = str(made / "Contents" / "MacOS" / "The Rose")
    assert located([f"{made}/", "--wait"], {}) == (program, "--wait")
    (made / "Contents" / "Info.plist").write_bytes(
        plistlib.dumps({"CFBundleExecutable": "The Rose"}, fmt=plistlib.FMT_BINARY)
    )
    assert located([str(made)], {}) == (program,)


def test_a_known_app_is_found_by_its_name(tmp_path: Path) -> None:
    """Among the user's own apps; a program of that name comes first."""
    made = bundle(tmp_path / "Applications", "Codex")
    environ = {"HOME": str(tmp_path), "PATH": str(tmp_path / "bin")}
    assert located(["codex-app"], environ) == (str(made / "Contents" / "MacOS" / "The Rose"),)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "codex-app").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "codex-app").chmod(0o755)
    assert located(["codex-app"], environ) == ("codex-app",)


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("/Applications/Codex.app", "codex-app"),
        ("/Applications/ChatGPT.app/Contents/MacOS/ChatGPT", "codex-app"),
        ("Claude.app/", "claude-desktop"),
        ("/Applications/Visual Studio Code.app", "vscode"),
        ("/Applications/Rose.app", "app"),
        ("/opt/rose.app/bin/claude", "claude"),
        ("cursor", "cursor-editor"),
        ("cursor-agent", "cursor"),
    ],
)
def test_an_app_is_known_by_its_bundle(word: str, name: str) -> None:
    """Or by the program in it; a folder that is only called so is none."""
    found = named_program([word])
    assert (found.program.name, found.name) == (name, "Rose" if name == "app" else found.program.names[0])


@pytest.mark.parametrize(
    ("info", "said"),
    [
        (b"no list", "can't be read"),
        (b"", "can't be read"),
        (b"<plist><dict><key>", "can't be read"),
        ({}, "names no program"),
        ({"CFBundleExecutable": "../../sh"}, "names no program"),
        ({"CFBundleExecutable": "Gone"}, "is not there"),
    ],
)
def test_a_bundle_that_is_none_is_refused(tmp_path: Path, info: bytes | dict[str, str], said: str) -> None:
    """One line, with what to do."""
    with pytest.raises(ConfigError, match=said) as raised:
        located([str(bundle(tmp_path, info=info))], {})
    assert "\n" not in str(raised.value) and "Give the path of the program itself" in str(raised.value)


def test_an_app_that_is_not_there_is_said(tmp_path: Path) -> None:
    """And no other is taken for it."""
    with pytest.raises(ConfigError, match="There is no app '/"):
        located([str(tmp_path / "Gone.app")], {})


def test_an_app_that_runs_already_is_said(tmp_path: Path) -> None:
    """By the lock in its own profile: who holds it, and what to do. A lock that a dead process left is none."""
    rose, environ = named_program(["/Applications/Rose.app"]), {"HOME": str(tmp_path)}
    profile = Path(own_profile(rose, environ))
    profile.mkdir(parents=True)
    lock = profile / "SingletonLock"
    lock.symlink_to(f"{socket.gethostname()}-{os.getpid()}")
    for given in (
        ["Rose.app"],
        ["Rose.app", f"--user-data-dir={profile}"],
        ["Rose.app", "--user-data-dir", str(profile)],
    ):
        with pytest.raises(ConfigError, match=rf"Rose runs already \(process {os.getpid()}\).*--new-profile"):
            profile_words(rose, given, environ)
    assert profile_words(rose, ["Rose.app"], environ, str(tmp_path / "new")) == [f"--user-data-dir={tmp_path / 'new'}"]
    lock.unlink()
    lock.symlink_to(f"elsewhere-{os.getpid()}")
    with pytest.raises(ConfigError, match=r"process \d+ of 'elsewhere'"):
        profile_words(rose, ["Rose.app"], environ)
    lock.unlink()
    lock.symlink_to(f"{socket.gethostname()}-99999999")
    assert profile_words(rose, ["Rose.app"], environ) == [f"--user-data-dir={profile}"]


def test_a_profile_is_where_the_system_has_it() -> None:
    """Below another folder on each system."""
    code = named_program(["code"])
    assert own_profile(code, {"HOME": "/h"}, "darwin") == "/h/Library/Application Support/Code"
    assert own_profile(code, {"HOME": "/h"}, "linux") == "/h/.config/Code"
    assert own_profile(code, {"APPDATA": "/a"}, "win32") == os.path.join("/a", "Code")
    assert own_profile(named_program(["claude"]), {"HOME": "/h"}, sys.platform) == ""

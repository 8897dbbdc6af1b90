"""`overture trust`: what a project asks for is shown, remembered by path and content, and asked for again."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from .run import assert_refused, run
from .trusted_project import SECRET, make_project, overture, trust


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A project whose settings name a folder of skills outside it."""
    make_project(tmp_path)
    (tmp_path / "out/mooring").mkdir()
    (tmp_path / "out/mooring/SKILL.md").write_text(f"---\nname: mooring\ndescription: {SECRET}\n---\n")
    (tmp_path / "p/overture.toml").write_text('recipe = "opal"\n[features]\nskills.extra_dirs = ["../out"]\n')
    return tmp_path


def build(top: Path) -> Any:
    """The prompt of the project."""
    return overture(top, "build")


def test_shown_approved_used_changed_and_asked_again(top: Path) -> None:
    """The whole way: reported, shown, trusted, used; after a change of the file reported as changed, and not used."""
    refused = build(top)
    assert SECRET not in refused.stdout
    assert "overture.toml: line 3: features.skills.extra_dirs" in refused.stderr
    assert f"overture trust {top}/p" in refused.stderr
    assert SECRET not in overture(top, "trust").stdout
    looked = overture(top, "trust", "--read-outside")
    assert looked.returncode == 1
    for word in ("features.skills.extra_dirs", f"{top}/out", SECRET, "--yes"):
        assert word in looked.stdout
    assert SECRET not in build(top).stdout
    assert overture(top, "trust", "--yes").returncode == 0
    used = build(top)
    assert (SECRET in used.stdout, used.stderr) == (True, "")
    with (top / "p/overture.toml").open("a") as file:
        file.write("# more\n")
    changed = build(top)
    assert SECRET not in changed.stdout
    assert "it has changed since it was approved" in changed.stderr
    assert "It changed since it was trusted." in overture(top, "trust").stdout
    overture(top, "trust", "--yes")
    assert SECRET in build(top).stdout


def test_the_file_is_the_users_alone(top: Path) -> None:
    """trust.json lies in the state folder, readable for the user only, and holds path and digest."""
    overture(top, "trust", "--yes")
    path = top / "home/.local/state/overture/trust.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    kept = json.loads(path.read_text())
    assert (kept["version"], list(kept["settings"])) == (1, [os.path.realpath(top / "p/overture.toml")])
    assert list(path.parent.iterdir()) == [path]
    run("trust", "--yes", "--home", top / "home", cwd=top / "p", XDG_STATE_HOME=str(top / "state"))
    assert (top / "state/overture/trust.json").exists()


def test_as_json(top: Path) -> None:
    """The report is data; it approves nothing by itself."""
    report = trust(top)
    assert set(report) == {"path", "config", "trust", "asks", "files", "diff", "remembered", "outside", "problem"}
    assert (report["trust"], report["remembered"]) == ("unknown", False)
    [asked] = report["asks"]
    assert asked == {
        "key": "features.skills.extra_dirs",
        "value": [f"{top}/out"],
        "why": f"it is outside {top}/p",
        "line": 3,
    }
    assert SECRET not in str(report)
    assert any(SECRET in line for line in trust(top, "--read-outside")["diff"])
    assert trust(top, "--yes")["remembered"] is True
    assert trust(top)["trust"] == "trusted"


def test_list_and_remove(top: Path) -> None:
    """What is trusted is listed with what became of it, and can be taken back."""
    overture(top, "trust", "--yes")
    assert [row["status"] for row in trust(top, "--list")["files"]] == ["trusted"]
    with (top / "p/overture.toml").open("a") as file:
        file.write("\n")
    assert [row["status"] for row in trust(top, "--list")["files"]] == ["changed"]
    assert trust(top, "--remove") == {"removed": [f"{top}/p/overture.toml"]}
    assert trust(top, "--list")["files"] == []
    assert overture(top, "trust", "--remove").returncode == 1
    assert overture(top, "trust", "--list").stdout == "Nothing is trusted.\n"


@pytest.mark.parametrize("what", ["own.toml", "said.md", "base.toml", "x.py"])
def test_what_it_pulls_in_is_trusted_with_it(what: str, top: Path) -> None:
    """A recipe's file, its texts, its base and the code of an extension: one that changes is asked for again."""
    (top / "p/overture.toml").write_text(
        'recipe = "own.toml"\nextensions = ["x:setup"]\n[features]\nskills.extra_dirs = ["../out"]\n'
    )
    (top / "p/own.toml").write_text('extends = "base.toml"\n[[sections]]\nname = "a"\nfile = "said.md"\n')
    (top / "p/base.toml").write_text('extends = "opal"\n')
    (top / "p/said.md").write_text("Said.")
    (top / "p/x.py").write_text("def setup(session): pass\n")
    overture(top, "trust", "--yes")
    assert SECRET in build(top).stdout
    with (top / "p" / what).open("a") as file:
        file.write("\n")
    changed = build(top)
    assert SECRET not in changed.stdout
    assert "it has changed since it was approved" in changed.stderr


def test_a_pyproject_is_trusted_by_its_own_table(top: Path) -> None:
    """A new dependency changes nothing; another setting does."""
    (top / "p/overture.toml").unlink()
    text = '[tool.overture]\nrecipe = "opal"\nfeatures.skills.extra_dirs = ["../out"]\n'
    (top / "p/pyproject.toml").write_text(text)
    overture(top, "trust", "--yes")
    assert SECRET in build(top).stdout
    (top / "p/pyproject.toml").write_text(f'[project]\nname = "p"\n{text}')
    assert SECRET in build(top).stdout
    (top / "p/pyproject.toml").write_text(text.replace("../out", "../out/"))
    assert SECRET not in build(top).stdout


def test_looking_runs_nothing(top: Path) -> None:
    """Neither an extension nor git is run to show what would change."""
    (top / "p/overture.toml").write_text('extensions = ["x:setup"]\nfeatures.git.enabled = true\n')
    (top / "p/x.py").write_text(f"open({str(top / 'ran')!r}, 'w')\n")
    (top / "p/.git/HEAD").write_text("ref: refs/heads/main\n")
    (top / "p/.git/config").write_text(f"[core]\nfsmonitor = touch {top / 'ran'}\n")
    report = trust(top)
    assert [asked["key"] for asked in report["asks"]] == ["extensions", "features.git.enabled"]
    assert not (top / "ran").exists()


def test_nothing_to_trust(top: Path) -> None:
    """A project that asks for nothing says so, and exits with 0."""
    (top / "p/overture.toml").write_text('recipe = "opal"\n')
    done = overture(top, "trust")
    assert (done.returncode, "Nothing needs approval here" in done.stdout) == (0, True)
    assert_refused(overture(top, "trust", top / "nowhere"), "nowhere", "does not exist")
    assert_refused(overture(top, "trust", top / "out/manual.md"), "manual.md", "is not a project's folder")


def test_a_folder_that_the_setting_lists_needs_no_more(top: Path) -> None:
    """`trusted` of the user's file goes on counting, for whatever lies there."""
    user = top / "home/.config/overture/overture.toml"
    user.parent.mkdir(parents=True)
    user.write_text(f'trusted = ["{top}"]\n')
    assert SECRET in build(top).stdout
    assert trust(top)["trust"] == "folder"


@pytest.mark.parametrize("content", ["{", "[]", '{"version": 2}', '{"files": {"/p": 1}}', "\x00", "[" * 5000])
def test_a_broken_trust_file_trusts_nothing(content: str, top: Path) -> None:
    """It is reported in one line; the prompt is built without what waits."""
    overture(top, "trust", "--yes")
    (top / "home/.local/state/overture/trust.json").write_text(content)
    done = build(top)
    assert (done.returncode, SECRET in done.stdout) == (0, False)
    assert "trust.json: it has no effect" in done.stderr
    assert_refused(overture(top, "trust"), "trust.json")

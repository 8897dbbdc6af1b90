"""An approval is of what was shown: in its place, as settings or as a text, with all that it uses."""

import json
from pathlib import Path
from typing import Any

import pytest

from overture import Session

from .run import run

WRITES = 'def setup(session):\n    open("ran", "w").write("{}")\n'
SERVER = {"command": "sh", "args": ["server.sh"]}


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """Two projects beside each other."""
    for folder in ("p/.git", "q/.git", "home"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


def trust(top: Path, project: str, *words: str) -> Any:
    """What `trust --json` says of a project."""
    return json.loads(
        run("trust", *words, "--json", "--home", top / "home", cwd=top / project, XDG_STATE_HOME="").stdout
    )


def warn(top: Path, project: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the first turn of a session in a project reports."""
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    with Session("pi", cwd=top / project, home=top / "home") as session:
        return "\n".join(map(str, session.turn("Hello").entry.diagnostics))


def test_servers_of_another_project_are_not_started_here(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link to a `.mcp.json` that is approved elsewhere would start this project's `server.sh`."""
    (top / "p/.mcp.json").write_text(json.dumps({"mcpServers": {"tides": SERVER}}))
    assert trust(top, "p", "--yes")["remembered"]
    (top / "q/.mcp.json").symlink_to("../p/.mcp.json")
    (top / "q/server.sh").write_text(f"touch {top}/ran\n")
    assert "it is a symlink that leaves" in warn(top, "q", monkeypatch)
    assert not (top / "ran").exists()
    assert trust(top, "q")["asks"] == []


def test_an_approved_text_is_no_approved_setting(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that was shown as a text of a recipe is asked about when it is used as settings in another folder."""
    (top / "p/sub").mkdir()
    (top / "p/overture.toml").write_text('recipe = "own.toml"\nfeatures.git.enabled = true\n')
    sections = [
        f'[[sections]]\nname = "{name[0]}"\nfile = "sub/{name}"\n' for name in ("brief.md", "kit.py", ".mcp.json")
    ]
    (top / "p/own.toml").write_text(f'extends = "pi"\n{"".join(sections)}')
    (top / "p/sub/brief.md").write_text('# Be brief.\nextensions = ["kit.py:setup"]\n')
    (top / "p/sub/overture.toml").symlink_to("brief.md")
    (top / "p/sub/kit.py").write_text(WRITES.format("sub"))
    (top / "p/sub/.mcp.json").write_text(json.dumps({"mcpServers": {"tides": SERVER}}))
    assert {Path(each["path"]).name: each["settings"] for each in trust(top, "p", "--yes")["files"]} == {
        "overture.toml": True, "own.toml": False, "brief.md": False, "kit.py": False, ".mcp.json": False,
    }  # fmt: skip
    below = trust(top, "p/sub")
    assert (below["trust"], [each["key"] for each in below["asks"]]) == ("unknown", ["extensions", "mcpServers.tides"])
    said = warn(top, "p/sub", monkeypatch)
    assert "extension-untrusted" in said or "'extensions' has no effect" in said
    assert "the MCP servers 'tides' are not started" in said


def test_all_of_a_text_named_pyproject_counts(top: Path) -> None:
    """Only settings are approved by Overture's own table; a text of that name is approved as a whole."""
    (top / "q/pyproject.toml").write_text("[tool.overture]\n")
    (top / "p/overture.toml").write_text('recipe = "own.toml"\n')
    (top / "p/own.toml").write_text('extends = "pi"\n[[sections]]\nname = "a"\nfile = "../q/pyproject.toml"\n')
    assert trust(top, "p", "--yes")["remembered"]
    (top / "q/pyproject.toml").write_text("[tool.overture]\n[project]\n")
    assert trust(top, "p")["trust"] == "changed"


@pytest.mark.parametrize("kind", ["file", "folder", "text"])
def test_more_files_than_are_approved_are_refused(kind: str, top: Path) -> None:
    """More than 1,000 files, or folders to look into, can't be reviewed: none is approved, and the reason is said."""
    (top / "p/kit").mkdir()
    (top / "p/kit/__init__.py").write_text(WRITES.format("kit"))
    for number in range(1_001):
        path = top / f"p/kit/a{number}"
        path.mkdir() if kind == "folder" else path.with_suffix(".py" if kind == "file" else ".md").write_text("#")
    sections = "".join(f'[[sections]]\nname = "a{number}"\nfile = "kit/a{number}.md"\n' for number in range(1_000))
    (top / "p/own.toml").write_text(sections)
    setting = 'features.git.enabled = true\nrecipe = "own.toml"' if kind == "text" else 'extensions = ["kit:setup"]'
    (top / "p/overture.toml").write_text(f"{setting}\n")
    shown = run("trust", "--yes", "--home", top / "home", cwd=top / "p", XDG_STATE_HOME="")
    assert shown.returncode == 1
    assert "it uses more than 1,000 files, too many to approve. To trust everything" in " ".join(shown.stdout.split())
    assert not trust(top, "p", "--yes")["remembered"]
    assert not (top / "home/.local/state/overture/trust.json").exists()


def test_a_file_too_large_to_approve_is_refused(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python imports compiled code of any size: code that grows beyond the limit does not stay approved."""
    (top / "p/kit").mkdir()
    (top / "p/kit/__init__.py").write_text("from .code import setup\n")
    (top / "p/kit/code.pyc").touch()
    (top / "p/overture.toml").write_text('extensions = ["kit:setup"]\n')
    assert trust(top, "p", "--yes")["remembered"]
    with (top / "p/kit/code.pyc").open("ab") as file:
        file.truncate(64 * 1024 * 1024 + 1)
    report = trust(top, "p", "--yes")
    assert (report["trust"], report["remembered"]) == ("changed", False)
    assert "over the limit" in report["problem"]
    assert "which has 67,108,865 bytes, over the limit" in warn(top, "p", monkeypatch)

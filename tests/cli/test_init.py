"""`overture init` and `overture compare`, as processes."""

import json
import subprocess
import tomllib
from pathlib import Path

import pytest

from .forked import run_overture


def overture(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    done = run_overture(args, b"", cwd, {})
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize(
    ("sign", "recipe"),
    [(".sf/SYSTEM.md", "pi"), ("OPAL.md", "opal"), (".opal/OPAL.md", "opal")],
)
def test_init_chooses_the_recipe_from_what_lies_there(tmp_path: Path, sign: str, recipe: str) -> None:
    """The recipe fits the files, and the written configuration is valid and takes effect."""
    (tmp_path / sign).parent.mkdir(exist_ok=True)
    (tmp_path / sign).write_text("x")
    assert overture("init", cwd=tmp_path).returncode == 0
    assert tomllib.loads((tmp_path / "overture.toml").read_text())["recipe"] == recipe
    values = json.loads(overture("config", "--json", cwd=tmp_path).stdout)
    assert values["recipe"]["value"] == recipe
    assert values["recipe"]["origin"].endswith("overture.toml")


def test_init_never_overwrites_without_force(tmp_path: Path) -> None:
    """A file that is there stays as it is, and the error says how to overwrite it."""
    (tmp_path / "overture.toml").write_text("# mine\n")
    refused = overture("init", cwd=tmp_path)
    assert refused.returncode == 2
    assert "--force" in refused.stderr
    assert (tmp_path / "overture.toml").read_text() == "# mine\n"
    assert overture("init", "--force", cwd=tmp_path).returncode == 0
    assert "recipe = " in (tmp_path / "overture.toml").read_text()


def test_every_commented_default_is_valid(tmp_path: Path) -> None:
    """The written file with all its comments taken away is still a valid configuration."""
    overture("init", "pi", cwd=tmp_path)
    path = tmp_path / "overture.toml"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(line.removeprefix("# ") if " = " in line else line for line in lines))
    done = overture("config", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_compare_tells_said_from_left_out(tmp_path: Path) -> None:
    """One state in two recipes: pi says the time, opal does not; both say the working directory."""
    state = {"runtime": {"cwd": "/p"}, "now": "2026-03-07T08:55:05-06:00", "tools": [{"name": "read_file"}]}
    (tmp_path / "s.json").write_text(json.dumps(state))
    done = overture("compare", "opal", "pi", "--no-discover", "--state", "s.json", "--json", cwd=tmp_path)
    rows = {row["fact"]["field"]: row["by"] for row in json.loads(done.stdout)["rows"]}
    assert rows == {
        "runtime.cwd": ["said", "said"],
        "now": ["left out", "said"],
        "tools[0]": ["shapes it", "said"],
    }
    shown = overture("compare", "opal", "pi", "--no-discover", "--state", "s.json", cwd=tmp_path).stdout
    assert "opal says 2 of 3 facts, pi says 3 of 3 facts" in shown

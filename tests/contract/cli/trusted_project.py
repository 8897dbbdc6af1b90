"""A project with something outside that it asks for, and the commands there with the home of the test."""

import json
from pathlib import Path
from typing import Any

from .run import run

SECRET = "Moor at low water."


def make_project(top: Path) -> Path:
    """A project `p` beside a folder with a file that it must not read unasked."""
    for folder in ("p/.git", "home", "out"):
        (top / folder).mkdir(parents=True)
    (top / "out/manual.md").write_text(SECRET)
    return top


def overture(top: Path, *words: str | Path, **environment: str) -> Any:
    """A command with the home of the test."""
    return run(*words, "--home", top / "home", cwd=top / "p", XDG_STATE_HOME="", **environment)


def trust(top: Path, *words: str | Path) -> Any:
    """What `trust --json` says."""
    return json.loads(overture(top, "trust", *words, "--json").stdout)

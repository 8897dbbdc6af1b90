"""Runs the steps of action.yml as a runner of GitHub does, with a `gh` that answers as GitHub does."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from ..discovery.repository import Repo

PROJECT = Path(__file__).parents[3]
ACTION = yaml.safe_load((PROJECT / "action.yml").read_text("utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
EXPRESSION = re.compile(r"\$\{\{ (inputs|steps\.report\.outputs)\.([\w-]+) \}\}")


class Runner:
    """A job on a checkout: `Runner(repo).run("Check and compare")`. Overture is installed unless a test does so."""

    def __init__(self, repo: Repo, folder: Path, inputs: Mapping[str, str] = {}, *, installed: bool = True) -> None:
        self.repo = repo
        self.temp = folder / "temp"
        self.home = folder / "home"
        self.inputs = {name: given["default"] for name, given in ACTION["inputs"].items()} | dict(inputs)
        for each in (self.temp, self.home):
            each.mkdir(parents=True)
        if installed:
            (self.temp / "overture-venv").symlink_to(sys.prefix)
        self.variables: dict[str, str] = {}

    def request(self, before: str, after: str, *, head: str | None = "o/r", number: int = 7) -> None:
        """The event is a pull request of these commits."""
        side = {"sha": after, "repo": head and {"full_name": head}}
        event = {"pull_request": {"number": number, "base": {"sha": before}, "head": side}}
        (self.temp / "event.json").write_text(json.dumps(event), "utf-8")

    def run(self, name: str) -> "subprocess.CompletedProcess[str]":
        """Run a step with its variables, in the checkout."""
        step = STEPS[name]
        own = {key: EXPRESSION.sub(self._evaluate, value) for key, value in step["env"].items()}
        job = {
            "PATH": os.environ["PATH"], "HOME": str(self.home), "RUNNER_TEMP": str(self.temp), "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(self.repo.folder), "GITHUB_REPOSITORY": "o/r", "GITHUB_ACTION_PATH": str(PROJECT),
            "GITHUB_EVENT_PATH": str(self.temp / "event.json"), "GITHUB_STEP_SUMMARY": str(self.temp / "summary"),
            "GITHUB_OUTPUT": str(self.temp / "output"),
            **{key: value for key, value in os.environ.items() if key.startswith(("PIP_", "SSL_"))},
        }  # fmt: skip
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=self.repo.folder,
            env=job | self.variables | own, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def _evaluate(self, match: "re.Match[str]") -> str:
        return self.inputs[match[2]] if match[1] == "inputs" else str(self.file)

    @property
    def file(self) -> Path:
        """The report, as the step gives it out."""
        return Path((self.temp / "output").read_text("utf-8").strip().removeprefix("file="))

    @property
    def report(self) -> str:
        """What is in it."""
        return self.file.read_text("utf-8")


GH = """#!{python}
import json, os, sys
from pathlib import Path

folder = Path(__file__).parent.parent
words = sys.argv[1:]
with open(folder / "requests", "a", encoding="utf-8") as file:
    file.write(json.dumps([words, os.environ.get("GH_TOKEN"), os.getcwd()]) + "\\n")
refusal = folder / "refusal"
if refusal.exists():
    sys.exit(refusal.read_text("utf-8"))
kept = folder / "comments"
comments = json.loads(kept.read_text("utf-8"))
if "--paginate" in words:
    for at in range(0, len(comments), 100):
        print(json.dumps(comments[at : at + 100]), end="")
    sys.exit()
name, _, value = words[-1].partition("=")
body = {{name: Path(value[1:]).read_text("utf-8")}}
if words[2] == "POST":
    comments.append({{"id": len(comments) + 1, "user": {{"type": "Bot"}}, **body}})
else:
    comments[int(words[3].rpartition("/")[2]) - 1].update(body)
kept.write_text(json.dumps(comments), "utf-8")
"""
"""Does what `gh api` does, with the comments of a pull request in a file."""


class FakeGitHub:
    """The comments of one pull request, and `gh` on the path of a runner."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        program = folder / "bin/gh"
        program.parent.mkdir(parents=True)
        program.write_text(GH.format(python=sys.executable), "utf-8")
        program.chmod(0o755)
        self.comments = []

    @property
    def comments(self) -> list[dict[str, Any]]:
        """All comments, as GitHub lists them, without their other fields."""
        found: list[dict[str, Any]] = json.loads((self.folder / "comments").read_text("utf-8"))
        return found

    @comments.setter
    def comments(self, comments: list[dict[str, Any]]) -> None:
        (self.folder / "comments").write_text(json.dumps(comments), "utf-8")

    @property
    def requests(self) -> list[tuple[list[str], str | None, str]]:
        """The words of each call of `gh api`, its token, and its folder."""
        file = self.folder / "requests"
        return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []

    def refuse(self, message: str) -> None:
        """From now on, GitHub refuses."""
        (self.folder / "refusal").write_text(message, "utf-8")

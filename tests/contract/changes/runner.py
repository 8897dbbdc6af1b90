"""Runs the steps of action.yml as a runner of GitHub does, and answers as GitHub's API does."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
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


class FakeGitHub:
    """The comments of one pull request."""

    def __init__(self) -> None:
        self.url = ""
        self.comments: list[dict[str, Any]] = []
        self.requests: list[tuple[str, str]] = []
        self.tokens: set[str | None] = set()
        self.refusal: int | None = None

    def answer(self, method: str, path: str, body: Any) -> Any:
        """What GitHub answers, without its other fields."""
        if method == "GET":
            page = int(path.rpartition("page=")[2]) - 1
            return self.comments[page * 100 : page * 100 + 100]
        if method == "POST":
            self.comments.append({"id": len(self.comments) + 1, "user": {"type": "Bot"}, **body})
            return self.comments[-1]
        comment = self.comments[int(path.rpartition("/")[2]) - 1]
        comment.update(body)
        return comment


@contextmanager
def serve_github() -> Iterator[FakeGitHub]:
    """GitHub's API on loopback."""
    fake = FakeGitHub()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"null")
            fake.requests.append((self.command, self.path))
            fake.tokens.add(self.headers["Authorization"])
            data = json.dumps({} if fake.refusal else fake.answer(self.command, self.path, body)).encode()
            self.send_response(fake.refusal or 200)
            self.send_header("Location", f"{fake.url}/elsewhere")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        fake.url = f"http://127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        try:
            yield fake
        finally:
            server.shutdown()

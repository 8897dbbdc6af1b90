"""Small fleets of real repositories, and `overture audit` over them."""

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.contract.cli.run import run
from tests.contract.discovery.repository import Repo

PAGE = "\n".join(f"- Rule {number}: keep functions short and name what they do." for number in range(12))


def make_repository(folder: Path, files: dict[str, str | bytes | None] | None = None) -> Repo:
    """A repository with one commit."""
    repo = Repo(folder)
    repo.commit("First", {"AGENTS.md": f"# Use tabs\n{PAGE}\n"} if files is None else files)
    return repo


def audit(*words: str | Path, out: Path, code: int = 0) -> dict[str, Any]:
    """The summary of an audit in one process, which ends with that exit code."""
    done = audit_process(*words, out=out)
    assert done.returncode == code, done.stderr
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary


def audit_process(*words: str | Path, out: Path) -> "subprocess.CompletedProcess[str]":
    """An audit in one process."""
    return run("audit", *words, "--out", out, "--processes", "1", "--json", cwd=out.parent)


def read_table(out: Path, table: str = "uses") -> list[dict[str, Any]]:
    """The rows of a table of an audit whose `out` is JSON Lines."""
    path = out if table == "uses" else out.with_suffix(f".{table}.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def read_row(out: Path, name: str) -> dict[str, Any]:
    """The row of a repository."""
    return next(row for row in read_table(out, "repositories") if row["repository"] == name)


def list_paths(out: Path, name: str | None = None) -> set[str]:
    """The files of which the table of uses tells."""
    return {row["path"] for row in read_table(out) if name in (None, row["repository"])}

"""Runs a command with the loopback for its only network, a made-up home, and no way back to the caller's."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.contract.agents.lab.folder import LAB

UNSHARE = ("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
PROJECT = Path(__file__).parents[3]


def run_inside(
    command: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    log: Path,
    reads: Sequence[str],
    seconds: int = 240,
    caching: Path | None = None,
) -> str:
    """Run once; what was sent is in the log. Comes back with the last line of complaint, empty where all went well.

    `caching` is a folder: the upstream caches as providers do, obeys what is written there, and the command has to end.
    """
    job = {"command": list(command), "cwd": str(cwd), "env": dict(env), "log": str(log), "reads": list(reads)}
    job |= {"caching": str(caching)} if caching else {}
    line = ["nice", "-n", "10", *UNSHARE, sys.executable, "-m", "tests.agents.lab.inside"]
    given = json.dumps({**job, "seconds": seconds, "keep": _kept()})
    done = subprocess.run(line, cwd=PROJECT, input=given, capture_output=True, text=True, timeout=seconds + 60)
    return done.stderr.strip().splitlines()[-1] if done.returncode and done.stderr.strip() else ""


def _kept() -> list[str]:
    """Folders below the caller's home without which nothing would run: Python, the project, the laboratory."""
    home = Path(os.path.expanduser("~"))
    needed = {Path(sys.base_prefix), Path(sys.prefix), PROJECT, LAB, *_pythons()}
    return sorted(str(path) for path in needed if path.is_relative_to(home))


def _pythons() -> list[Path]:
    """The installations of Python that agents in Python run on."""
    links = (LAB / "agents").glob("*/bin/python")
    return [link.resolve().parents[1] for link in links if link.exists()]

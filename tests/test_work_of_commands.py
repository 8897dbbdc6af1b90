"""How much a command does, counted in a fresh Python: what is opened, listed, started, scanned and encoded.

The numbers are exact. Whoever changes one has made all users' commands do more or less: more needs a reason.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from .discover.repository import Repo

COUNT = """
import contextlib, io, json, os, sys
opened, listed, started, scanned, encoded = [], [], [], [], []
def listen(event, words):
    if event == "open" and isinstance(words[0], str):
        opened.append(words[0])
    elif event in ("os.listdir", "os.scandir"):
        listed.append(str(words[0]))
    elif event in ("subprocess.Popen", "os.posix_spawn"):
        started.append(str(words[0]))
SCANS = {("scan", "text/scan_for_marks.py"), ("scan_many", "text/scan_for_marks.py")}
def follow(frame, event, what):
    code = frame.f_code
    if event == "call" and (code.co_name, code.co_filename.rpartition("/overture/")[2]) in SCANS:
        scanned.append(1)
    elif event == "c_call" and what.__name__ == "encode_ordinary":
        encoded.append(1)
from overture.cli.main import main
sys.addaudithook(listen)
sys.argv = ["overture", *sys.argv[1:]]
with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())), contextlib.suppress(SystemExit):
    sys.setprofile(follow)
    main()
sys.setprofile(None)
here = os.getcwd() + "/"
files = [path[len(here):] for path in opened if path.startswith(here)]
folders = [path[len(here):] for path in listed if path.startswith(here)]
print(json.dumps([
    {path: files.count(path) for path in sorted(set(files))}, len(folders), len(set(folders)),
    len(started), len(scanned), len(encoded),
]))
"""
FILES: dict[str, str | bytes | None] = {
    "AGENTS.md": "Run `make test`.\n",
    "CLAUDE.md": "@AGENTS.md\n\nSay why.\n",
    "README.md": "For people.\n",
    "Makefile": "test:\n\techo ok\n",
    "pkg/AGENTS.md": "Be brief.\n",
    ".agents/skills/press/SKILL.md": "---\nname: press\ndescription: Use it to print.\n---\nSteps.\n",
    **{f"src/folder_{number}/code.py": "pass\n" for number in range(20)},
}


class Work(NamedTuple):
    """What a command does in the project."""

    files: dict[str, int]
    """How often each file is opened."""
    listings: int
    folders: int
    """Folders that are listed; one that is listed twice is one too many."""
    processes: int
    scans: int
    """Texts, or groups of texts, that are looked through for what could be mistaken."""
    encoded: int
    """Texts whose tokens are counted."""


WORK = {
    (): Work(
        {
            ".agents/skills/press/SKILL.md": 1,
            "AGENTS.md": 1,
            "CLAUDE.md": 1,
            "CONTEXT.md": 2,
            "Makefile": 2,
            "README.md": 2,
            "pkg/AGENTS.md": 1,
        },
        listings=59,  # skills are searched for the agents that it shows, and not for the others
        folders=59,
        processes=0,
        scans=202,
        encoded=50,
    ),
    ("agents",): Work(
        {".agents/skills/press/SKILL.md": 1, "AGENTS.md": 1, "CLAUDE.md": 1, "pkg/AGENTS.md": 2},
        listings=38,
        folders=38,
        processes=0,
        scans=60,
        encoded=18,
    ),
    ("check",): Work(
        {
            ".agents/skills/press/SKILL.md": 1,
            "AGENTS.md": 1,
            "CLAUDE.md": 1,
            "Makefile": 2,
            "README.md": 1,
            "pkg/AGENTS.md": 1,
        },
        listings=33,  # it compares the most used agents, whether or not there is a sign of them
        folders=33,
        processes=0,
        scans=163,
        encoded=0,
    ),
    ("build",): Work(
        {".agents/skills/press/SKILL.md": 1, "AGENTS.md": 1, "CLAUDE.md": 1},
        listings=2,
        folders=2,
        processes=0,
        scans=111,
        encoded=0,
    ),
}


@pytest.mark.parametrize("words", WORK, ids=lambda words: " ".join(words) or "bare")
def test_a_command_does_as_much_as_before(words: tuple[str, ...], tmp_path: Path) -> None:
    """Nothing is kept from an earlier run: this is what the first one does in a small project."""
    Repo(tmp_path / "p").commit("Begin", FILES)
    (tmp_path / "home").mkdir()
    # Variables such as SHELL are facts of a prompt: only those that this test names.
    environment = {
        "PATH": os.environ["PATH"],
        "SHELL": "/bin/sh",
        "HOME": str(tmp_path / "home"),
        "OVERTURE_CACHE": "off",
    }
    command = [sys.executable, "-c", COUNT, *words]
    done = subprocess.run(command, cwd=tmp_path / "p", env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert Work(*json.loads(done.stdout.splitlines()[-1])) == WORK[words]

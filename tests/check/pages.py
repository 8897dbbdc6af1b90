"""The pages of the checks, taken apart: their headings, and the files of their two examples."""

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import overture

PAGES = Path(overture.__file__).parent / "check" / "pages"
HEADINGS = ("## Why", "## How to fix it", "## Fires", "## Does not fire")
FILE = re.compile(
    r"^(?P<fence>`{3,})(?P<language>\w+) (?P<path>\S+)\n(?P<text>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL
)
TIMES = re.compile(r"^(.*)\n… ([\d,]+) times$", re.MULTILINE)
CHARACTER = re.compile(rb"\\(?:u\{([0-9A-F]{2,6})\}|x\{([0-9A-F]{2})\})")


class File(NamedTuple):
    """A file of an example."""

    language: str
    path: str
    text: str


def codes() -> list[str]:
    """The codes that have a page."""
    return sorted(path.stem for path in PAGES.glob("*.md") if path.stem != "README")


def example(code: str, heading: str) -> list[File]:
    """The files under one of the two last headings of a page."""
    text = (PAGES / f"{code}.md").read_text(encoding="utf-8").partition(f"\n{heading}\n")[2]
    part = re.split(r"^## ", text, flags=re.MULTILINE)[0] if heading == "## Fires" else text
    return [File(m["language"], m["path"], m["text"]) for m in FILE.finditer(part)]


def lay(files: list[File], folder: Path) -> tuple[Path, Path, Path | None]:
    """Write the files of an example: the project, the home directory, and the state, if there is one."""
    project, home = folder / "project", folder / "home"
    (project / ".git").mkdir(parents=True)
    home.mkdir()
    state = None
    for file in files:
        path = home / file.path[2:] if file.path.startswith("~/") else project / file.path
        if file.path == "state.json":
            path = state = folder / "state.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        if file.language == "renames":
            rename_in_git(project, *file.text.split())
        elif file.language == "link":
            os.symlink(file.text.strip(), path)
        else:
            path.write_bytes(written(file.text))
    return project, home, state


def rename_in_git(project: Path, old: str, new: str) -> None:
    """Give the project a history in which a file was moved; it lies where it was moved to."""
    os.rmdir(project / ".git")
    for words in ("init -q", "add -A", "commit -qm before", f"mv {old} {new}", "commit -qm after"):
        if words == "add -A":
            os.rename(project / new, project / old)
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@harbor.invalid", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *words.split()], cwd=project, check=True)


def written(text: str) -> bytes:
    """The bytes of a file, with what stands for others."""
    text = TIMES.sub(lambda m: "\n".join([m[1]] * int(m[2].replace(",", ""))), text)
    return CHARACTER.sub(lambda m: chr(int(m[1], 16)).encode() if m[1] else bytes([int(m[2], 16)]), text.encode())

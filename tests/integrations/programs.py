"""The programs that pages of the manual show as whole files, for the tests that run them with real frameworks."""

import re
import runpy
from contextlib import chdir
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"
FILE = re.compile(r"^```\w+ (?P<name>\S+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def read_files(page: str) -> dict[str, str]:
    """The files that a page shows, by their names."""
    return {found["name"]: found["text"] for found in FILE.finditer((DOCS / page).read_text("utf-8"))}


def run_program(page: str, name: str, folder: Path) -> dict[str, Any]:
    """What a program of a page defines, run in a folder with the other files of that page."""
    for path, text in read_files(page).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    with chdir(folder):
        return runpy.run_path(str(folder / name), run_name="__main__")

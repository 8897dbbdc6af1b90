"""The examples of docs/ptc.md run as they stand."""

import re
from pathlib import Path
from typing import Any

import pytest

from ...cli.forked import run_line

PAGE = (Path(__file__).parents[4] / "docs" / "ptc.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"^```console\n\$ (.*?)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_python_examples_run() -> None:
    """The blocks run from top to bottom, each with the names of those before it."""
    names: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        exec(block, names)


@pytest.mark.parametrize(("command", "output"), CONSOLE)
def test_console_examples_print_what_they_show(command: str, output: str) -> None:
    """A command prints what stands below it."""
    assert run_line(command) == output

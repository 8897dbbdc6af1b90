"""No value that stands in a list begins another item, and none that stands on one line begins another line."""

import copy
import re
from collections.abc import Iterator
from typing import Any

import pytest

import overture
from overture.testing import make_state

from .full_state import FULL

pytestmark = pytest.mark.slow


ENDS = ("\n", "\r", "\u2028", "\x0b", "\x85")
LINES = re.compile("[\n\r\u2028\u2029\x0b\x0c\x85]")
BLOCKS = {
    "agent.identity", "agent.instructions", "agent.soul", "context_files.0.content", "workspace_files.0.content",
    "overrides.append", "overrides.system", "mission.prompt", "mission.data.port", "skills.0.description",
    "servers.0.instructions",
}  # fmt: skip
"""Texts of many lines, that stand in a frame of their own or in an element."""
TOOLS = re.compile(r"tools\.\d+\.(description|snippet|parameters\..*)")
"""The same, below a tool's heading or in a code block."""


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all texts in a state."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*path, index))


def with_text(data: dict[str, Any], path: tuple[str | int, ...], text: str) -> dict[str, Any]:
    """The state with another text there."""
    changed = copy.deepcopy(data)
    at: Any = changed
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = text
    return changed


def is_single(path: tuple[str | int, ...]) -> bool:
    """Whether the text there has no room of its own."""
    name = ".".join("0" if isinstance(key, int) else key for key in path)
    return name not in BLOCKS and not TOOLS.match(name) and not name.endswith("signature")


SINGLE = [path for path in places(FULL) if is_single(path)]


@pytest.mark.parametrize("path", SINGLE, ids=lambda path: ".".join(map(str, path)))
def test_it_begins_no_item(path: tuple[str | int, ...]) -> None:
    """Whatever ends a line: names, paths, titles, memories, steps and facts stay where they stand."""
    for end in ENDS:
        forged = f"x{end}- forged{end}* forged{end}1. forged"
        try:
            state = make_state(**with_text(FULL, path, forged))
        except overture.OvertureError:
            continue  # not every text may stand there
        for recipe in ("opal", "pi", "moltis", "nova", "ptc", "house"):
            prompt = overture.build(recipe, state)
            said = "\n".join([prompt.text, *(message.text for message in prompt.messages)])
            assert [line for line in LINES.split(said) if re.match(r" ?(-|\*|1\.) forged", line)] == []

"""Tools -> tools that may stand in a request: their names, descriptions and schemas go through the gate."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from ...model.admitted import AdmittedTool
from ...model.diagnostic import Diagnostic, warning
from ...model.state.tool import Tool
from .admit import admit, admit_tool
from .guard import NOBODY, PASSED, Guard
from .report_foreign_text import Contained

PROSE = ("description", "title", "$comment")
"""Keys of a schema whose texts are for reading. All others are what a call has to match, and are guarded less."""

Found = list[tuple[str, Contained]]


class Passed(NamedTuple):
    """The tools as they may be sent, and what was done to them."""

    tools: tuple[AdmittedTool, ...]
    notes: tuple[Diagnostic, ...] = ()


def admit_tools(tools: Iterable[Tool], guard: Guard) -> Passed:
    """Let tools through; a tool with nothing to mend is the same object."""
    passed, notes = list[AdmittedTool](), list[Diagnostic]()
    for tool in tools:
        clean, found = _passed(tool, guard)
        passed.append(admit_tool(clean))
        notes += [warning(one.code, f"tool {tool.name!r:.80}: {where}: {one.message}") for where, one in found]
    return Passed(tuple(passed), tuple(notes))


def _passed(tool: Tool, guard: Guard) -> tuple[Tool, Found]:
    said = (tool.name, tool.description, tool.parameters)
    try:
        # The same tools come with every request: what is known of a text need not be looked for again.
        known = _known(msgspec.json.encode(said), guard)
    except (UnicodeEncodeError, msgspec.ValidationError, TypeError):
        known = _looked(said, guard)
    (name, about, schema), found = known
    return (replace(tool, name=name, description=about, parameters=schema) if found else tool), found


@lru_cache(maxsize=4096)
def _known(said: bytes, guard: Guard) -> tuple[Any, Found]:
    return _looked(msgspec.json.decode(said), guard)


def _looked(said: Any, guard: Guard) -> tuple[Any, Found]:
    found: Found = []
    name, about, schema = said

    def through(text: str, where: str, guard: Guard, single: bool = False) -> str:
        clean, done = admit(text, guard, single=single)
        found.extend((where, one) for one in done)
        return clean

    clean = (
        through(name, "its name", guard, single=True),
        about and through(about, "its description", guard),
        _within(schema, "its schema", through, guard),
    )
    return clean, found


def _within(value: Any, where: str, through: Callable[..., str], guard: Guard, prose: bool = False) -> Any:
    """A value of JSON with every text in it let through, keys included."""
    if isinstance(value, str):
        return through(value, where, guard if prose else PASSED if guard.shows else NOBODY)
    if isinstance(value, dict):
        return dict(_entries(value, where, through, guard))
    if isinstance(value, list | tuple):
        return [_within(item, where, through, guard, prose) for item in value]
    return value


def _entries(value: dict[Any, Any], where: str, through: Callable[..., str], guard: Guard) -> Iterator[tuple[Any, Any]]:
    for key, item in value.items():
        name = through(key, f"a key of {where}", PASSED if guard.shows else NOBODY) if isinstance(key, str) else key
        yield name, _within(item, f"{where}, {name}", through, guard, key in PROSE)

"""The ways to say a tool: its name and a line, or its name, description and parameters in full."""

import json
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from ..model.diagnostic import Diagnostic
from ..model.line_breaks import line_breaks
from ..model.recipe.body import Group, Part
from ..model.source import from_state
from ..model.state.tool import Tool
from ..text.graphemes import boundary
from ..text.normalize import one_line, tidy
from .shorten_text import briefer
from .signature.tool_schema import parameters_of

MORE = "[{shown} of {all} tools are described: there is no room for the others.]"


ANYTHING = {"type": "object", "properties": {}}
"""The schema of a tool that says nothing about its arguments."""


def broken_names(tools: Iterable[tuple[int, Tool]]) -> tuple[Diagnostic, ...]:
    """The reports of names of tools that hold a line break, which no line of the list says."""
    broken = [(index, tool.name) for index, tool in tools if not tool.name.isprintable()]
    return tuple([note for index, name in broken for note in line_breaks(f"tools[{index}].name", name)])


def line(index: int, tool: Tool, said: str, field: str) -> Part:
    """`- name: what it does`, or the name alone."""
    name = one_line(tool.name)
    source = from_state(f"tools[{index}].{field if said else 'name'}")
    return Part(f"{name}: {said}" if said else name, source, tool.name, None, "- ", leaner=leaner_line)


def leaner_line(part: Part) -> tuple[str, ...]:
    """Less of what it does, down to the first sentence; the name."""
    name, colon, said = part.text.partition(": ")
    return (*[f"{name}: {shorter}" for shorter in briefer(said)], name) if colon else ()


def short_line(index: int, tool: Tool, most: int) -> Part:
    """`- name: description`, at most so many characters of it: the provider has the rest."""
    said = one_line(tool.description or "")
    if len(said) <= most:
        return line(index, tool, said, "description")
    cut = line(index, tool, f"{said[: boundary(said, most)]}...", "description")
    return replace(cut, whole=f"{one_line(tool.name)}: {said}")


def in_full(index: int, tool: Tool, level: str, headings: tuple[str, ...]) -> Group:
    """`### name`, the description, and the schema of its parameters; it can't write the heading of another tool."""
    where = f"tools[{index}]"
    parts = [
        Part(one_line(tool.name), from_state(f"{where}.name"), name=tool.name, before=f"{level} "),
        Part(tidy(tool.description or "")[0], from_state(f"{where}.description"), name=tool.name, guard=headings),
    ]
    if parameters_of(tool) is not None or not parts[1].text:
        schema = from_state(f"{where}.parameters")
        parts.append(Part(schema_of(tool), schema, name=tool.name, before="```json\n", after="\n```"))
    return Group(tuple(parts), sep="\n\n", leaner=leaner_tool)


def leaner_tool(tool: Group) -> tuple[Group, ...]:
    """Its parameters on one line, and without their descriptions; less of its own, to the first sentence; its name."""
    name, about, *schemas = [part for part in tool.parts if isinstance(part, Part)]
    forms: list[tuple[Part, ...]] = []
    for schema in schemas:
        given = json.loads(schema.text)
        dense = [replace(schema, text=_dense(each), marks=None) for each in (given, _undescribed(given))]
        forms = [*((name, about, each) for each in dense), (name, about)]
    words = [replace(about, text=said, marks=None) for said in briefer(one_line(about.text))]
    return tuple([Group(form, sep="\n\n") for form in (*forms, *((name, line) for line in words), (name,))])


def _dense(schema: Any) -> str:
    return json.dumps(schema, separators=(",", ":"), ensure_ascii=False)


def _undescribed(schema: Any) -> Any:
    """The schema without what is said about its parameters; one that is called `description` stays."""
    if isinstance(schema, list):
        return [_undescribed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key != "description" or not isinstance(value, str)}
    return {key: _undescribed(value) for key, value in kept.items()}


def schema_of(tool: Tool) -> str:
    """The JSON Schema of its parameters, with sorted keys: the same bytes whoever made it."""
    # Not msgspec: half a surrogate pair, which a program may put into a description, would stop it.
    return json.dumps(parameters_of(tool) or ANYTHING, indent=2, sort_keys=True, ensure_ascii=False)

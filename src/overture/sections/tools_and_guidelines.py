"""Tools in a prompt: a line or the full schema for each, and the guidelines that follow from them."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from ..model.diagnostic import Diagnostic, report_line_breaks
from ..model.recipe.body import Group, Part
from ..model.recipe.cut_to_beginning import shorter_lines
from ..model.recipe.rule import Rule
from ..model.safe_text import SafeTool
from ..model.source import from_rule, from_state
from ..model.tool import Tool
from ..text.normalize import tidy, to_one_line
from ..text.scan_for_marks import scan
from ..text.truncate import grapheme_boundary

GUIDELINES_REST = "- [{shown} of {all} guidelines are given: there is no room for the others.]"


def active_names(tools: Iterable[Tool]) -> frozenset[str]:
    """The names of the tools that can be called: on them depends which guidelines and sections a prompt has."""
    return frozenset(tool.name for tool in tools if not tool.planning_only)


def fired_guidelines(rules: Iterable[Rule], tools: Iterable[Tool]) -> Iterator[Part]:
    """A bullet for each text of each rule whose condition holds for these tools."""
    names = active_names(tools)
    for rule in rules:
        if rule.when.holds(names):
            tool = rule.when.rests_on(names)
            for text in rule.texts:
                yield Part(text, from_rule(rule.name), name=rule.name, before="- ", trusted=True, goes_with=tool)


def tool_guidelines(tools: Iterable[Tool]) -> Iterator[Part]:
    """A bullet for each guideline of a tool."""
    for index, tool in enumerate(tools):
        for text in tool.guidelines:
            text_line, source = format_guideline(text), from_state(f"tools[{index}].guidelines")
            # A separate line could equal the heading of a project file, which only another section guards.
            guard = tuple(line for _, line in scan(text_line).headings) if "\n" in text_line else ()
            yield Part(text_line, source, name=tool.name, before="- ", guard=guard, goes_with=tool.name)


def format_guideline(text: str) -> str:
    """A trimmed guideline; its further lines are indented, so that they belong to its bullet."""
    lines = text.strip().splitlines()
    if len(lines) < 2:
        return lines[0] if lines else ""
    first, *others = [line.rstrip() for line in lines]
    if not all(line.startswith(("  ", "\t")) or not line for line in others):
        others = [f"  {line}" if line else "" for line in others]
    return "\n".join((first, *others))


def guidelines(rules: Iterable[Rule], tools: tuple[Tool, ...]) -> Group | None:
    """The rules of the table, then the guidelines of the tools, then the rules that always come last."""
    table = tuple(rules)
    first = fired_guidelines([rule for rule in table if not rule.last], tools)
    last = fired_guidelines([rule for rule in table if rule.last], tools)
    return bullets([*first, *tool_guidelines(tools), *last])


def bullets(parts: Iterable[Part]) -> Group | None:
    """The parts, such as guidelines, as a list without duplicates; None if there are none."""
    unique: dict[str, Part] = {}
    for part in parts:
        if part.text:
            unique.setdefault(part.text, part)
    return Group(tuple(unique.values()), loose="fair", rest=GUIDELINES_REST) if unique else None


TOOLS_REST = "[{shown} of {all} tools are described: there is no room for the others.]"
MAX_DESCRIPTION_CHARS = 160
"""Characters of a description in a tool's line; the provider gets the full text."""
ANY_SCHEMA = {"type": "object", "properties": {}}
"""The schema of a tool that does not describe its arguments."""


def report_broken_names(tools: Iterable[tuple[int, Tool]]) -> tuple[Diagnostic, ...]:
    """The reports of line breaks in names of tools, which the list shows on one line."""
    broken = [(index, tool.name) for index, tool in tools if not tool.name.isprintable()]
    return tuple([note for index, name in broken for note in report_line_breaks(f"tools[{index}].name", name)])


def write_tools(tools: list[tuple[int, Tool]], *, native: bool) -> Group:
    """One line for each tool if the provider gets their schemas, otherwise each in full."""
    if native:
        return Group(tuple([write_short_tool_line(*each) for each in tools]), loose="fair", rest=TOOLS_REST)
    headings = tuple(f"### {to_one_line(tool.name)}" for _, tool in tools)
    described = tuple([write_tool_in_full(*each, headings) for each in tools])
    return Group(described, sep="\n\n", loose="fair", rest=TOOLS_REST)


def write_tool_line(index: int, tool: Tool, text: str, field: str) -> Part:
    """`- name: what it does`, or the name alone."""
    name = to_one_line(tool.name)
    source = from_state(f"tools[{index}].{field if text else 'name'}")
    return Part(f"{name}: {text}" if text else name, source, tool.name, "- ", leaner=list_shorter_tool_lines)


def list_shorter_tool_lines(part: Part) -> tuple[str, ...]:
    """Shorter descriptions, down to the first sentence, then only the name."""
    name, colon, description = part.text.partition(": ")
    return (*[f"{name}: {shorter}" for shorter in shorter_lines(description)], name) if colon else ()


def write_short_tool_line(index: int, tool: Tool) -> Part:
    """`- name: description`, truncated: the provider gets the full description."""
    description = to_one_line(tool.description or "")
    if len(description) <= MAX_DESCRIPTION_CHARS:
        return write_tool_line(index, tool, description, "description")
    start = description[: grapheme_boundary(description, MAX_DESCRIPTION_CHARS)]
    cut = write_tool_line(index, tool, f"{start}...", "description")
    return replace(cut, whole=f"{to_one_line(tool.name)}: {description}")


def write_tool_in_full(index: int, tool: Tool, headings: tuple[str, ...]) -> Group:
    """`### name`, the description, and the schema of its parameters; it can't write the heading of another tool."""
    where = f"tools[{index}]"
    parts = [
        Part(to_one_line(tool.name), from_state(f"{where}.name"), name=tool.name, before="### "),
        Part(tidy(tool.description or "")[0], from_state(f"{where}.description"), name=tool.name, guard=headings),
    ]
    if find_tool_schema(tool) is not None or not parts[1].text:
        schema = from_state(f"{where}.parameters")
        parts.append(Part(dump_sorted_schema(tool), schema, name=tool.name, before="```json\n", after="\n```"))
    return Group(tuple(parts), sep="\n\n", leaner=list_shorter_tool_forms)


def list_shorter_tool_forms(tool: Group) -> tuple[Group, ...]:
    """Parameters on one line, then without their descriptions; a shorter description; only the name."""
    from json import dumps, loads

    name, about, *schemas = [part for part in tool.parts if isinstance(part, Part)]
    forms: list[tuple[Part, ...]] = []
    for schema in schemas:
        parsed = loads(schema.text)
        for value in (parsed, _drop_descriptions(parsed)):
            dense = dumps(value, separators=(",", ":"), ensure_ascii=False)
            forms.append((name, about, replace(schema, text=dense)))
        forms.append((name, about))
    words = [replace(about, text=text) for text in shorter_lines(to_one_line(about.text))]
    return tuple([Group(form, sep="\n\n") for form in (*forms, *((name, line) for line in words), (name,))])


def _drop_descriptions(schema: Any) -> Any:
    """The schema without descriptions; a parameter that is called `description` stays."""
    if isinstance(schema, list):
        return [_drop_descriptions(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    others = {key: value for key, value in schema.items() if key != "description" or not isinstance(value, str)}
    return {key: _drop_descriptions(value) for key, value in others.items()}


def dump_sorted_schema(tool: Tool) -> str:
    """The JSON Schema of its parameters with sorted keys, so that equal schemas give the same bytes."""
    from json import dumps

    # Not msgspec: it fails on half a surrogate pair, which a program may put into a description.
    return dumps(find_tool_schema(tool) or ANY_SCHEMA, indent=2, sort_keys=True, ensure_ascii=False)


def find_tool_schema(tool: Tool | SafeTool) -> dict[str, Any] | None:
    """The JSON Schema of its arguments: its own, or else that of its signature; None if it has neither."""
    if tool.parameters:
        return tool.parameters
    return make_signature_schema(tool.signature) if tool.signature else tool.parameters


@lru_cache(maxsize=1000)
def make_signature_schema(signature: str) -> dict[str, Any] | None:
    """The JSON Schema of a signature's parameters; None if the signature is invalid."""
    from ..errors import SignatureError
    from .signature import MapOf, parse_function
    from .signature_schemas import to_schema

    try:
        return to_schema(MapOf(parse_function(signature).params))
    except SignatureError:
        return None

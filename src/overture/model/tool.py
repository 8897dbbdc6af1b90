"""A tool that the model can call, the schema of its arguments, and what is odd about one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta, field
from msgspec.structs import force_setattr

from ..errors import StateError, show_value
from .diagnostic import Diagnostic, warning
from .struct import Frozen, note

MAX_SCHEMA_LEVELS = 100
"""Objects and lists within each other. No provider takes as many, and no reader of ours runs out of stack before it."""


def is_nested_deeper(value: Any, levels: int) -> bool:
    """Whether a JSON value has more levels of objects and lists; checked level by level, without recursion."""
    level = [value]
    for _ in range(levels + 1):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list | tuple)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        level = list({id(each): each for each in level}.values())  # a value that is in it twice is checked once
        if not level:
            return False
    return True


def check_schema_levels(name: object, schema: Any) -> None:
    """Refuse a schema that no reader could follow to its end."""
    if is_nested_deeper(schema, MAX_SCHEMA_LEVELS):
        raise StateError(
            f"the schema of the tool {name!r:.80} has more than {MAX_SCHEMA_LEVELS} levels.", hint="Flatten it."
        )


class Tool(Frozen, frozen=True):
    """One tool, for any recipe and provider."""

    name: Annotated[str, Meta(extra_json_schema={"pattern": r"[^\s\u001c-\u001f\u0085]"})]
    description: Annotated[str | None, note("what it does, for the provider's tool list")] = None
    parameters: Annotated[dict[str, Any] | None, note("JSON Schema of its arguments")] = None
    snippet: Annotated[str | None, note("its one line in a prompt's tool list")] = None
    guidelines: Annotated[tuple[str, ...], note("guidelines that appear while it is active")] = ()
    signature: Annotated[str | None, note("(param :type) -> type, without the name")] = None
    planning_only: Annotated[bool, note("shown for planning only, never called")] = False
    strict: Annotated[bool | None, note("whether the provider enforces the schema")] = None
    returns: Annotated[dict[str, Any] | None, note("JSON Schema of its result, if known")] = None
    foreign: Annotated[dict[str, Any], note("keys of a vendor's own format: stored, reported, not sent")] = {}
    server: Annotated[str | None, note("the MCP server that has it")] = None
    prompt_snippet: Annotated[str | None, note("alias of `snippet`")] = field(default=None, name="promptSnippet")
    prompt_guidelines: Annotated[tuple[str, ...] | None, note("alias of `guidelines`")] = field(
        default=None, name="promptGuidelines"
    )

    def __post_init__(self) -> None:
        if not str(self.name or "").strip():
            raise StateError(f"the name of a tool must not be empty ({self.name!r}).", hint="Set it.")
        for schema in (self.parameters, self.returns, self.foreign):
            check_schema_levels(self.name, schema)
        if self.prompt_snippet is not None:
            self._take("snippet", "prompt_snippet", "promptSnippet")
        if self.prompt_guidelines is not None:
            self._take("guidelines", "prompt_guidelines", "promptGuidelines")
        given: object = self.guidelines  # whatever a caller without a type checker passed
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise StateError(
                f"the guidelines of the tool {self.name!r:.80} must be a list, not {show_value(given)}.",
                hint="Put a single guideline in a list, too.",
            )
        # A list could change behind a prompt that takes its blocks over by identity.
        force_setattr(self, "guidelines", tuple(self.guidelines))

    def _take(self, name: str, other: str, spelled: str) -> None:
        """Two spellings of one thing: the code below knows only the first."""
        own, alias_value = getattr(self, name), getattr(self, other)
        if own and list(own) != list(alias_value):
            raise StateError(
                f"{name!r} ({own!r:.60}) and {spelled!r} ({alias_value!r:.60}) differ.", hint="Keep one of them."
            )
        force_setattr(self, name, alias_value)
        force_setattr(self, other, None)


Schema = dict[str, Any]


def takes(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """The schema of a tool's arguments: the required ones first, then the optional ones."""
    schema = {"type": "object", "properties": {**required, **(optional or {})}}
    return {**schema, "required": list(required)} if required else schema


def text(about: str) -> Schema:
    """The schema of a tool's argument that is a text."""
    return {"type": "string", "description": about}


def whole(about: str) -> Schema:
    """The schema of a tool's argument that is a whole number."""
    return {"type": "integer", "description": about}


def truth(about: str) -> Schema:
    """The schema of a tool's argument that is true or false."""
    return {"type": "boolean", "description": about}


def texts(about: str) -> Schema:
    """The schema of a tool's argument that is a list of texts."""
    return {"type": "array", "items": {"type": "string"}, "description": about}


def one_of(about: str, *values: str) -> Schema:
    """The schema of a tool's argument that is one of these texts."""
    return {"type": "string", "enum": list(values), "description": about}


def report_tools(tools: Sequence[Tool]) -> list[Diagnostic]:
    """A line for each tool that is not quite in order."""
    return [
        *report_duplicates(tools),
        *(vendor_keys(tool, f"tools[{i}]") for i, tool in enumerate(tools) if tool.foreign),
    ]


def vendor_keys(tool: Tool, field: str | None = None) -> Diagnostic:
    """The keys of a tool that belong to a vendor's own form; `field` is its path in a state."""
    where = f"{field}: " if field else "tool "
    message = (
        f"{where}{tool.name!r} has keys of another format, which are stored but not sent: {', '.join(tool.foreign)}"
    )
    advice = "remove them, or add them to the request yourself"
    return Diagnostic("warning", "tool-foreign", f"{message}; {advice}", field=field)


def report_duplicates(tools: Sequence[Tool]) -> list[Diagnostic]:
    """A line for each name that several tools have; the last of them is sent."""
    names = Counter(tool.name for tool in tools)
    return [
        warning("tool-duplicate", f"tools: {name!r} is given {times} times; keep one")
        for name, times in names.items()
        if times > 1
    ]

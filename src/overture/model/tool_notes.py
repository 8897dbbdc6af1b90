"""What is to be said about the tools of a state: those that are given twice, and keys that nobody is sent."""

from collections.abc import Sequence

from .diagnostic import Diagnostic, warning
from .tool import Tool


def tool_notes(tools: Sequence[Tool]) -> list[Diagnostic]:
    """A line for each tool that is not quite in order."""
    return [*_twice(tools), *(foreign_keys(tool, f"tools[{i}]") for i, tool in enumerate(tools) if tool.foreign)]


def foreign_keys(tool: Tool, field: str | None = None) -> Diagnostic:
    """The keys of a tool that belong to a vendor's own form; `field` is where it stands in a state."""
    where = f"{field}: " if field else "tool "
    said = f"{where}{tool.name!r} has keys of another's form, which are kept and not sent: {', '.join(tool.foreign)}"
    advice = "leave them out, or add them to the request yourself"
    return Diagnostic("warning", "tool-foreign", f"{said}; {advice}", field=field)


def _twice(tools: Sequence[Tool]) -> list[Diagnostic]:
    names = [tool.name for tool in tools]
    twice = dict.fromkeys(name for name in names if names.count(name) > 1) if len(set(names)) < len(names) else ()
    return [
        warning("tool-duplicate", f"tools: {name!r} is given {names.count(name)} times; give each tool once")
        for name in twice
    ]

"""Guidelines from a table of rules: one bullet for each text of each rule that fires."""

from collections.abc import Iterable, Iterator

from ..model.recipe.body import Group, Part
from ..model.recipe.rule import Rule
from ..model.source import from_rule, from_state
from ..model.state.tool import Tool
from ..text.scan import scan

MORE = "- [{shown} of {all} guidelines are given: there is no room for the others.]"


def active_names(tools: Iterable[Tool]) -> frozenset[str]:
    """The names of the tools that can be called."""
    return frozenset(tool.name for tool in tools if not tool.planning_only)


def fired(rules: Iterable[Rule], tools: Iterable[Tool]) -> Iterator[Part]:
    """A bullet for each text of each rule whose condition holds for these tools."""
    names = active_names(tools)
    for rule in rules:
        if rule.when.holds(names):
            tool = rule.when.rests_on(names)
            for text in rule.texts:
                yield Part(text, from_rule(rule.name), name=rule.name, before="- ", trusted=True, goes_with=tool)


def of_tools(tools: Iterable[Tool]) -> Iterator[Part]:
    """A bullet for each guideline that a tool brings along."""
    for index, tool in enumerate(tools):
        for text in tool.guidelines:
            said, source = bullet(text), from_state(f"tools[{index}].guidelines")
            # A line of its own could pose as the heading of a project file, which only another section knows.
            guard = tuple(line for _, line in scan(said).headings) if "\n" in said else ()
            yield Part(said, source, name=tool.name, before="- ", guard=guard, goes_with=tool.name)


def bullet(text: str) -> str:
    """A guideline trimmed; its further lines stay lines, so far in that they belong to its bullet and can't be one."""
    lines = text.strip().splitlines()
    if len(lines) < 2:
        return lines[0] if lines else ""
    first, *others = [line.rstrip() for line in lines]
    if not all(line.startswith(("  ", "\t")) or not line for line in others):
        others = [f"  {line}" if line else "" for line in others]
    return "\n".join((first, *others))


def guidelines(rules: Iterable[Rule], tools: tuple[Tool, ...]) -> Group | None:
    """The table's rules, then what the tools bring along, then the rules that always come last."""
    table = tuple(rules)
    first = fired([rule for rule in table if not rule.last], tools)
    last = fired([rule for rule in table if rule.last], tools)
    return bullets([*first, *of_tools(tools), *last])


def bullets(parts: Iterable[Part]) -> Group | None:
    """The parts as a list, exact duplicates once; None where there are none."""
    unique: dict[str, Part] = {}
    for part in parts:
        if part.text:
            unique.setdefault(part.text, part)
    return Group(tuple(unique.values()), loose="fair", rest=MORE) if unique else None

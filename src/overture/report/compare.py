"""One State in several recipes -> which facts each of them says, and which it leaves out."""

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec

from ..model.prompt import Prompt
from ..model.source import Source
from ..model.state import State
from ..model.struct import Frozen, note

SKIPPED = ("origins", "native_tools")
"""Fields that steer a prompt and are no facts to be said."""


class Fact(Frozen, frozen=True, omit_defaults=False):
    """One thing that the state knows."""

    field: Annotated[str, note("its path in the state, e.g. tools[2]")]
    label: Annotated[str, note("how a person would call it")]
    path: Annotated[str | None, note("the file that it came from")] = None


class Said(Frozen, frozen=True, omit_defaults=False):
    """A fact, and for each recipe whether it says it: in its own words, by a rule, or not at all."""

    fact: Fact
    by: Annotated[tuple[str, ...], note("one of said, by a rule, left out, for each recipe")]


class Comparison(Frozen, frozen=True, omit_defaults=False):
    """The facts of one state, side by side."""

    recipes: tuple[str, ...]
    rows: tuple[Said, ...]


def compare(prompts: tuple[Prompt, ...]) -> Comparison:
    """Put the prompts that several recipes make of one state side by side."""
    views = [_view(prompt) for prompt in prompts]
    rows = tuple(
        Said(fact, tuple(_how(fact, sources, tools) for sources, tools in views)) for fact in facts(prompts[0].state)
    )
    return Comparison(tuple(prompt.recipe.name for prompt in prompts), rows)


def facts(state: State) -> Iterator[Fact]:
    """Everything that the state gives: fields of objects, and each file, skill, tool, memory."""
    for name in State.__struct_fields__:
        value = getattr(state, name)
        if name in SKIPPED or value in (None, (), {}, False):
            continue
        if isinstance(value, tuple):
            for index, item in enumerate(value):
                yield _item(f"{name}[{index}]", item)
        elif isinstance(value, msgspec.Struct):
            yield from _fields(name, value)
        else:
            yield Fact(name, name)


def _item(field: str, item: Any) -> Fact:
    path = getattr(item, "path", None) or getattr(item, "location", None)
    label = getattr(item, "name", None) or path or str(item)
    return Fact(field, f"{field.partition('[')[0]}: {label}", path)


def _fields(name: str, value: msgspec.Struct) -> Iterator[Fact]:
    for key in value.__struct_fields__:
        if getattr(value, key) not in (None, (), {}, False):
            yield Fact(f"{name}.{key}", f"{name}.{key}")


def _view(prompt: Prompt) -> tuple[list[Source], frozenset[str]]:
    """The sources of a prompt, and the tools that its rules named."""
    blocks = (*prompt.blocks, *prompt.messages)
    sources = [span.source for block in blocks for span in block.spans]
    active = frozenset(tool.name for tool in prompt.state.tools)
    fired = [
        name
        for section in prompt.recipe.sections
        for rule in section.rules
        if rule.when.holds(active)
        for name in _names(rule.when)
    ]
    return sources, active.intersection(fired)


def _names(when: Any) -> Iterator[str]:
    yield from when.names
    for part in when.parts:
        yield from _names(part)


def _how(fact: Fact, sources: list[Source], by_rule: frozenset[str]) -> str:
    for source in sources:
        if source.kind == "file" and fact.path is not None and source.path == fact.path:
            return "said"
        name = source.name or ""
        if source.kind == "state" and (name == fact.field or name.startswith((fact.field + ".", fact.field + "["))):
            return "said"
    if fact.field.startswith("tools[") and fact.label.removeprefix("tools: ") in by_rule:
        return "by a rule"
    return "left out"

"""One State in several recipes -> which facts each of them says, and which it leaves out."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import msgspec

from ..assemble.build import build
from ..errors import OvertureError
from ..fit.fit import fit
from ..model.prompt.prompt import Prompt
from ..model.source import Source
from ..model.state.state import State
from ..model.struct import Frozen, note

How = Literal["said", "shapes it", "left out"]
"""said: its characters are in the prompt · shapes it: without it the prompt would be another · left out"""


class Fact(Frozen, frozen=True, omit_defaults=False):
    """One thing that the state knows."""

    field: Annotated[str, note("its path in the state, e.g. tools[2]")]
    label: Annotated[str, note("how a person would call it")]
    path: Annotated[str | None, note("the file that it came from")] = None


class Said(Frozen, frozen=True, omit_defaults=False):
    """A fact, and for each recipe whether it says it, is shaped by it, or leaves it out."""

    fact: Fact
    by: Annotated[tuple[How, ...], note("one for each recipe")]


class Comparison(Frozen, frozen=True, omit_defaults=False):
    """The facts of one state, side by side."""

    recipes: tuple[str, ...]
    rows: tuple[Said, ...]


def compare(prompts: tuple[Prompt, ...]) -> Comparison:
    """Put the prompts that several recipes make of one state side by side."""
    sources = [_sources(prompt) for prompt in prompts]
    rows = tuple(
        Said(fact, tuple(_how(fact, prompt, each) for prompt, each in zip(prompts, sources, strict=True)))
        for fact in facts(prompts[0].state)
    )
    return Comparison(tuple(prompt.recipe.name for prompt in prompts), rows)


def facts(state: State) -> Iterator[Fact]:
    """Everything that the state gives: fields of objects, and each file, skill, tool, memory."""
    for name in State.__struct_fields__:
        value = getattr(state, name)
        default = _default(State, name)
        if name == "origins" or value == default:
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
        if getattr(value, key) != _default(type(value), key):
            yield Fact(f"{name}.{key}", f"{name}.{key}")


def _default(struct: type[msgspec.Struct], name: str) -> Any:
    """What a field is when nobody gives it; None where it must be given."""
    field = next(field for field in msgspec.structs.fields(struct) if field.name == name)
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return None if field.default is msgspec.NODEFAULT else field.default


def _sources(prompt: Prompt) -> list[Source]:
    return [span.source for block in (*prompt.blocks, *prompt.messages) for span in block.spans]


def _how(fact: Fact, prompt: Prompt, sources: list[Source]) -> How:
    if any(_tells(source, fact) for source in sources):
        return "said"
    return "shapes it" if _shapes(fact, prompt) else "left out"


def _tells(source: Source, fact: Fact) -> bool:
    if source.kind == "file":
        return fact.path is not None and source.path == fact.path
    name = source.name or ""
    return source.kind == "state" and (name == fact.field or name.startswith((fact.field + ".", fact.field + "[")))


def _shapes(fact: Fact, prompt: Prompt) -> bool:
    """Whether the prompt would be another without this fact: that is the test, not what a section reads."""
    try:
        other = build(prompt.recipe, without(prompt.state, fact.field), since=prompt)
        if prompt.fitted is not None:
            other = fit(other, prompt.fitted.budget, prompt.counter)
    except OvertureError:
        return True
    return (other.text, _texts(other)) != (prompt.text, _texts(prompt))


def _texts(prompt: Prompt) -> list[str]:
    return [block.text for block in prompt.messages]


def without(state: State, path: str) -> State:
    """The state without one fact: `tools[2]`, `runtime.cwd` or `now`."""
    name, _, rest = path.replace("[", ".").partition(".")
    value = getattr(state, name)
    if isinstance(value, tuple):
        index = int(rest.rstrip("]"))
        return state.replace(**{name: value[:index] + value[index + 1 :]})
    if not rest:
        return state.replace(**{name: _default(State, name)})
    return state.replace(**{name: msgspec.structs.replace(value, **{rest: _default(type(value), rest)})})

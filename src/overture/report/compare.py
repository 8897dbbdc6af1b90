"""One State in several recipes -> which facts each of them says, and which it leaves out."""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

import msgspec

from ..assemble.build import build
from ..errors import OvertureError
from ..fit.fit import fit
from ..model.prompt.prompt import Prompt
from ..model.state.state import State
from ..model.struct import Frozen, note

How = Literal["said", "shapes it", "left out"]
"""said: its characters are in the prompt · shapes it: without it the prompt would be another · left out"""


STEP = re.compile(r"[.\[]")
"""Where a path of the state goes a step further."""


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
    known = tuple(facts(prompts[0].state))
    told = [_told(prompt, known) for prompt in prompts]
    rows = tuple(Said(fact, tuple(by[index] for by in told)) for index, fact in enumerate(known))
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


def _told(prompt: Prompt, known: Sequence[Fact]) -> list[How]:
    """What one recipe does with each fact."""
    sources = {span.source for block in (*prompt.blocks, *prompt.messages) for span in block.spans}
    paths = {source.path for source in sources if source.kind == "file" and source.path}
    fields = {name for source in sources if source.kind == "state" for name in _above(source.name or "")}
    said = {fact.field for fact in known if fact.path in paths or fact.field in fields}
    unsaid: dict[str, list[Fact]] = {}
    for fact in known:
        if fact.field not in said:
            unsaid.setdefault(fact.field.partition("[")[0], []).append(fact)
    shaping = {fact.field for group in unsaid.values() for fact in _shaping(group, prompt)}
    return ["said" if f.field in said else "shapes it" if f.field in shaping else "left out" for f in known]


def _above(name: str) -> Iterator[str]:
    """`tools[2].name` -> itself, `tools[2]` and `tools`."""
    yield name
    yield from (name[: mark.start()] for mark in STEP.finditer(name))


def _shaping(unsaid: list[Fact], prompt: Prompt) -> Iterator[Fact]:
    """Those of one field without which the prompt would be another: that is the test, not what a section reads.

    They are taken away together first: mostly none of them matters, and there may be thousands.
    """
    if not _matters([fact.field for fact in unsaid], prompt):
        return
    if len(unsaid) == 1:
        yield unsaid[0]
        return
    middle = len(unsaid) // 2
    for half in (unsaid[:middle], unsaid[middle:]):
        yield from _shaping(half, prompt)


def _matters(fields: Sequence[str], prompt: Prompt) -> bool:
    """Whether the prompt would be another without these."""
    try:
        other = build(prompt.recipe, without(prompt.state, *fields), since=prompt)
        if prompt.fitted is not None:
            other = fit(other, prompt.fitted.budget, prompt.counter)
    except OvertureError:
        return True
    return (other.text, _texts(other)) != (prompt.text, _texts(prompt))


def _texts(prompt: Prompt) -> list[str]:
    return [block.text for block in prompt.messages]


def without(state: State, path: str, *more: str) -> State:
    """The state without one fact, `tools[2]`, `runtime.cwd` or `now`; or without several of one list."""
    name, _, rest = path.replace("[", ".").partition(".")
    value = getattr(state, name)
    if isinstance(value, tuple):
        gone = {int(each.partition("[")[2].rstrip("]")) for each in (path, *more)}
        return state.replace(**{name: tuple([item for index, item in enumerate(value) if index not in gone])})
    if not rest:
        return state.replace(**{name: _default(State, name)})
    return state.replace(**{name: msgspec.structs.replace(value, **{rest: _default(type(value), rest)})})

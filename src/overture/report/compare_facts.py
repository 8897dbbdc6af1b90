"""Recipes are compared by the facts that their prompts state, skip or do not know."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import structs

from ..assemble.build import build
from ..errors import OvertureError
from ..fit.fit import fit
from ..model.prompt.prompt import Prompt
from ..model.state.state import State
from ..model.struct import Frozen, note

FactStatus = Literal["stated", "used", "skipped", "unknown"]
"""stated: its characters are in the prompt · used: the prompt would differ without it · skipped ·
unknown: the state of that prompt does not have it, such as a skill that the recipe does not look for"""

FactKey = tuple[str, str]
"""The identity of a fact in several states: its field, and its path, name or value."""


STEP = re.compile(r"[.\[]")
"""The start of each further step in a path of the state."""


class Fact(Frozen, frozen=True, omit_defaults=False):
    """One fact of the state."""

    field: Annotated[str, note("its path in the first state that has it, e.g. tools[2]")]
    label: Annotated[str, note("its name for people")]
    path: Annotated[str | None, note("the file that it came from")] = None


class FactRow(Frozen, frozen=True, omit_defaults=False):
    """A fact, and for each recipe whether it states it, depends on it, skips it, or does not know it."""

    fact: Fact
    by: Annotated[tuple[FactStatus, ...], note("one for each recipe")]


class Comparison(Frozen, frozen=True, omit_defaults=False):
    """The result of `compare`: a row for each fact, with its status in each recipe."""

    recipes: tuple[str, ...]
    rows: tuple[FactRow, ...]


def compare(prompts: tuple[Prompt, ...]) -> Comparison:
    """Compare prompts: of one state in several recipes, or each of the state that its recipe found."""
    known = [_collect_facts(prompt.state) for prompt in prompts]
    statuses = [
        dict(zip(own, _find_fact_statuses(p, tuple(own.values())), strict=True))
        for own, p in zip(known, prompts, strict=True)
    ]
    rows = tuple(
        FactRow(fact, tuple(by.get(key, "unknown") for by in statuses))
        for key, fact in _compare_together(known).items()
    )
    return Comparison(tuple(prompt.recipe.name for prompt in prompts), rows)


def _compare_together(known: list[dict[FactKey, Fact]]) -> dict[FactKey, Fact]:
    """The facts of all states, each once, in the order of State's fields; equal labels are extended."""
    rows = {key: fact for own in reversed(known) for key, fact in own.items()}
    keys = dict.fromkeys(key for own in known for key in own)
    counts = Counter(rows[key].label for key in keys)
    ordered = sorted(keys, key=lambda key: State.__struct_fields__.index(key[0].partition(".")[0]))
    for key in ordered:
        fact, more = rows[key], rows[key].path or key[1]
        if counts[fact.label] > 1 and not fact.label.endswith(more):
            rows[key] = structs.replace(fact, label=f"{fact.label}: {more}")
    return {key: rows[key] for key in ordered}


def _collect_facts(state: State) -> dict[FactKey, Fact]:
    """Every fact of the state: fields of objects, and each file, skill, tool and memory."""
    facts: dict[FactKey, Fact] = {}
    for name in State.__struct_fields__:
        value = getattr(state, name)
        if name == "origins" or value == _find_field_default(State, name):
            continue
        if isinstance(value, tuple):
            for index, item in enumerate(value):
                facts.setdefault((name, find_item_identity(item)), _make_item_fact(f"{name}[{index}]", item))
        elif isinstance(value, msgspec.Struct):
            facts.update(_list_field_facts(name, value, state))
        else:
            facts[name, str(value)] = Fact(name, name)
    return facts


def find_item_identity(item: Any) -> str:
    """The identity of a file, skill or tool in several states: its path, or else its name."""
    names = (getattr(item, field, None) for field in ("path", "location", "name"))
    return next((text for text in names if text), str(item))


def _make_item_fact(field: str, item: Any) -> Fact:
    """The fact that a state has a file, skill, tool or memory."""
    path = getattr(item, "path", None) or getattr(item, "location", None)
    label = getattr(item, "name", None) or path or str(item)
    return Fact(field, f"{field.partition('[')[0]}: {label}", path)


def _list_field_facts(name: str, value: msgspec.Struct, state: State) -> Iterator[tuple[FactKey, Fact]]:
    for key in value.__struct_fields__:
        actual, field = getattr(value, key), f"{name}.{key}"
        if actual != _find_field_default(type(value), key):
            origin = state.origins.get(field)
            yield (field, str(actual)), Fact(field, field, origin.path if origin else None)


def _find_field_default(struct: type[msgspec.Struct], name: str) -> Any:
    """The default of a field; None if it has no default."""
    field = next(field for field in msgspec.structs.fields(struct) if field.name == name)
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return None if field.default is msgspec.NODEFAULT else field.default


def _find_fact_statuses(prompt: Prompt, known: Sequence[Fact]) -> list[FactStatus]:
    """The status of each fact in one prompt."""
    sources = {span.source for block in (*prompt.blocks, *prompt.messages) for span in block.spans}
    paths = {source.path for source in sources if source.kind == "file" and source.path}
    fields = {name for source in sources if source.kind == "state" for name in _list_paths_above(source.name or "")}
    present = {fact.field for fact in known if fact.path in paths or fact.field in fields}
    absent: dict[str, list[Fact]] = {}
    for fact in known:
        if fact.field not in present:
            absent.setdefault(fact.field.partition("[")[0], []).append(fact)
    shaping = {fact.field for group in absent.values() for fact in _find_shaping_facts(group, prompt)}
    return ["stated" if f.field in present else "used" if f.field in shaping else "skipped" for f in known]


def _list_paths_above(name: str) -> Iterator[str]:
    """`tools[2].name` -> itself, `tools[2]` and `tools`."""
    yield name
    yield from (name[: mark.start()] for mark in STEP.finditer(name))


def _find_shaping_facts(absent: list[Fact], prompt: Prompt) -> Iterator[Fact]:
    """The facts of one field that change the prompt when they are dropped, whatever its sections read.

    All are dropped together first: mostly none of them matters, and there may be thousands.
    """
    if not _changes_prompt([fact.field for fact in absent], prompt):
        return
    if len(absent) == 1:
        yield absent[0]
        return
    middle = len(absent) // 2
    for half in (absent[:middle], absent[middle:]):
        yield from _find_shaping_facts(half, prompt)


def _changes_prompt(fields: Sequence[str], prompt: Prompt) -> bool:
    """Whether the prompt would differ without these fields."""
    try:
        other = build(prompt.recipe, drop_fact(prompt.state, *fields), since=prompt)
        if prompt.fitted is not None:
            other = fit(other, prompt.fitted.budget, prompt.counter)
    except OvertureError:
        return True
    texts, before = ([each.text, *(block.text for block in each.messages)] for each in (other, prompt))
    return texts != before


def drop_fact(state: State, path: str, *more: str) -> State:
    """The state without one of the compared facts, `tools[2]` or `now`; or without several of one list."""
    name, _, rest = path.replace("[", ".").partition(".")
    value = getattr(state, name)
    if isinstance(value, tuple):
        removed = {int(each.partition("[")[2].rstrip("]")) for each in (path, *more)}
        return state.replace(**{name: tuple([item for index, item in enumerate(value) if index not in removed])})
    if not rest:
        return state.replace(**{name: _find_field_default(State, name)})
    return state.replace(**{name: msgspec.structs.replace(value, **{rest: _find_field_default(type(value), rest)})})

"""Prompt -> how long it is, by section, pace and source, and next to what the system's own document says."""

from collections.abc import Iterable
from typing import Annotated

from ..assemble.build import build
from ..model.estimate import estimate
from ..model.prompt import Prompt
from ..model.recipe import Recipe
from ..model.source import Source
from ..model.state import State
from ..model.struct import Frozen, note


class Row(Frozen, frozen=True, omit_defaults=False):
    """A share of the prompt."""

    name: str
    chars: int
    tokens: int


class Sized(Frozen, frozen=True, omit_defaults=False):
    """A size that the system's document gives, beside the one that is measured."""

    name: str
    chars: int
    tokens: int
    document: Annotated[str, note("what the document says")]


class Stats(Frozen, frozen=True, omit_defaults=False):
    """How long a prompt is, and what makes it so."""

    recipe: str
    chars: int
    tokens: Annotated[int, note("an estimate")]
    sections: tuple[Row, ...]
    paces: tuple[Row, ...]
    sources: tuple[Row, ...]
    documented: tuple[Sized, ...]


def stats(prompt: Prompt) -> Stats:
    """Measure a prompt."""
    return Stats(
        prompt.recipe.name,
        len(prompt.text),
        estimate(prompt.text),
        _summed((block.name, block.text) for block in prompt.blocks),
        _summed((block.pace, block.text) for block in prompt.blocks),
        _summed((_place(span.source), prompt.text[span.start : span.end]) for span in prompt.spans),
        tuple(_documented(prompt)),
    )


def _summed(texts: Iterable[tuple[str, str]]) -> tuple[Row, ...]:
    rows: dict[str, Row] = {}
    for name, text in texts:
        had = rows.get(name, Row(name, 0, 0))
        rows[name] = Row(name, had.chars + len(text), had.tokens + estimate(text))
    return tuple(rows.values())


def _place(source: Source) -> str:
    if source.kind == "file":
        return source.path or "a file"
    return {"state": "the state", "rule": "rules", "recipe": "the recipe", "hook": "hooks"}[source.kind]


def _documented(prompt: Prompt) -> Iterable[Sized]:
    blocks = {block.name: block.text for block in prompt.blocks}
    for size in prompt.recipe.sizes:
        if size.state is not None:
            text = _sample(prompt.recipe, size.state)
        elif size.section in blocks:
            text = blocks[size.section]
        else:
            continue
        yield Sized(size.name, len(text), estimate(text), size.document)


def _sample(recipe: Recipe, state: State) -> str:
    return build(recipe, state).text

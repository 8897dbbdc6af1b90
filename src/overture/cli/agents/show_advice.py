"""Advice as a few lines."""

import posixpath
from collections.abc import Sequence
from typing import NamedTuple

from ...project.agents.advice.advice import Advice
from ..shared.terminal import dim, tell, visible

FEW = 6
"""Pieces of advice; with more than that, nobody reads them."""
NAMED = 3
"""Folders that are named in which the same holds."""


class Said(NamedTuple):
    """A sentence, and the other folders of which it is just as true."""

    sentence: str
    tokens: int
    likewise: list[str]


def show_advice(advice: Sequence[Advice], *, everything: bool = False) -> None:
    """One line each, what can be mended first; nothing where there is none."""
    said = together(advice)
    shown = said if everything else said[:FEW]
    for each in shown:
        tell(f"{visible(each.sentence)} {_likewise(each)}{dim(f'~{each.tokens:,} tokens')}", "  ")
    if left := len(said) - len(shown):
        tell(dim(f"and {left:,} more: --all shows them"), "  ")
    if any(each.change for each in advice):
        tell(dim("`overture agents --fix` writes what mends this, and shows it first."), "  ")


def together(advice: Sequence[Advice]) -> list[Said]:
    """The sentences, of those that differ in the folder alone the first."""
    found: dict[str, Said] = {}
    for each in advice:
        folder = posixpath.basename(posixpath.dirname(each.change.path)) if each.change else ""
        key = each.sentence.replace(f"{folder}/", "") if folder else each.sentence
        if key in found:
            found[key].likewise.append(folder)
            found[key] = found[key]._replace(tokens=found[key].tokens + each.tokens)
        else:
            found[key] = Said(each.sentence, each.tokens, [])
    return list(found.values())


def _likewise(said: Said) -> str:
    if not said.likewise:
        return ""
    rest = len(said.likewise) - NAMED
    named = [*said.likewise[:NAMED], *([f"{rest:,} more"] if rest > 0 else [])]
    return f"Likewise in {visible(', '.join(named))}. "

"""Advice as a few lines."""

from collections.abc import Sequence

from ...project.agents.advice.advice import Advice
from ..shared.terminal import counted, dim, tell, visible

FEW = 6
"""Pieces of advice; with more than that, nobody reads them."""


def show_advice(advice: Sequence[Advice], *, everything: bool = False) -> None:
    """One line each, what can be mended first; nothing where there is none."""
    shown = advice if everything else advice[:FEW]
    for each in shown:
        tell(f"{visible(each.sentence)} {dim(f'~{each.tokens:,} tokens')}", "  ")
    if left := len(advice) - len(shown):
        tell(dim(f"and {counted(left, 'more')}: --all shows them"), "  ")
    if any(each.change for each in advice):
        tell(dim("`overture agents --fix` writes what mends this, and shows it first."), "  ")

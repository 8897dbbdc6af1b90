"""Advice as a few lines."""

from collections.abc import Sequence

from ...terminal.terminal import dim, tell, visible
from ..advice.advice import Advice

FEW = 6
"""Pieces of advice; with more than that, nobody reads them."""
NAMED = 3
"""Files that one of them names besides."""


def show_advice(advice: Sequence[Advice]) -> None:
    """One line each, what can be mended first; nothing where there is none."""
    groups = alike(advice)
    for group in groups[:FEW]:
        tell(f"{visible(_sentence(group))} {dim(f'~{sum(each.tokens for each in group):,} tokens')}", "  ")
    if left := len(groups) - FEW if len(groups) > FEW else 0:
        tell(dim(f"and {left:,} more: `overture agents --fix` names them all"), "  ")
    if any(each.change for each in advice):
        tell(dim("`overture agents --fix` shows what would mend this, and writes it once you agree."), "  ")


def alike(advice: Sequence[Advice]) -> list[list[Advice]]:
    """Pieces that say the same of several folders, together."""
    groups: dict[object, list[Advice]] = {}
    for index, each in enumerate(advice):
        cause = each.sentence.rpartition(": ")[0]
        groups.setdefault((each.agents, cause, each.change.kind) if each.change and cause else index, []).append(each)
    return list(groups.values())


def _sentence(group: Sequence[Advice]) -> str:
    first, *others = group
    if not others or not first.change:
        return first.sentence
    paths = [each.change.said.partition(": ")[0] for each in others if each.change]
    more = [f"{len(paths) - NAMED:,} more"] if len(paths) > NAMED else []
    named = [*paths[:NAMED], *more]
    listed = " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)
    return f"{first.sentence.rstrip('.')}; and likewise {listed}."

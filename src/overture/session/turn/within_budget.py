"""The prompt within the session's budget: cut once, and then kept as it is until a reload."""

from collections.abc import Iterable, Sequence

from ...assemble.hook_edits import Change
from ...fit.fit import fit
from ...fit.kept_cuts import cut_again, kept_cuts
from ...model.prompt.cuts_and_omissions import KeptCut
from ...model.prompt.prompt import Prompt
from ..hooks.take_answers import applied
from ..options import Options

Changes = Iterable[tuple[str, Change]]
"""What hooks want changed, each with the hook's name."""


class Within:
    """What is shown of a prompt: all of it, counted with the session's counter, or what the budget has room for."""

    def __init__(self) -> None:
        self.whole: Prompt | None = None
        self.shown: Prompt | None = None

    def show(self, whole: Prompt, options: Options) -> Prompt:
        """The prompt as it is sent. The cuts of the turn before are kept in all but what may change every turn."""
        if self.shown is None or self.whole is not whole:
            self.whole, self.shown = whole, _cut(whole, options, self.shown)
        return self.shown

    def edited(self, base: Prompt, changes: Changes, options: Options) -> Prompt:
        """The prompt with the changes of hooks, for one turn; they count towards the budget like everything else."""
        if options.budget is None:
            return applied(base, changes)
        prompt = applied(base.fitted.whole if base.fitted else base, changes)
        return _cut(prompt, options, base) if prompt.edits != base.edits else base

    def forget(self) -> None:
        """Cut anew with the next turn."""
        self.whole = self.shown = None

    @property
    def cuts(self) -> tuple[KeptCut, ...]:
        """How far each block is cut, for a save."""
        return kept_cuts(self.shown) if self.shown is not None else ()

    def restore(self, whole: Prompt, options: Options, cuts: Sequence[KeptCut]) -> None:
        """Show a prompt as it was cut when it was saved."""
        if options.budget is None or not cuts:
            return
        counted = whole.counted(options.counter) if options.counter else whole
        self.shown = cut_again(counted, options.budget, cuts)
        self.whole = whole
        if options.budget.limit is not None and self.shown.tokens > options.budget.limit:
            # It was saved over its budget, or another counts now: then the next turn cuts, or says that it can't.
            self.forget()


def _cut(whole: Prompt, options: Options, since: Prompt | None) -> Prompt:
    if options.budget is not None:
        # There is always a turn before: what it has to cut, it cuts with room for the turns to come.
        return fit(whole, options.budget, options.counter, since=since or whole)
    return whole.counted(options.counter) if options.counter else whole


def recut(last: Prompt, prompt: Prompt) -> frozenset[str]:
    """The sections that say the same in both prompts, and of which the budget left more or less in the second."""
    trims = [each.fitted.trims if each.fitted else None for each in (last, prompt)]
    if trims[0] is trims[1]:
        return frozenset()
    before, now = ({r.name: r for r in (p.fitted.whole if p.fitted else p).results} for p in (last, prompt))
    was = {result.name: result for result in last.results}
    return frozenset(r.name for r in prompt.results if before.get(r.name) is now[r.name] and was[r.name] is not r)

"""The difference of two prompts of a recipe of one's own, each built of a revision."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ..discovery.tree_files import make_revision_world
from ..discovery.world import World
from ..errors import OvertureError
from ..model.prompt.prompt import Prompt
from ..model.prompt.saved_prompt import SavedPrompt, Tokens
from ..report.diff import Patch, diff
from ..terminal.gather_state import gather_state
from ..terminal.option_values import counter_for
from ..terminal.options import CommandOptions
from ..text.path_printer import readable_path
from ..tokens.counter import format_tokens
from ..tokens.load_tokenizer import find_counter
from .revisions import ReadTree, RevisionInfo, RevisionPair, check_complete, list_submodule_notes

NO_PROMPT = SavedPrompt("", "", "", 0, Tokens(0, "estimate", exact=False), ())


class PromptDiff(NamedTuple):
    """How a recipe's prompt differs between two revisions."""

    recipe: str
    before: RevisionInfo
    after: RevisionInfo
    patch: Patch
    tokens: tuple[int, int]
    exact: bool
    notes: tuple[str, ...]

    def format(self, tokens: int, *, signed: bool = False) -> str:
        return format_tokens(tokens, exact=self.exact, signed=signed)


def compare_prompts(pair: RevisionPair, trees: Sequence[ReadTree], recipe: str, options: CommandOptions) -> PromptDiff:
    """Build the prompt of both revisions. A change may mend what can't be built, and may not break it."""
    now, sides = World().machine.now(), list[tuple[RevisionInfo, Prompt | None]]()
    notes = dict.fromkeys(note for each in (pair.before, pair.after) if each for note in each.notes)
    for (info, tree), revision in zip(trees, (pair.before, pair.after), strict=True):
        world = make_revision_world(pair.root, tree if revision else None, now)
        asked = options._replace(recipe=recipe, cwd=pair.cwd, world=world)
        try:
            built = gather_state(asked).build().counted(counter_for(asked) or find_counter())
            check_complete(info, world)
            sides.append((info, built))
        except OvertureError as problem:
            check_complete(info, world)
            if sides:
                raise problem.within(info.name) from None
            sides.append((replace(info, why=readable_path(str(problem))), None))
        notes |= dict.fromkeys(list_submodule_notes(info, world))
    (first, before), (last, after) = sides
    assert after is not None  # of the second, a problem was raised
    tokens = before.counter(before.text) if before else 0, after.counter(after.text)
    patch = diff(before or NO_PROMPT, after)
    return PromptDiff(after.recipe.name, first, last, patch, tokens, after.counter.exact, tuple(notes))

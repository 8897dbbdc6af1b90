"""A recipe may fence what lower tiers say: between two lines with a mark that only this session knows.

The mark comes from the State. Text inside can't write it: the fence is one of the tags that it may not write.
"""

from typing import NamedTuple

from msgspec.structs import replace

from ..model.prompt.fence_notes import MARK
from ..model.prompt.tier_of_source import Tiers
from ..model.recipe.body import Body, Group, Leaner, Node, Part, Skip
from ..model.recipe.recipe import Recipe
from ..model.source import Source
from ..model.state.state import State
from ..model.tier import Tier, is_below

FACTS = ("runtime", "now", "session", "channel", "background", "native_tools")
"""Fields that hold single facts, in the recipe's own lines: those are never fenced, nor are names and paths."""


class Fence(NamedTuple):
    """What is fenced, and with which mark."""

    mark: str
    below: Tier
    tiers: Tiers

    @property
    def tag(self) -> str:
        """The tag that nobody else can write."""
        return f"untrusted-{self.mark}"

    def holds(self, source: Source | None) -> Tier | None:
        """The tier of a text that has to stand in a fence; None where it need not."""
        if source is None or (source.kind == "state" and _is_fact(source.name or "")):
            return None
        tier = self.tiers.of(source)
        return tier if is_below(tier, self.below) else None


def _is_fact(field: str) -> bool:
    return field.partition(".")[0] in FACTS or field.endswith((".path", ".name", ".location"))


def fence_of(recipe: Recipe, state: State) -> Fence | None:
    """The fence of a prompt, where the recipe wants one and the state gives a mark for it."""
    mark = state.mark or ""
    if recipe.fence_below is None or not MARK.fullmatch(mark):
        return None
    return Fence(mark, recipe.fence_below, Tiers(recipe, state))


def fenced(body: Body, fence: Fence) -> Body:
    """A body with its parts of lower tiers in fences."""
    if isinstance(body, Part):
        return _part(body, fence)
    if isinstance(body, Group):
        return replace(body, parts=tuple(_node(each, fence) for each in body.parts), leaner=_leaner(body, fence))
    if body is None or isinstance(body, str | Skip):
        return body
    return [_node(each, fence) for each in body]


def _node(node: Node, fence: Fence) -> Node:
    made = fenced(node, fence)
    assert isinstance(made, str | Part | Group)
    return made


def _part(part: Part, fence: Fence) -> Part:
    tier = None if part.single else fence.holds(part.source)
    part = replace(part, guard=(*part.guard, fence.tag), leaner=_leaner(part, fence))
    if tier is None or not part.text:
        return part
    # Behind words of the recipe's on the same line the fence stands in that line too.
    line = "" if part.before and not part.before.endswith("\n") else "\n"
    before, after = f'{part.before}<{fence.tag} tier="{tier}">{line}', f"{line}</{fence.tag}>{part.after}"
    return replace(part, before=before, after=after, trusted=False)


def _leaner(node: Part | Group, fence: Fence) -> Leaner:
    """The shorter ways to say it, fenced alike. They are asked of the node as its section made it."""
    shorter = node.leaner
    if not callable(shorter):
        return tuple(_node(each, fence) for each in shorter)
    return lambda _: tuple(_node(each, fence) for each in shorter(node))

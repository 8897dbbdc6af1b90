"""A recipe can fence the text of lower tiers: between two lines with a mark that only this session knows.

The mark comes from the State. Text inside can't write the fence: the guard escapes its tag.
"""

from typing import NamedTuple

from msgspec.structs import replace

from ..model.recipe.body import Body, Group, Leaner, Node, Part, Skip
from ..model.recipe.recipe import Recipe
from ..model.source import Source, Tier, is_less_trusted
from ..model.source_tiers import FENCE_MARK, SourceTiers
from ..model.state.state import State

FACT_FIELDS = ("runtime", "now", "session", "channel", "background", "native_tools")
"""Fields of single facts in the recipe's own lines. They are never fenced, nor are names and paths."""


class TierFence(NamedTuple):
    """Which tiers are fenced, and with which mark."""

    mark: str
    below: Tier
    tiers: SourceTiers

    @property
    def tag(self) -> str:
        """The tag of the fence, which no other text can write."""
        return f"untrusted-{self.mark}"

    def find_tier(self, source: Source | None) -> Tier | None:
        """The tier of a text that needs a fence; None if it needs none."""
        field = source.name or "" if source and source.kind == "state" else ""
        is_fact = field.partition(".")[0] in FACT_FIELDS or field.endswith((".path", ".name", ".location"))
        if source is None or is_fact:
            return None
        tier = self.tiers.of(source)
        return tier if is_less_trusted(tier, self.below) else None


def find_tier_fence(recipe: Recipe, state: State) -> TierFence | None:
    """The fence of a prompt, if the recipe wants one and the state has a mark for it."""
    mark = state.mark or ""
    if recipe.fence_below is None or not FENCE_MARK.fullmatch(mark):
        return None
    return TierFence(mark, recipe.fence_below, SourceTiers(recipe, state))


def fence_body(body: Body, fence: TierFence) -> Body:
    """A body with its parts of lower tiers in fences."""
    if isinstance(body, Part):
        return _fence_part(body, fence)
    if isinstance(body, Group):
        return replace(
            body, parts=tuple(_fence_node(each, fence) for each in body.parts), leaner=_fence_shorter_forms(body, fence)
        )
    if body is None or isinstance(body, str | Skip):
        return body
    return [_fence_node(each, fence) for each in body]


def _fence_node(node: Node, fence: TierFence) -> Node:
    fenced = fence_body(node, fence)
    assert isinstance(fenced, str | Part | Group)
    return fenced


def _fence_part(part: Part, fence: TierFence) -> Part:
    """A part with the fence of its tier around it, if it needs one."""
    tier = None if part.single else fence.find_tier(part.source)
    part = replace(part, guard=(*part.guard, fence.tag), leaner=_fence_shorter_forms(part, fence))
    if tier is None or not part.text:
        return part
    # After words of the recipe on the same line, the fence is on that line too.
    line = "" if part.before and not part.before.endswith("\n") else "\n"
    before, after = f'{part.before}<{fence.tag} tier="{tier}">{line}', f"{line}</{fence.tag}>{part.after}"
    return replace(part, before=before, after=after, trusted=False)


def _fence_shorter_forms(node: Part | Group, fence: TierFence) -> Leaner:
    """The shorter forms of a node, each fenced. They are computed from the node as its section made it."""
    shorter = node.leaner
    if not callable(shorter):
        return tuple(_fence_node(each, fence) for each in shorter)
    return lambda _: tuple(_fence_node(each, fence) for each in shorter(node))

"""A group that a section returns again keeps its pieces, unless they depend on what is above it."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from overture.assemble.build import build
from overture.assemble.render_body import RENDERED
from overture.model.diagnostic import Diagnostic
from overture.model.recipe.body import Body, Group, Part
from overture.model.recipe.recipe import Recipe
from overture.model.recipe.section import Section
from overture.model.source import from_state
from overture.model.state.state import State

from ..effort import examples

ABOVE = ["", "Words.", "<open ", "# Title", "```", "```\ncode\n```", "# ", "<", "words <rules\n", "~~~~"]
TEXTS = [
    "Plain words.", "rules> and more", "Title", "```\nls\n```", "```", "# Title", "</rules>", "a\u200bb", "## x",
    "token = ghp_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6", " ", "a <b", "~~~~", "",
]  # fmt: skip
NOTE = Diagnostic("warning", "noted", "it says so")


def make_group(texts: list[str], before: str, noted: bool) -> Group:
    """A group of untrusted parts."""
    parts = tuple([Part(text, from_state("memories[0]"), trusted=index == 3) for index, text in enumerate(texts)])
    return Group(parts, sep="\n\n", before=before, notes=(NOTE,) if noted else ())


def make_recipe(groups: list[Group]) -> Recipe:
    """A recipe with a section that writes these same groups below words of each state."""

    def say(memories: tuple[str, ...]) -> Body:
        """Words, and groups below them."""
        return Group((Group((*memories, *groups), sep="\n"), "The end."), sep="\n\n")

    return Recipe("kept", (Section("one", say, tags=("rules",), headings=("# Title",)),))


groups = st.lists(
    st.builds(
        make_group,
        st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4),
        st.sampled_from(["", "## File\n", "```\n"]),
        st.booleans(),
    ),
    min_size=1,
    max_size=4,
)
memories = st.lists(st.sampled_from(ABOVE), max_size=3).map(tuple)


@settings(max_examples=examples(1500))
@given(groups, memories, memories)
@example([make_group(["rules> and more"], "", False)], ("Words.",), ("<",))
def test_a_later_build_is_a_fresh_one(
    given_groups: list[Group], first: tuple[str, ...], second: tuple[str, ...]
) -> None:
    """Whatever is above the groups, and whatever is in them: text, sources and notes are those of a fresh build."""
    recipe = make_recipe(given_groups)
    later = build(recipe, State(memories=second), since=build(recipe, State(memories=first)))
    fresh = build(recipe, State(memories=second))
    assert later.text == fresh.text
    assert [each.notes for each in later.results] == [each.notes for each in fresh.results]
    assert [each.sources for each in later.blocks] == [each.sources for each in fresh.blocks]


def test_a_kept_group_is_not_rendered_again() -> None:
    """The later block has the very pieces of the groups that the section returns again."""
    kept = [make_group([f"Words of group {number}"], "", False) for number in range(2)]
    recipe = make_recipe(kept)
    before = build(recipe, State(memories=("above",)))
    later = build(recipe, State(memories=("above", "and more")), since=before)
    assert "and more\nWords of group 0" in later.text
    for group in kept:
        assert later.blocks[0].__dict__[RENDERED][id(group)] is before.blocks[0].__dict__[RENDERED][id(group)]

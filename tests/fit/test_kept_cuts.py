"""What is the same as a turn ago keeps its cuts, also where it was built anew; what has changed keeps to its size."""

from hypothesis import given
from hypothesis import strategies as st

import overture
from overture import Body, Group, Part, Prompt, Recipe, Section, State
from overture.model.state.files import TextFile

from .test_fit_properties import O200K, fitted, large, many, recipes, shares


def files(context_files: tuple[TextFile, ...]) -> Body:
    """What changes seldom, with shorter forms that no two builds have in common."""
    parts = [Part(file.content, name=file.path, leaner=lambda part: (part.text[:20],)) for file in context_files]
    return Group(tuple(parts), loose="fair")


def notes(memories: tuple[str, ...]) -> Body:
    """What changes every turn."""
    return [Part(text, before="- ") for text in memories]


TURNS = Recipe("turns", (Section("files", files, priority=50), Section("notes", notes, pace="turn", priority=60)))
STATE = State.from_dict(
    {
        "context_files": [
            {"path": f"/p/{n}.md", "content": f"File {n}: run the tests and say why it is needed."} for n in range(30)
        ],
        "memories": ["Berth 7 is out of use."] * 3,
    }
)


def built(state: State, since: Prompt | None = None, recipe: Recipe | str = TURNS) -> Prompt:
    return overture.build(recipe, state, since=since).counted(O200K)


def test_the_same_state_that_is_built_anew_is_cut_as_it_was() -> None:
    """No block is the same object, and every byte is the same."""
    for budget in range(60, 300, 7):
        small = overture.fit(built(STATE), budget)
        again = overture.fit(built(STATE), budget, since=small)
        assert again.text == small.text
        assert again.cuts == small.cuts


def test_slow_blocks_that_are_built_anew_keep_their_cuts() -> None:
    """A turn with a note more leaves the files as they were, whether or not they were taken over."""
    later = STATE.replace(memories=(*STATE.memories, "One more."))
    for budget in range(60, 300, 7):
        small = overture.fit(built(STATE), budget)
        one, other = (overture.fit(built(later, since), budget, since=small) for since in (small, None))
        assert one.text == other.text


@many
@given(recipes, large, shares)
def test_any_prompt_that_is_built_anew_is_cut_as_it_was(recipe: str, state: State, share: float) -> None:
    """Whatever the recipe and the state: what says the same is cut the same."""
    _, small, budget = fitted(recipe, state, share)
    other = State.from_dict(state.to_dict())
    assert overture.fit(built(other, recipe=recipe), budget, since=small).text == small.text


def test_what_a_section_no_longer_says_is_not_taken_over() -> None:
    """A reason that has changed while the blocks have not is the new one."""
    quiet = Section("quiet", lambda channel: overture.Skip(f"not on {channel}"))
    recipe = Recipe("turns", (*TURNS.sections, quiet))
    small = overture.fit(built(STATE.replace(channel="cli"), recipe=recipe), 200)
    again = overture.fit(built(STATE.replace(channel="web"), small, recipe), 200, since=small)
    assert [omission.reason for omission in again.omitted] == ["not on web"]
    assert again.text == small.text


said = st.sampled_from(("run the tests", "a\u200bb", "a\u200bb\u200bc\u200bd", "<|im_start|>", "日本語で。", "x" * 40))
lists = st.lists(said, min_size=1, max_size=14).map(lambda texts: [f"Note {n}: {t}." for n, t in enumerate(texts)])
SLOW = Recipe("slow", (Section("notes", notes),))


@many
@given(lists, lists, st.integers(20, 200))
def test_a_cut_block_that_has_changed_stays_within_its_size(one: list[str], other: list[str], budget: int) -> None:
    """By the count of what stands in the prompt, however much of it is neutralised."""
    small = overture.fit(built(State(memories=tuple(one)), recipe=SLOW), budget)
    then = overture.fit(built(State(memories=tuple(other)), small, SLOW), budget, since=small)
    if small.fitted is not None:
        assert O200K(then.text) == then.tokens <= small.tokens

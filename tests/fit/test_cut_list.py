"""A list is cut without rendering it again, and cached counts are reused: the result is the same to the byte."""

from collections.abc import Callable
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

import overture
from overture import Body, Counter, Group, Part, Prompt, Recipe, Section, State
from overture.fit.cut_block import BlockCut
from overture.model.prompt.block import Block
from overture.model.recipe.section import Frame, heading, tag
from overture.model.source import Origin, from_state

from ..assemble.nasty import texts as nasty
from .test_fit_properties import O200K, many

TAME = (
    "Run the tests before you commit.", "日本語で答えてください。", "Используйте табы.", "استخدم الجداول",
    "हिन्दी में उत्तर दें", "הרץ את הבדיקות", "ใช้แท็บ", "한국어로 답하세요", "Χρησιμοποιήστε", "Գործածեք",
    "👩🏽‍💻🏳️‍🌈", "/srv/harbor/bin", "//", "?!",
    '{"a": [1, 2, 3]}', "def f(x):\n    return x", "two\n\nparagraphs", "…", "1234567", "x" * 90, "  two blanks",
)  # fmt: skip
ODD = (
    "\tindented",
    "ends in blanks  ",
    "# Title",
    "</list>",
    "<|im_end|>",
    "\u200bhidden",
    "\n",
    "\u3000wide",
    "",
    " ",
)
SHORTER: tuple[tuple[str, ...], ...] = ((), (), ("less",), ("less of it", "less"), (" less", "/less"), ("</list>",))
line = st.one_of(st.sampled_from((*TAME, *ODD)), nasty)
long = st.lists(st.sampled_from(TAME), min_size=20, max_size=30).map(" ".join)


def listed(text: st.SearchStrategy[str], around: tuple[str, ...], between: tuple[str, ...]) -> st.SearchStrategy[Group]:
    """Lists of such texts, with these before each, and these between two."""
    parts = st.builds(
        Part,
        text,
        before=st.sampled_from(around),
        after=st.sampled_from(("", "", ".", "\n</item>")),
        leaner=st.sampled_from(SHORTER),
        priority=st.integers(0, 9),
    )
    return st.builds(
        Group,
        st.lists(parts, min_size=1, max_size=12).map(tuple),
        sep=st.sampled_from(between),
        before=st.sampled_from(("", "", "These:\n", "These: ", "\n")),
        after=st.sampled_from(("", "", "\n</items>", ".", "/")),
        loose=st.sampled_from(("fair", "fair", "outermost")),
        rest=st.sampled_from(("[{shown} of {all}.]", "[{shown} of {all}.]", "/{shown}", "{shown} ", "")),
    )


groups = st.one_of(
    listed(st.sampled_from(TAME), ("- ",), ("\n", "\n\n")),
    listed(st.one_of(st.sampled_from(TAME), long), ("- ", "* "), ("\n",)),
    listed(line, ("- ", "", "/", " "), ("\n", "\n\n", " ", "\n/", "\n ")),
)
bodies = st.one_of(groups, groups.map(lambda group: Group(("Read this.", group), sep="\n\n")))
frames: st.SearchStrategy[Frame | None] = st.sampled_from((None, tag("list"), heading("# Title")))


def prompt_of(*said: tuple[Body, Frame | None]) -> Prompt:
    """A prompt of one section for each body."""

    def saying(body: Body) -> Callable[[], Body]:
        return lambda: body

    sections = [Section(f"s{n}", saying(body), frame=frame, priority=n) for n, (body, frame) in enumerate(said)]
    return overture.build(Recipe("lists", tuple(sections)), State()).counted(O200K)


@many
@given(st.lists(st.tuples(bodies, frames), min_size=1, max_size=3), st.floats(0.0, 1.0))
@example([(Group((Part("/a", before=""), Part("/b"), Part("c")), loose="fair", rest="/{shown}"), None)], 0.5)
@example([(Group((Part("a "), Part(" b"), Part("c ")), sep="\n ", loose="fair"), tag("list"))], 0.6)
def test_a_cut_list_equals_the_block_rendered_again(
    framed_bodies: list[tuple[Body, Frame | None]], share: float
) -> None:
    """Pieces, sources, notes and body are those of a block rendered again, and the count is that of the text."""
    whole = prompt_of(*framed_bodies)
    small = overture.fit(whole, max(1, int(whole.tokens * share)))
    assert O200K(small.text) == small.tokens == sum(small.block_tokens)
    for cutting in small.fitted.trims.values() if small.fitted else ():
        assert isinstance(cutting, BlockCut)
        left = cutting.result(whole)
        if isinstance(left, Block):
            assert O200K(left.text + "\n\n") == left.tokens(O200K, "\n\n")
            assert O200K(left.text) == left.tokens(O200K)
        if not cutting.is_fully_cut:
            assert content(left) == content(cutting.render_again(whole))


def content(result: object) -> list[Any]:
    """All that is in a block or an omission."""
    fields = ("texts", "sources", "notes", "omits", "body", "reason")
    return [getattr(result, name, None) for name in fields]


def plain(count: int) -> Group:
    """A list of so many lines."""
    items = [
        Part(f"Note {n}: the crane on quay {n} is out of order.", from_state(f"memories[{n}]")) for n in range(count)
    ]
    return Group(tuple(items), loose="fair")


def noting(calls: list[str]) -> Counter:
    """A counter that notes down what it is asked."""

    def run(text: str) -> int:
        calls.append(text)
        return O200K.run(text)

    return Counter("noting", run, exact=True, additive=True)


def test_a_further_budget_counts_only_what_is_new() -> None:
    """Once a list is counted, another budget asks for the count of nothing but its last line."""
    calls: list[str] = []
    whole = prompt_of((plain(60), tag("list"))).counted(noting(calls))
    overture.fit(whole, 500)
    calls.clear()
    small = overture.fit(whole, 300)
    assert small.tokens == O200K(small.text)
    assert len(calls) == 1
    assert calls[0].startswith("[")


def test_a_block_that_is_built_anew_and_says_the_same_is_not_counted_again() -> None:
    """Equal texts in other objects are known: nothing is counted, and the cut is the same."""
    calls: list[str] = []
    counter = noting(calls)
    recipe = Recipe("lists", (Section("list", lambda: plain(60)),))
    first = overture.fit(overture.build(recipe, State()), 300, counter)
    calls.clear()
    second = overture.fit(overture.build(recipe, State()), 300, counter)
    assert calls == []
    assert second.blocks[0] is first.blocks[0]
    assert second.cuts == first.cuts


def test_a_block_that_says_something_else_is_counted_by_what_is_new() -> None:
    """One other item among many: only its lines are counted."""
    calls: list[str] = []
    counter = noting(calls)
    notes = [plain(60), Group((Part("Another note."), *plain(60).parts), loose="fair")]
    recipe = Recipe("lists", (Section("list", lambda: notes.pop(0)),))
    overture.fit(overture.build(recipe, State()), 300, counter)
    calls.clear()
    small = overture.fit(overture.build(recipe, State()), 300, counter)
    assert small.tokens == O200K(small.text)
    assert {text for text in calls if "quay" in text} == set()


def test_what_came_from_another_file_is_not_taken_over() -> None:
    """Two states that say the same, but from other files: what is said about a cut text names its own file."""
    text = "</list> " + "The crane on quay 9 is out of order. " * 40
    part = Part(text, from_state("agent.soul"))
    recipe = Recipe("lists", (Section("list", lambda: Group((part,)), frame=tag("list")),))
    for path in ("/a/SOUL.md", "/b/SOUL.md"):
        state = State().replace(origins={"agent.soul": Origin(path, 1)})
        small = overture.fit(overture.build(recipe, state), 100, O200K)
        assert [note.path for note in small.diagnostics] == [path]

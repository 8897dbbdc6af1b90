"""At least three quarters of a budget are used where there is text to fill them, and how that is done.

The law holds from 100 tokens on: below, the shortest beginning and the lines about cuts, of 14 to 20 tokens, may be
a quarter of the budget. A step is larger only where nothing may be broken: what stands on one line with words after it
(a row of a table), a value that has to be on one line (a path), a part of a list of at most 64 tokens, between two
shorter forms that a section gives itself, and where it says that it is said in full or not at all.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import overture
from overture import Body, BudgetError, Group, Part, Prompt, Recipe, Section, State
from overture.model.recipe.section import tag
from tests.contract.effort import examples

from .test_fit_properties import O200K, RECIPES, fitted, large, long, many, recipes, shares

DESK = Path(__file__).parents[2] / "examples/harbor/desk.json"
LEAST = 100
"""Tokens: below, the shortest beginning and the lines about cuts are a quarter of the budget."""
STEP = 700 // examples(100)
"""Tokens between one budget and the next."""
LISTED = 4 * 64
"""Tokens: below, a part of a list that is not broken is a quarter of the budget."""


def fills(small: Prompt, budget: int) -> bool:
    """Whether enough of the budget is used, or all is said; the language card is said in full or not at all."""
    if {c.block for c in small.cuts} <= {"reference", "program-reference"}:
        return True
    return small.fitted is None or small.tokens >= 0.75 * budget


SAID = "Fill in the form of the port when a ship arrives late, and tell the office about it. "
GIVEN = {f"field_{n}": {"type": "string", "description": "What the guest says, in words."} for n in range(15)}
WORDY: dict[str, Any] = {
    "agent": {"identity": "Ada", "instructions": SAID * 20},
    "skills": [{"name": f"skill-{n}", "description": SAID * 12, "location": f"/s/{n}/SKILL.md"} for n in range(10)],
    "tools": [
        {"name": name, "description": SAID * 6, "parameters": {"type": "object", "properties": GIVEN}}
        for name in ("read", "use_skill", "exec", "bash")
    ],
    "memories": [SAID * 20, SAID * 3, "Berth 4 has no shore power."],
    "runtime": {"cwd": "/p", "directories": [f"/d/{n}" for n in range(60)]},
    "task": {"id": 1, "title": "Clear", "description": SAID * 15, "steps": [{"title": f"Step {n}"} for n in range(30)]},
}
"""Every text is long: descriptions, schemas, memories, a task, a list of folders."""


def made_of(said: str) -> dict[str, Any]:
    """The same, with another sentence, and with files that hold it; tools have shorter forms of their own."""
    fields: dict[str, Any] = json.loads(json.dumps(WORDY).replace(SAID.strip(), json.dumps(said)[1:-1]))
    files = [{"path": f"/p{'/d' * n}/AGENTS.md", "content": f"{said}\n\n" * 20} for n in range(2)]
    page = {"name": "AGENTS.md", "path": "/w/AGENTS.md", "content": f"{said}\n\n" * 20}
    notes = [f"{said} {n}" for n in range(40)]
    return {**fields, "tools": WORDY["tools"], "context_files": files, "workspace_files": [page], "memories": notes}


STATES = {
    "rich": json.loads(DESK.read_text(encoding="utf-8")),
    "wordy": WORDY,
    "hidden": made_of("Run\u200b the\u200b tests\u200b before\u200b you\u200b commit."),
    "tags": made_of("Write <skills> and </Identity> <|im_start|> [INST] here, <project-context>."),
}
"""The last two hold much that is neutralised, and so is longer in the prompt than in its file."""


@pytest.mark.slow
@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("fields", STATES.values(), ids=STATES)
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_rich_state_fills_every_budget(recipe: str, fields: dict[str, Any], native: bool) -> None:
    """Whatever the recipe, from the smallest budget that can be met up to the whole, three quarters are used."""
    whole = overture.build(recipe, State.from_dict({**fields, "native_tools": native})).counted(O200K)
    for budget in range(whole.tokens, LEAST - 1, -STEP):
        try:
            small = overture.fit(whole, budget)
        except BudgetError:
            break
        assert fills(small, budget), (budget, small.tokens, small.cuts[-1])


@many
@given(recipes, large, shares)
def test_any_state_fills_any_budget(recipe: str, state: State, share: float) -> None:
    """The same holds for texts of many scripts, endless words, code and lists."""
    whole, small, budget = fitted(recipe, state, share)
    if budget < LEAST:
        budget = LEAST
        small = overture.fit(whole, budget)
    assert fills(small, budget), (budget, small.tokens)


def under_a_heading(text: str) -> Group:
    return Group(("## What to keep in mind", text), sep="\n\n")


def in_a_tag(text: str) -> str:
    return f"<rules>\n{text}\n</rules>"


def after_a_value(text: str) -> Group:
    return Group(("Ada works in ", Part("/srv/harbor", single=True), ".\n\n" + text), sep="")


bodies: st.SearchStrategy[Body] = st.one_of(
    long,
    long.map(Part),
    long.map(under_a_heading),
    long.map(in_a_tag),
    long.map(after_a_value),
    st.lists(long, min_size=1, max_size=6).map(lambda texts: Group(tuple(texts), sep="\n\n")),
    st.lists(long.map(Part), min_size=1, max_size=6),
)


def recipe_of(said: list[Body]) -> Recipe:
    """A section for each body, the first of the lowest priority."""

    def saying(body: Body) -> Callable[[], Body]:
        return lambda: body

    return Recipe("plain", tuple(Section(f"section-{n}", saying(body), priority=n) for n, body in enumerate(said)))


@many
@given(st.lists(bodies, min_size=1, max_size=4), shares)
def test_texts_without_shorter_forms_fill_a_budget(said: list[Body], share: float) -> None:
    """A text, a part, parts that belong together, a list: the general shorter forms are enough for the law."""
    whole = overture.build(recipe_of(said), State()).counted(O200K)
    budget = max(LISTED, int(whole.tokens * share))
    small = overture.fit(whole, budget)
    assert O200K(small.text) == small.tokens <= budget
    assert fills(small, budget), (budget, small.tokens, small.cuts)


@many
@given(st.lists(bodies, min_size=1, max_size=3), st.integers(1, 400), st.integers(1, 100))
def test_more_room_shows_no_less_of_a_text(said: list[Body], budget: int, more: int) -> None:
    """What a beginning says, a larger budget says too, and on the record is every section that lost anything."""
    whole = overture.build(recipe_of(said), State()).counted(O200K)
    less, larger = overture.fit(whole, budget), overture.fit(whole, budget + more)
    lengths = {block.name: len(_without_lines(block.text)) for block in larger.blocks}
    for block in less.blocks:
        assert lengths[block.name] >= len(_without_lines(block.text)), block.name
    cut = {c.block for c in less.cuts}
    now = {block.name: block.text for block in less.blocks}
    assert cut == {block.name for block in whole.blocks if now.get(block.name) != block.text}


def _without_lines(text: str) -> str:
    return re.sub(r"\[[^\[\]]*(left out|are shown)[^\[\]]*\]", "", text)


SENTENCES = " ".join(f"Sentence {n} says that the crane on quay {n} is out of order." for n in range(40))


def test_a_heading_never_stays_alone() -> None:
    """The body is shortened under its heading; where nothing of it is left, the heading is gone too."""
    whole = overture.build(recipe_of([under_a_heading(SENTENCES)]), State()).counted(O200K)
    for budget in range(whole.tokens, 10, -3):
        text = overture.fit(whole, budget).text
        assert ("## What to keep in mind\n\nSentence 0 says" in text) == ("## What" in text)


def test_a_tag_that_is_open_at_a_cut_is_closed() -> None:
    """The recipe's own words may hold tags: the line about the cut stands within them, and each is closed."""
    text = f"<rules>\n<first>\n{SENTENCES}\n</first>\n<second>\n{SENTENCES}\n</second>\n</rules>"
    whole = overture.build(recipe_of([text]), State()).counted(O200K)
    for budget in range(whole.tokens, 60, -9):
        said = overture.fit(whole, budget).text
        for name in ("rules", "first", "second"):
            assert said.count(f"<{name}>") == said.count(f"</{name}>")
        assert said == whole.text or "from here on.]\n</" in said


def test_a_file_can_have_no_tag_of_the_recipe_closed_for_it() -> None:
    """Only the recipe's own tags are closed: what a file opens stays contained."""
    part = Part(f"<rules>\n{SENTENCES}\n</rules>", name="/p/NOTES.md")
    say = Section("notes", lambda: Group((part,)), frame=tag("rules"))
    whole = overture.build(Recipe("noted", (say,)), State()).counted(O200K)
    small = overture.fit(whole, whole.tokens // 2)
    assert small.text.count("</rules>") == small.text.count("<rules>") == 1


def test_a_long_memory_is_shortened_before_it_goes() -> None:
    """A long part of a list gets beginnings, with its name; short ones beside it go as they are."""
    parts = [Part(SENTENCES, name="harbor log", before="- "), *(Part(f"Fact {n}.", before="- ") for n in range(9))]
    whole = overture.build(recipe_of([parts]), State()).counted(O200K)
    small = overture.fit(whole, whole.tokens // 2)
    assert [(c.part, c.how) for c in small.cuts] == [("harbor log", "shortened")]
    assert "Fact 8." in small.text
    assert small.tokens >= 0.75 * (whole.tokens // 2)

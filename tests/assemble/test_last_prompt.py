"""Building again without `since`: what is equal is taken over, and the result is that of a fresh build."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import overture
from overture.assemble.build import render_sections
from overture.assemble.share_equal_values import last_prompt
from overture.model.prompt.prompt import Prompt
from overture.model.recipe.recipe import Recipe
from overture.model.recipe.section import Section
from tests.contract.effort import examples

RECIPES = ("opal", "pi", "moltis", "nova", "house")
skills = st.lists(st.sampled_from("abcdef"), unique=True, max_size=5)
files = st.lists(
    st.tuples(st.sampled_from(["/p", "/p/q", "/p/q/r"]), st.sampled_from(["Use tabs.", "# A\n<b>"])), max_size=3
)


def state_of(names: list[str], texts: list[tuple[str, str]], minute: int) -> overture.State:
    """A state with these skills and files; every text of it is a new object."""
    return overture.State.from_dict(
        {
            "skills": [
                {"name": name, "description": f"Does {name}.", "location": f"/s/{name}/SKILL.md"} for name in names
            ],
            "context_files": [{"path": f"{folder}/AGENTS.md", "content": "".join([text])} for folder, text in texts],
            "tools": [{"name": "read"}],
            "runtime": {"cwd": "/p"},
            "now": datetime(2026, 3, 7, 8, 1, tzinfo=UTC).astimezone(timezone(timedelta(hours=minute))),
        }
    )


@pytest.mark.parametrize("name", RECIPES)
@settings(max_examples=examples(200))
@given(st.lists(st.tuples(skills, files, st.integers(0, 2)), min_size=2, max_size=4))
def test_it_is_a_fresh_build(name: str, rows: list[tuple[list[str], list[tuple[str, str]], int]]) -> None:
    """Whatever was built before, texts and sources are those of a build that knows nothing of it."""
    recipe = overture.load_recipe(name)
    for row in rows:
        state = state_of(*row)
        fresh = Prompt(recipe, state, render_sections(recipe, state))
        prompt = overture.build(recipe, state)
        assert (prompt.text, prompt.spans) == (fresh.text, fresh.spans)
        assert list(map(repr, prompt.omitted)) == list(map(repr, fresh.omitted))
        assert {note for note in prompt.diagnostics if note.code != "field-unread"} == {*fresh.diagnostics}
        later = state.replace(now=datetime(2026, 3, 8, tzinfo=UTC))
        fresh = Prompt(recipe, later, render_sections(recipe, later))
        chained = overture.build(recipe, later, since=prompt)
        assert (chained.text, chained.spans) == (fresh.text, fresh.spans)
        assert overture.build(recipe, later, since=chained) is chained
        assert overture.build(recipe, state, since=chained).text == prompt.text


def test_equal_texts_are_taken_over() -> None:
    """Sections whose texts are equal are not rendered again, and with the same state nothing is."""
    state = state_of(["a", "b"], [("/p", "Use tabs.")], 0)
    first, again = overture.build("pi", state_of(["a", "b"], [("/p", "Use tabs.")], 0)), overture.build("pi", state)
    assert {block.name for block in again.blocks if block in first.blocks} >= {"project-context", "skills"}
    assert overture.build("pi", state) is again


def test_a_section_of_somebody_else_is_asked_each_time() -> None:
    """What it says may depend on more than the state."""
    said = iter(["one", "two"])
    recipe = Recipe("own", (Section("clock", lambda: next(said)),))
    state = overture.State()
    assert [overture.build(recipe, state).text for _ in range(2)] == ["one", "two"]
    assert last_prompt(recipe) is None


def test_a_counter_of_ones_own_is_not_kept() -> None:
    """The next build counts as it would have."""

    def count(text: str) -> int:
        return 7

    state = state_of(["a"], [], 0)
    plain: Any = overture.build("pi", state).tokens
    assert overture.build("pi", state, count=count).tokens != plain
    assert overture.build("pi", state).tokens == plain


def test_what_is_not_read_is_reported_as_of_a_fresh_build() -> None:
    """A field that came, went, or changed in a part since the earlier prompt is reported, or no longer."""
    states = [
        overture.State.from_dict(each)
        for each in (
            {},
            {"memories": ["a"]},
            {"memories": ["b"]},
            {"user": {"name": "Ada"}},
            {"user": {"name": "Ada", "location": "Paris"}},
            {"memories": ["a"], "user": {"name": "Bo"}},
            {"now": "2026-03-07T08:55:05Z", "context_files": [{"path": "/p/A.md", "content": "x"}]},
        )
    ]
    for recipe in ("pi", "opal"):
        fresh = [overture.build(recipe, each, count=len).diagnostics for each in states]
        for before in states:
            earlier = overture.build(recipe, before, count=len)
            assert [overture.build(recipe, each, since=earlier).diagnostics for each in states] == fresh

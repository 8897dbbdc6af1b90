"""What holds for every prompt and every budget."""

import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import overture
from overture import Budget, BudgetError, Prompt, State
from overture.testing import make_state
from overture.text.fences_and_headings import closing_fence
from tests.contract.effort import examples

from ..assemble.nasty import untrusted

O200K = overture.counter("o200k")
RECIPES = ("opal", "pi", "moltis", "nova", "ptc", "house")
recipes = st.sampled_from(RECIPES)
many = settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)

SENTENCES = (
    "Run the tests before you commit.", "Keep a change small, and say why it is needed!", "日本語で答えてください。",
    "# Conventions", "## Tests\n\nThey lie beside the code.", "```python\nprint('x')", "- a list item", "👩🏽‍💻🏳️‍🌈",
    "Используйте табы.", "/srv/harbor/bin", "e\u0301e\u0301", '{"a": [1, 2, 3]}', "</skills><project-context>",
    "```", "- ```sh\n  ls", "~~~~", "x" * 90, "Run\u200b the\u200b tests.", "[INST] <|im_start|>",
)  # fmt: skip
long = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=30).map("\n".join)


def listed(strategy: st.SearchStrategy[Any], most: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(strategy, max_size=most)


large: st.SearchStrategy[State] = st.fixed_dictionaries(
    {
        "agent": st.fixed_dictionaries(
            {
                "identity": long,
                "instructions": long,
                "soul": long,
                "responsibilities": listed(st.fixed_dictionaries({"title": st.just("Duty"), "content": long}), 4),
            }
        ),
        "context_files": listed(long, 4).map(
            lambda texts: [{"path": f"/p{'/d' * i}/AGENTS.md", "content": text} for i, text in enumerate(texts)]
        ),
        "workspace_files": long.map(lambda text: [{"name": "AGENTS.md", "path": "/w/AGENTS.md", "content": text}]),
        "skills": listed(long, 8).map(
            lambda texts: [
                {"name": f"skill-{i}", "description": text, "location": f"/s/skill-{i}/SKILL.md"}
                for i, text in enumerate(texts)
            ]
        ),
        "tools": listed(long, 5).map(
            lambda texts: [
                {"name": ("read", "use_skill", "exec", "a", "b")[i], "description": text, "guidelines": [text[:40]]}
                for i, text in enumerate(texts)
            ]
        ),
        "native_tools": st.booleans(),
        "memories": listed(long, 4),
        "runtime": st.just({"cwd": "/p", "timezone": "America/Chicago"}),
        "now": st.just("2026-03-07T08:55:05-06:00"),
        "mission": st.just({"prompt": "Count them.", "data": {"a": [1, 2, 3], "b": "text"}}),
    }
).map(lambda fields: make_state(**fields))
"""States with more to say than there may be room for."""

shares = st.floats(0.0, 1.1)


def fitted(recipe: str, state: State, share: float) -> tuple[Prompt, Prompt, int]:
    """A prompt, the same cut to a share of its tokens, and that budget; where that is too small, the least there is."""
    whole = overture.build(recipe, state).counted(O200K)
    budget = max(1, int(whole.tokens * share))
    try:
        return whole, overture.fit(whole, budget), budget
    except BudgetError as problem:
        found = re.search(r"Raise the budget to ([\d,]+)", str(problem))
        assert found is not None
        least = int(found[1].replace(",", ""))
        return whole, overture.fit(whole, least), least


@many
@given(recipes, st.one_of(large, untrusted), shares)
def test_a_budget_is_never_exceeded(recipe: str, state: State, share: float) -> None:
    """The exact count of the text, lines about cuts included, is within the budget, and is what the prompt says."""
    whole, small, budget = fitted(recipe, state, share)
    assert O200K(small.text) == small.tokens <= budget
    assert sum(small.block_tokens) == small.tokens
    had = {block.name: block.tokens(O200K) for block in whole.blocks}
    assert all(block.tokens(O200K) <= had[block.name] for block in small.blocks)
    if whole.tokens <= budget:
        assert small is whole


def said_of(prompt: Prompt) -> dict[str, int]:
    """How many characters of each source the prompt has, the recipe's own words apart."""
    lengths: dict[str, int] = {}
    for block in prompt.blocks:
        for span in block.spans:
            if span.source.kind != "recipe":
                key = f"{block.name} {span.source}"
                lengths[key] = lengths.get(key, 0) + span.end - span.start
    return lengths


@many
@given(recipes, large, shares, shares)
def test_more_room_never_shows_less(recipe: str, state: State, one: float, other: float) -> None:
    """With a larger budget every source has as many characters of the prompt, or more."""
    _, less, small = fitted(recipe, state, min(one, other))
    _, more, large = fitted(recipe, state, max(one, other))
    assert small <= large
    shown = said_of(more)
    for source, length in said_of(less).items():
        assert shown.get(source, 0) >= length, source


@many
@given(recipes, large, shares)
def test_a_lower_priority_never_stays_while_a_higher_goes(recipe: str, state: State, share: float) -> None:
    """Where anything of a section is cut, of one with a lower priority a line is left, or hardly more than a line."""
    whole, small, _ = fitted(recipe, state, share)
    priorities = {section.name: section.priority for section in whole.recipe.sections if not section.required}
    # Moltis cuts a tool's description by a limit of its own, whatever the budget.
    cut = {c.block for c in small.cuts if c not in whole.cuts}
    gone = {c.block for c in small.cuts if not c.part and c.how != "shortened"}
    highest = max((priorities[name] for name in cut), default=0)
    for block in whole.blocks:
        if block.name in priorities and priorities[block.name] < highest:
            left = next((b.tokens(O200K) for b in small.blocks if b.name == block.name), 0)
            line = f"[{block.name}: dropped to fit the budget, {block.tokens(O200K):,} tokens.]"
            assert block.name in gone or left <= 2 * O200K(line), (block.name, cut)


@many
@given(recipes, large, st.floats(0.0, 0.2))
def test_nothing_of_a_lower_priority_is_left_where_a_higher_is_gone(recipe: str, state: State, share: float) -> None:
    """Where not even a line is left of a section, nothing is left of any section of a lower priority."""
    whole, small, _ = fitted(recipe, state, share)
    priorities = {section.name: section.priority for section in whole.recipe.sections if not section.required}
    there = {block.name for block in small.blocks}
    silent = {c.block for c in small.cuts if not c.part and c.how == "dropped"}
    highest = max((priorities[name] for name in silent), default=0)
    assert not [name for name in there if priorities.get(name, highest) < highest]


@many
@given(recipes, large, shares)
def test_what_is_cut_is_in_the_record_and_in_the_text(recipe: str, state: State, share: float) -> None:
    """Each source that has lost characters is in a recorded cut; what is not dropped leaves its name in the text."""
    whole, small, _ = fitted(recipe, state, share)
    cut_blocks = {c.block for c in small.cuts}
    before, after = said_of(whole), said_of(small)
    for source, length in before.items():
        if after.get(source, 0) < length:
            assert source.partition(" ")[0] in cut_blocks
    for cut in small.cuts:
        assert cut.to_tokens < cut.from_tokens or cut in whole.cuts
        block = next((b for b in small.blocks if b.name == cut.block), None)
        if cut.how == "replaced":
            assert block is not None
            assert f"[{cut.part or cut.block}: " in block.text
        elif cut.how == "dropped" and cut.part:
            assert block is not None
            assert re.search(r"\[[\d,]+ of [\d,]+ ", block.text)
        elif cut.how == "dropped":
            assert block is None
            assert cut.block in [omission.name for omission in small.omitted]


@many
@given(recipes, st.one_of(large, untrusted), shares)
def test_spans_of_a_cut_prompt_partition_it(recipe: str, state: State, share: float) -> None:
    """Every character of a cut prompt belongs to exactly one span, and lines about cuts belong to the recipe."""
    _, small, _ = fitted(recipe, state, share)
    at = 0
    for span in small.spans:
        assert span.start == at < span.end
        at = span.end
        if span.source.kind == "file":
            assert "characters are left out" not in small.text[span.start : span.end]
    assert at == len(small.text)
    assert small.text == small.text.strip()


FRAMES = {"opal": ("project-context", "skills", "environment"), "pi": ("available_skills",)}


@many
@given(st.sampled_from(("opal", "pi")), st.one_of(large, untrusted), shares)
def test_a_cut_opens_and_closes_no_tag(recipe: str, state: State, share: float) -> None:
    """In a cut prompt each tag of the recipe is opened as often as it is closed, whatever the files hold."""
    _, small, _ = fitted(recipe, state, share)
    for name in FRAMES[recipe]:
        opened = len(re.findall(rf"<\s*{name}[\s>]", small.text, re.IGNORECASE))
        closed = len(re.findall(rf"<[\s/]*/\s*{name}\s*>", small.text, re.IGNORECASE))
        assert opened == closed, name


@many
@given(recipes, st.one_of(large, untrusted), shares)
def test_a_cut_leaves_no_code_block_open_and_closes_none_twice(recipe: str, state: State, share: float) -> None:
    """After every block that holds text of others, however much of it was cut, no code block is open."""
    _, small, _ = fitted(recipe, state, share)
    for block in small.blocks:
        if block.name not in ("identity", "instructions"):  # the author's own
            assert closing_fence(block.text) == "", block.name


@many
@given(recipes, large, shares, st.integers(20, 300))
def test_a_section_keeps_to_its_own_limit(recipe: str, state: State, share: float, limit: int) -> None:
    """A section with a limit of its own has no more tokens than that, whatever the total."""
    whole = overture.build(recipe, state).counted(O200K)
    names = [block.name for block in whole.blocks if not block.section.required]
    small = overture.fit(whole, Budget(sections=dict.fromkeys(names, limit)))
    for block, tokens in zip(small.blocks, small.block_tokens, strict=True):
        if block.name in names:
            assert tokens <= limit


@pytest.mark.parametrize("recipe", RECIPES)
def test_fitting_what_was_fitted_starts_from_the_whole(recipe: str) -> None:
    """A cut prompt that is fitted to more room shows again what was cut."""
    state = make_state(context_files=[{"path": "/p/AGENTS.md", "content": "Use tabs. " * 200}])
    whole = overture.build(recipe, state).counted(O200K)
    small = overture.fit(whole, max(whole.tokens - 100, 400))
    assert overture.fit(small, whole.tokens + 1).text == whole.text

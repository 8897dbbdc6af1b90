"""What a budget did, in words."""

import overture
from overture.report.stats_and_cut_notes import note_budget, stats
from overture.testing import make_state

STATE = make_state(
    context_files=[{"path": f"/p/{i}/AGENTS.md", "content": "Use tabs. " * 300} for i in range(3)],
    skills=[{"name": f"skill-{i}", "description": "Does it. And more.", "location": f"/s/{i}"} for i in range(9)],
    tools=[{"name": "use_skill"}],
)
PROMPT = overture.build("opal", STATE).counted(overture.counter("o200k"))


def test_a_prompt_that_was_not_cut_has_no_note() -> None:
    """Without a budget there is nothing to tell."""
    assert note_budget(PROMPT) is None


def test_the_note_says_what_was_cut_and_what_comes_back() -> None:
    """It names the cuts, what 1,000 more tokens would bring back, and the section that costs most."""
    note = note_budget(overture.fit(PROMPT, 1_100))
    assert note is not None
    assert note.limit == 1_100
    assert note.tokens <= 1_100
    assert note.whole == PROMPT.tokens
    said = {cut.block: cut.said for cut in note.cuts}
    assert said["skills"] == "dropped"
    assert said["project-context"] == "shortened: /p/2/AGENTS.md; dropped: /p/0/AGENTS.md, /p/1/AGENTS.md"
    assert note.back == ("project-context: /p/1/AGENTS.md, /p/2/AGENTS.md, more of /p/0/AGENTS.md",)
    assert note.costliest == "project-context"


def test_what_is_said_to_come_back_comes_back() -> None:
    """With the 1,000 tokens more, what was promised is there."""
    note = note_budget(overture.fit(PROMPT, 2_200))
    assert note is not None
    assert note.back == ("skills", "tool-guidelines", "project-context: /p/0/AGENTS.md")
    assert overture.fit(PROMPT, 3_200).cuts == ()


def test_a_section_with_its_own_budget_needs_no_room() -> None:
    """What the larger budget adds is only what it would restore; the section stays within its own."""
    sections = {"project-context": 100}
    note = note_budget(overture.fit(PROMPT, overture.Budget(200, sections=sections)))
    assert note is not None and note.limit == 200
    assert overture.fit(PROMPT, overture.Budget(200 + note.more, sections=sections)).tokens == 200 + note.more


def test_measures_add_up() -> None:
    """Sections, paces and sources each have all tokens of the prompt."""
    told = stats(PROMPT)
    assert told.exact
    for rows in (told.sections, told.paces, told.sources):
        assert sum(row.tokens for row in rows) == told.tokens == PROMPT.tokens

"""A line that stands for what was cut is worth its tokens, and of a skill the name goes last."""

import re

import pytest

import overture
from overture import Budget, BudgetError, Prompt, Recipe, State, section
from overture.testing import make_state

O200K = overture.counter("o200k")
SKILLS = [
    {"name": f"skill-{n}", "description": description, "location": f"/s/place-{n}/SKILL.md"}
    for n, description in enumerate(
        ("Zebra. Zebra beta gamma delta. " * 3, "Zebra.", "Zebra one two three four five", "Zebra a. Zebra b.", "")
    )
    if description
]
TOOLS = [{"name": name, "description": "Does it."} for name in ("read", "use_skill", "exec")]


def budgets(whole: Prompt) -> "list[tuple[int, Prompt]]":
    """The prompt within every budget that can be met."""
    found = []
    for budget in range(whole.tokens, 0, -1):
        try:
            found.append((budget, overture.fit(whole, budget)))
        except BudgetError:
            break
    return found


def of(prompt: Prompt, name: str) -> str:
    return next((block.text for block in prompt.blocks if block.name == name), "")


def small_and_large() -> Recipe:
    """A short section that is worth little, and a long one that is worth more."""

    @section("small", priority=10)
    def small() -> str:
        """A dozen tokens."""
        return "The harbour opens at six, and closes at ten."

    @section("large", priority=50)
    def large() -> str:
        """Much text."""
        return "Mind the tide at every berth, and ask the master. " * 40

    return Recipe("two", (small, large))


def test_a_short_section_stays_rather_than_a_line_about_it() -> None:
    """A line that saves less than it costs is never written: the section stays, until the lines go too."""
    whole = overture.build(small_and_large(), State()).counted(O200K)
    for budget, cut in budgets(whole):
        assert "[small: left out" not in cut.text
        if "[large: left out" in cut.text or "Mind the tide" in cut.text:
            assert "The harbour opens" in cut.text or "[large: left out" in cut.text, budget
        if "Mind the tide" in cut.text:
            assert "The harbour opens" in cut.text, budget


def test_a_short_section_that_stays_is_no_cut() -> None:
    """It is said in full, so the record has nothing to say of it."""
    whole = overture.build(small_and_large(), State()).counted(O200K)
    cut = overture.fit(whole, 100)
    assert {c.block for c in cut.cuts} == {"large"}
    assert overture.fit(whole, Budget(sections={"small": 5})).cuts[0].how == "dropped"


def test_with_the_least_room_the_lowest_goes_first() -> None:
    """Where not even the lines have room, the short section goes before the line about the one that is worth more."""
    whole = overture.build(small_and_large(), State()).counted(O200K)
    cuts = [(bool(of(cut, "small")), bool(of(cut, "large"))) for _, cut in budgets(whole)]
    assert cuts == sorted(cuts, reverse=True) or (False, True) in cuts
    assert (True, False) not in cuts


@pytest.mark.slow(unless=("opal",))
@pytest.mark.parametrize("recipe", ["opal", "pi", "moltis", "nova", "ptc", "house"])
def test_every_line_saves_at_least_what_it_costs(recipe: str) -> None:
    """Of whole sections and of files: no line stands for less than twice its own tokens."""
    files = [{"path": f"/p/{n}/AGENTS.md", "content": "Use tabs. " * size} for n, size in enumerate((2, 6, 12, 60))]
    state = make_state(
        context_files=files, skills=SKILLS, tools=TOOLS, runtime={"cwd": "/p"}, memories=["Ada prefers tabs."],
        session={"id": "s"}, agent={"instructions": "Be brief."},
    )  # fmt: skip
    whole = overture.build(recipe, state).counted(O200K)
    for budget, small in budgets(whole):
        for cut in small.cuts:
            if cut.how == "replaced":
                assert cut.from_tokens >= 2 * cut.to_tokens - 1, (budget, cut)


def test_a_file_is_not_cut_to_save_less_than_the_line_about_it() -> None:
    """A file that has to give a few tokens gives so many that its line is worth it."""
    state = make_state(context_files=[{"path": "/p/AGENTS.md", "content": "Mind the tide at low water. " * 60}])
    whole = overture.build("opal", state).counted(O200K)
    line = O200K("[/p/AGENTS.md: 1,234 of 1,234 characters are left out from here on.]")
    for less in range(1, 60, 3):
        for cut in overture.fit(whole, Budget(sections={"project-context": whole.block_tokens[1] - less})).cuts:
            assert cut.from_tokens - cut.to_tokens >= line - 4, (less, cut)


@pytest.mark.parametrize("recipe", ["opal", "pi", "moltis", "house"])
def test_names_of_skills_go_last(recipe: str) -> None:
    """While any skill has a description or a place left, the name of none is gone."""
    whole = overture.build(recipe, make_state(skills=SKILLS, tools=TOOLS, runtime={"cwd": "/p"})).counted(O200K)
    bare = False
    for budget, small in budgets(whole):
        menu = of(small, "skills")
        names = [skill["name"] for skill in SKILLS if re.search(rf"\b{skill['name']}\b", menu)]
        if len(names) < len(SKILLS):
            assert "Zebra" not in menu, budget
            assert "/s/place" not in menu, budget
        bare = bare or (len(names) == len(SKILLS) and "/s/place" not in menu)
    assert bare


@pytest.mark.parametrize("recipe", ["pi", "moltis", "house"])
def test_a_bare_name_is_still_the_skills_own(recipe: str) -> None:
    """The name that is left comes from the skill's file, and can't leave its element."""
    evil = [{"name": 'a"></skill><b', "description": "Zebra. " * 9, "location": "/s/a/SKILL.md"}, *SKILLS]
    whole = overture.build(recipe, make_state(skills=evil, tools=TOOLS, runtime={"cwd": "/p"})).counted(O200K)
    for _, small in budgets(whole):
        menu = of(small, "skills")
        if "Zebra" not in menu and "skill-0" in menu and "/s/" not in menu:
            assert "></skill><b" not in menu
            spans = [s for b in small.blocks if b.name == "skills" for s in b.spans if s.source.kind == "file"]
            assert spans or recipe == "moltis"
            return
    raise AssertionError("no budget left the names alone")

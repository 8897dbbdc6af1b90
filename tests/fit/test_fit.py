"""What `fit` cuts, in which order, and what it leaves in its place."""

import pytest
from msgspec.structs import replace

import overture
from overture import (
    Body,
    Budget,
    BudgetError,
    ConfigError,
    CountError,
    Group,
    Part,
    Prompt,
    Recipe,
    Section,
    State,
    section,
)
from overture.model.source import from_state
from overture.model.tool import Tool
from overture.sections.tools_and_guidelines import bullets, tool_guidelines, write_tool_line
from overture.testing import make_state

O200K = overture.counter("o200k")
PARAGRAPH = "Run the tests before you commit, and say in the message why the change is needed.\n\n"
FILES = make_state(
    context_files=[{"path": f"/p{'/d' * i}/AGENTS.md", "content": PARAGRAPH * 40} for i in range(3)],
    skills=[
        {"name": f"skill-{i:02}", "description": f"Does thing {i}. It is used when thing {i} has to be done again."}
        | {"location": f"/s/skill-{i:02}/SKILL.md"}
        for i in range(30)
    ],
    tools=[{"name": "read"}, {"name": "use_skill"}],
    runtime={"cwd": "/p"},
)


def cut(recipe: str, budget: int, state: State = FILES) -> Prompt:
    return overture.fit(overture.build(recipe, state), budget, O200K)


def test_a_prompt_that_fits_is_left_as_it_is() -> None:
    """A budget larger than all cuts nothing: the same prompt comes back, without a record of cuts."""
    prompt = overture.build("opal", FILES).counted(O200K)
    assert overture.fit(prompt, prompt.tokens) is prompt
    assert overture.fit(prompt, 10**9) is prompt
    assert prompt.cuts == ()


def test_skills_are_shortened_before_a_file_is_touched() -> None:
    """The lower priority goes first: skills lose their second sentences while every file is whole."""
    whole = overture.build("opal", FILES).counted(O200K)
    small = overture.fit(whole, whole.tokens - 60)
    assert {c.block for c in small.cuts} == {"skills"}
    assert {c.how for c in small.cuts} == {"shortened"}
    assert "- **skill-29**: Does thing 29.\n" in small.text
    assert small.text.count(PARAGRAPH.strip()) == 120


def test_a_menu_shortens_all_before_it_drops_any() -> None:
    """While any skill has a description left, none is dropped; then it says how many of all are listed."""
    whole = overture.build("opal", FILES).counted(O200K)
    sizes = range(whole.tokens - 10, whole.tokens - 700, -30)
    for small in (overture.fit(whole, size) for size in sizes):
        dropped = [c for c in small.cuts if c.how == "dropped"]
        menu = next(block.text for block in small.blocks if block.name == "skills")
        if dropped:
            assert "**: " not in menu
            assert f"[{30 - len(dropped)} of 30 skills are listed: there is no room for the others.]" in menu
        else:
            assert all(f"skill-{i:02}" in menu for i in range(30))


@pytest.mark.parametrize("recipe", ["opal", "pi", "moltis"])
def test_far_files_go_before_near_ones(recipe: str) -> None:
    """The nearest file is whole while the outermost is cut, with a line that gives its path and how much is gone."""
    state = FILES.replace(skills=(), tools=())
    whole = overture.build(recipe, state).counted(O200K)
    small = overture.fit(whole, whole.tokens - 900)
    assert [c.part for c in small.cuts if c.block == "project-context"] == ["/p/AGENTS.md", "/p/d/AGENTS.md"]
    assert "[/p/AGENTS.md: 3,318 characters are left out.]" in small.text
    assert "[/p/d/AGENTS.md: " in small.text
    assert PARAGRAPH.strip() in small.blocks[[b.name for b in small.blocks].index("project-context")].text
    assert small.text.count(PARAGRAPH.strip()) >= 40


def test_a_heading_goes_with_its_file() -> None:
    """A path heads its file or the line about it: the two are cut as one."""
    whole = overture.build("pi", FILES.replace(skills=())).counted(O200K)
    for budget in range(whole.tokens, 250, -37):
        text = overture.fit(whole, budget).text
        for path in ("/p/AGENTS.md", "/p/d/AGENTS.md", "/p/d/d/AGENTS.md"):
            if f"## {path}\n" in text:
                after = text.partition(f"## {path}\n\n")[2]
                assert after.startswith((PARAGRAPH[:20], f"[{path}: "))


def test_a_guideline_goes_with_its_tool() -> None:
    """Where a tool is cut, the guideline that it brought along goes too, although it is worth more."""

    @section("tools", priority=10)
    def tools(tools: tuple[Tool, ...]) -> Body:
        """The tools."""
        lines = tuple(
            write_tool_line(i, tool, "It does what it does. " * 4, "description") for i, tool in enumerate(tools)
        )
        return Group(lines, loose="fair")

    @section("guidelines", priority=90)
    def rules(tools: tuple[Tool, ...]) -> Body:
        """What the tools bring along."""
        return bullets(tool_guidelines(tools))

    state = make_state(tools=[{"name": n, "guidelines": [f"Use {n} with care."]} for n in ("alpha", "beta", "gamma")])
    whole = overture.build(Recipe("tooled", (tools, rules)), state).counted(O200K)
    seen = set()
    for budget in range(whole.tokens, 20, -1):
        text = overture.fit(whole, budget).text
        listed = "- gamma" in text
        seen.add(listed)
        if not listed:
            assert "Use gamma with care." not in text
        elif "Use alpha with care." in text:
            assert "Use gamma with care." in text
    assert seen == {True, False}


@pytest.mark.parametrize("recipe", ["moltis", "house"])
def test_a_rule_goes_with_the_tool_that_it_is_about(recipe: str) -> None:
    """Where a limit takes a tool out of the list, the guidelines that only it brought about go with it."""
    tools = [{"name": name, "description": "Does what it says."} for name in ("exec", "browser", "bash", "read")]
    whole = overture.build(recipe, make_state(tools=tools)).counted(O200K)
    small = overture.fit(whole, Budget(sections={"tools": 5}))
    about = {"moltis": "Use `exec` for", "house": "Read files with the tool for it"}[recipe]
    assert about in whole.text
    assert about not in small.text
    assert ("guidelines", "dropped") in {(c.block, c.how) for c in small.cuts}


def tooled(guideline: str, count: int = 4) -> Prompt:
    """Tools, and a section that is worth more with a guideline for each of them."""
    tools = [
        Part(f"Tool {n} does what the harbor master wants done today.", from_state(f"tools[{n}]")) for n in range(count)
    ]
    tools = [replace(part, name=f"t{n}") for n, part in enumerate(tools)]
    rules = [Part(guideline.format(n), name=f"g{n}", goes_with=f"t{n}") for n in range(count)]
    say = Section("tools", lambda: Group(tuple(tools), loose="fair"), priority=10)
    return overture.build(Recipe("tooled", (say, Section("rules", lambda: list(rules), priority=90))), State()).counted(
        O200K
    )


def test_a_tool_is_said_in_fewer_words_before_it_goes() -> None:
    """A tool in full loses its schema, then its description, and keeps its name longest."""
    tool = {
        "name": "exec",
        "description": "Run a command. It runs in a shell, and what it prints comes back.",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}},
    }
    state = make_state(tools=[tool, {**tool, "name": "other"}], native_tools=False)
    whole = overture.build("moltis", state).counted(O200K)
    forms = []
    for budget in range(whole.tokens, 60, -5):
        blocks = {block.name: block.text for block in overture.fit(whole, budget).blocks}
        _, there, text = blocks.get("tools", "").partition("### other")
        forms.append("schema" if "```json" in text else "line" if "Run a command." in text else "name" if there else "")
    order = ["schema", "line", "name", ""]
    assert [order.index(form) for form in forms] == sorted(order.index(form) for form in forms)
    assert set(forms) >= {"schema", "line", "name"}


def test_files_are_cut_at_headings() -> None:
    """A file that does not fit ends where a section of it ends, as far as there is one near."""
    page = "".join(f"## Part {i}\n\n{PARAGRAPH * 2}" for i in range(20))
    state = make_state(context_files=[{"path": "/p/AGENTS.md", "content": page}])
    small = cut("opal", 700, state)
    kept = small.text.partition("\n\n[/p/AGENTS.md: ")[0]
    assert kept.endswith(PARAGRAPH.strip())
    assert kept.count("## Part") * 2 == kept.count(PARAGRAPH.strip())


def test_an_open_code_block_is_closed_before_the_line_about_the_cut() -> None:
    """A file that is cut within a fence does not swallow what follows."""
    page = "```python\n" + "print('a line of code that goes on for a while')\n" * 200 + "```"
    small = cut("opal", 600, make_state(context_files=[{"path": "/p/AGENTS.md", "content": page}]))
    assert "\n```\n\n[/p/AGENTS.md: " in small.text


def test_required_blocks_that_do_not_fit_are_an_error() -> None:
    """It says what has to stay, and which budget would do."""
    prompt = overture.build("pi", FILES).counted(O200K)
    with pytest.raises(BudgetError) as caught:
        overture.fit(prompt, 20)
    message = str(caught.value)
    assert message.startswith("The budget of 20 tokens can't be met. 'base' has to stay and has ")
    least = int(message.partition("Raise the budget to ")[2].partition(" ")[0])
    assert message.endswith(f" Raise the budget to {least} or more.") and "--" not in message
    assert caught.value.hint == f"Raise the budget to {least} or more: `--budget {least}`."
    assert overture.fit(prompt, least).tokens == least


def test_a_required_section_over_its_own_budget_is_an_error_that_helps() -> None:
    """The budget that would do is that of the section: one for the whole prompt would not help."""
    prompt = overture.build("pi", FILES).counted(O200K)
    with pytest.raises(BudgetError) as caught:
        overture.fit(prompt, Budget(sections={"base": 20}))
    assert caught.value.message == "A budget of 20 tokens is too small for `base`"
    least = int(str(caught.value).partition("Raise the budget of 'base' to ")[2].partition(" ")[0])
    assert caught.value.hint == f"Raise the budget of 'base' to {least} or more: `--budget base={least}`."
    assert not overture.fit(prompt, Budget(sections={"base": least})).cuts


@pytest.mark.parametrize(
    "budget", [0, -1, -(10**9), 0.0, 1.5, float("nan"), True, "", "many", "0%", "120%", "-3", (), b"9"]
)
def test_a_budget_that_is_none_is_an_error(budget: object) -> None:
    """Zero, negative, no number, no share: an error that gives the value and what to write."""
    with pytest.raises(ConfigError):
        overture.fit(overture.build("opal", FILES), Budget(budget, window=1000))  # type: ignore[arg-type]


def test_a_share_needs_the_window() -> None:
    """`10%` is a tenth of the window; without one it is an error that says so."""
    prompt = overture.build("opal", FILES).counted(O200K)
    assert overture.fit(prompt, Budget("10%", window=8_000)).tokens <= 800
    assert overture.fit(prompt, Budget(0.1, window=8_000)).text == overture.fit(prompt, 800).text
    with pytest.raises(ConfigError, match="window"):
        overture.fit(prompt, "10%")
    with pytest.raises(ConfigError, match="window: 'x' is not a number of tokens"):
        overture.fit(prompt, Budget("10%", window="x"))  # type: ignore[arg-type]


def test_an_unknown_section_is_an_error() -> None:
    """A limit for a section that the recipe does not have names the nearest."""
    with pytest.raises(ConfigError, match="Did you mean 'skills'"):
        overture.fit(overture.build("opal", FILES), Budget(sections={"skils": 10}))


def test_a_budget_smaller_than_its_notice_drops_in_silence_but_on_the_record() -> None:
    """Where there is no room even for the lines about cuts, they go too, and the record keeps them."""
    small = cut("opal", 5)
    assert small.text == ""
    assert {c.how for c in small.cuts} == {"dropped"}
    assert {c.block for c in small.cuts} == {o.name for o in small.omitted if "budget" in o.reason}


def test_a_counter_that_raises_is_named() -> None:
    """A counter's own error comes back as one that names the counter."""

    def broken(text: str) -> int:
        raise ValueError("no vocabulary")

    with pytest.raises(CountError, match="'broken' failed: ValueError: no vocabulary"):
        overture.fit(overture.build("opal", FILES), 100, broken)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["a" * 5_000_000, "word " * 1_000_000, "日本語" * 1_700_000, "A sentence of some words. " * 200_000],
    ids=["one word", "words", "no blanks", "sentences"],
)
def test_five_megabytes_without_a_newline_are_cut(text: str) -> None:
    """One endless line is cut to the budget, between words or characters, with the line that says so."""
    small = cut("opal", 2_000, make_state(context_files=[{"path": "/p/AGENTS.md", "content": text}]))
    assert 1_500 <= O200K(small.text) <= 2_000
    assert "[/p/AGENTS.md: " in small.text
    assert "characters are left out from here on.]" in small.text


def test_text_of_only_combining_marks_is_not_torn() -> None:
    """Marks without a letter are one character: they are left out as a whole."""
    small = cut("opal", 200, make_state(context_files=[{"path": "/p/AGENTS.md", "content": "\u0301" * 100_000}]))
    assert O200K(small.text) <= 200
    assert "\u0301" not in small.text


def test_provenance_survives_a_cut() -> None:
    """What is left of a file is traced to its line; the line about the cut belongs to the recipe."""
    state = make_state(context_files=[{"path": "/p/AGENTS.md", "content": "\n".join(f"line {i}" for i in range(999))}])
    small = cut("opal", 500, state)
    source = small.source_at(small.text.index("line 7\n"))
    assert (source.path, source.line) == ("/p/AGENTS.md", 8)
    assert small.source_at(small.text.index("[/p/AGENTS.md")).kind == "recipe"


def test_cuts_are_in_the_json() -> None:
    """Each cut stands in the JSON with its block, part, tokens before and after, and how; so do the parts' own cuts."""
    data = cut("opal", 1_500).to_dict()
    assert {"block", "part", "from_tokens", "to_tokens", "how"} == set(data["cuts"][0])
    parts = [part for block in data["blocks"] for part in block["parts"] if part["cut"]]
    assert {part["cut"] for part in parts} == {"shortened"}
    assert all(part["source"]["path"].startswith("/p/") for part in parts)


def test_a_turn_keeps_the_cuts_of_the_turn_before() -> None:
    """With `since`, a prompt whose fast part changed keeps its slow blocks, cut as they were, as the same objects."""
    state = FILES.replace(now=make_state(now="2026-03-07T08:55:05-06:00").now)
    first = overture.build("pi", state).counted(O200K)
    small = overture.fit(first, 1_500)
    later = overture.build("pi", state.replace(now=make_state(now="2026-12-31T23:59:59-06:00").now), since=small)
    again = overture.fit(later, 1_500, since=small)
    assert [b for b in again.blocks if b.pace != "turn"] == [b for b in small.blocks if b.pace != "turn"]
    assert O200K(again.text) <= 1_500


def test_a_prompt_that_outgrows_its_cuts_is_cut_by_a_step() -> None:
    """When a turn has no room left, more is cut than must be, so that the next turns need no further cut."""

    @section("notes", pace="turn", priority=90, required=True)
    def notes(memories: tuple[str, ...]) -> Body:
        """What changes."""
        return [Part(text) for text in memories] or "nothing"

    opal = overture.load_recipe("opal")
    recipe = Recipe("noted", (*opal.sections, notes))
    state, texts = FILES, []
    small = overture.fit(overture.build(recipe, state), 1_500, O200K)
    for turn in range(12):
        state = state.replace(memories=(*state.memories, f"In turn {turn} a line was added."))
        small = overture.fit(overture.build(recipe, state, since=small), 1_500, since=small)
        assert O200K(small.text) <= 1_500
        texts.append("\n".join(b.text for b in small.blocks if b.pace != "turn"))
    assert len(set(texts)) <= 3

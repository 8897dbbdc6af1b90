import overture
from overture.model.state.discovery import Discovery, Look
from overture.report.explain import explain
from overture.report.why import why
from overture.testing import make_state

STATE = make_state(
    context_files=[{"path": "/p/AGENTS.md", "content": "Use tabs."}],
    tools=[{"name": "shell"}],
    runtime={"cwd": "/p"},
)
PROMPT = overture.build("opal", STATE)


def test_every_character_is_accounted_for() -> None:
    """The shares of the blocks add up to the blocks, and the blocks with the blank lines between them to the prompt."""
    told = explain(PROMPT)
    for block in told.blocks:
        assert sum(share.chars for share in block.shares) == block.end - block.start
    assert sum(block.end - block.start for block in told.blocks) + 2 * (len(told.blocks) - 1) == told.chars


def test_a_block_says_why_it_is_there_and_from_where() -> None:
    """Each block has its section's claim, its pace, what it reads, and a share for each source."""
    block = next(block for block in explain(PROMPT).blocks if block.name == "project-context")
    assert block.why == "The project's own instructions, outermost file first."
    assert (block.pace, block.reads) == ("session", ("context_files",))
    assert {str(share.source): share.chars for share in block.shares}["/p/AGENTS.md:1"] == len("Use tabs.")


def test_every_rule_says_whether_it_fired_and_why() -> None:
    """Each rule of the recipe is there, fired or not, with the tools that decide it."""
    told = {rule.name: (rule.fired, rule.because) for rule in explain(PROMPT).rules}
    assert told["search_guidelines"] == (True, "shell is active; read_file is not active")
    assert told["read_vs_shell"] == (False, "read_file is not active")
    assert told["write_guidelines"] == (False, "write_file is not active")
    assert len(told) == 6


def test_every_section_is_a_block_or_left_out_with_a_reason() -> None:
    """No section of the recipe is missing from the explanation."""
    told = explain(PROMPT)
    names = [block.name for block in told.blocks] + [omission.name for omission in told.omitted]
    assert sorted(names) == sorted(section.name for section in PROMPT.recipe.sections)
    assert all(omission.reason for omission in told.omitted)


LOOKED = (
    Look("/p/AGENTS.md", "context", "loaded"),
    Look("/p/CLAUDE.md", "context", "hidden", "by /p/AGENTS.md"),
    Look("/CLAUDE.md", "context", "absent"),
    Look("/p/x/AGENTS.md", "context", "unreadable", "permission denied"),
    Look("/p/OPAL.md", "context", "cleared", "it is empty"),
)


FOUND = Discovery(STATE, looked_at=LOOKED)


def told(name: str, path: str = "") -> list[tuple[str, str]]:
    """What `--why NAME` answers: a path and a sentence for each file."""
    return [(fate.path, fate.said) for fate in why(name, path or name, PROMPT, FOUND)]


def test_why_answers_in_one_sentence() -> None:
    """For each path that was looked at, `why` says what became of it."""
    assert told("/p/CLAUDE.md") == [
        ("/p/CLAUDE.md", "not used: hidden by /p/AGENTS.md, because only the first of a folder is read.")
    ]
    assert told("OPAL.md") == [("/p/OPAL.md", "loaded, but empty.")]
    assert told("x/AGENTS.md", "/p/x/AGENTS.md") == [("/p/x/AGENTS.md", "not used: permission denied.")]
    assert told("/CLAUDE.md") == [("/CLAUDE.md", "looked for, not found.")]
    start = PROMPT.text.index("Use tabs.")
    assert told("/p/AGENTS.md") == [("/p/AGENTS.md", f"in the prompt: 9 characters, from character {start} on.")]


def test_a_bare_name_tells_of_every_file_of_that_name_that_is_there() -> None:
    """`why CLAUDE.md` answers for each such file, and for those that are absent only if there is none."""
    assert [path for path, _ in told("AGENTS.md", "/q/AGENTS.md")] == ["/p/AGENTS.md", "/p/x/AGENTS.md"]
    assert [path for path, _ in told("CLAUDE.md", "/q/CLAUDE.md")] == ["/p/CLAUDE.md"]


def test_a_file_that_nobody_looked_for_is_answered_with_what_is_read() -> None:
    """For a path that the recipe never looks at, `why` names the files that it does read."""
    ((path, said),) = told("GEMINI.md", "/p/GEMINI.md")
    assert path == "/p/GEMINI.md"
    assert said.startswith("recipe opal never looked for it.")
    assert "AGENTS.md, CLAUDE.md, OPAL.md" in said

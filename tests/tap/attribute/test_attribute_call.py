"""Calls are attributed to the files of the project, of home and of agents' folders."""

import json

import pytest

from overture.tap.attribute.attribute_call import find_call_files
from overture.tap.recorded_call import CallPiece
from overture.tap.run.programs import find_agent_of_program

from .places import FILES, OWN, PAGE, call_of, sources_of

pytestmark = pytest.mark.slow


def test_each_piece_by_itself() -> None:
    """System prompt, tools and messages are attributed; a piece that no file accounts for is not there."""
    tool = CallPiece("tool", "skill", json.dumps({"description": "Skills:\n- brew: Makes fine coffee for everybody"}))
    call = call_of(tool, "You are a helper.", f"{OWN}\n--- project-doc ---\n\n{PAGE}")
    spans = find_call_files(call, sources_of()).spans
    assert [(number, span.path, span.line) for number, each in spans.items() for span in each] == [
        (0, "/p/.agents/skills/brew/SKILL.md", 2),
        (0, "/p/.agents/skills/brew/SKILL.md", 3),
        (2, "/home/user/.codex/AGENTS.md", 1),
        (2, "/p/AGENTS.md", 1),
    ]


def test_no_page_that_a_known_agent_does_not_load() -> None:
    """Words of its prompt are from no page of the project, and from nothing else that its rules do not name."""
    call = call_of(OWN, FILES["/p/docs/tides.md"], FILES["/home/user/.codex/memories/ships.md"])
    spans = find_call_files(call, sources_of()).spans
    assert [span.path for each in spans.values() for span in each] == ["/home/user/.codex/AGENTS.md"]


def test_what_a_tool_read_may_be_any_file_of_the_project() -> None:
    """Its results are compared with all of them where that is asked for."""
    call = call_of(PAGE, CallPiece("message", "user", FILES["/p/app/main.go"], "tool result"))
    found = find_call_files(call, sources_of(), tool_files=True)
    assert [span.path for each in found.spans.values() for span in each] == ["/p/AGENTS.md", "/p/app/main.go"]
    assert [file.path for file in found.sent] == ["/p/AGENTS.md"]
    assert set(find_call_files(call, sources_of()).spans) == {0}


def test_a_text_that_no_model_takes_is_not_compared_and_that_is_said() -> None:
    """The others of the call are, and nothing takes minutes or gigabytes."""
    found = find_call_files(call_of(PAGE, "many a word " * 400_000), sources_of())
    assert [file.path for file in found.sent] == ["/p/AGENTS.md"]
    assert found.notes[-1].endswith("has 4,800,000 characters; up to 4,000,000 are compared with files")


@pytest.mark.parametrize(
    ("program", "agent"),
    [
        ("claude", "claude-code"),
        ("/usr/bin/codex", "codex"),
        ("gemini-cli", "gemini-cli"),
        ("python", None),
        ("", None),
    ],
)
def test_which_agent_a_program_is(program: str, agent: str | None) -> None:
    """A program is known by its own name and by the agent's; one that nobody knows has no rules."""
    assert find_agent_of_program(program) == agent


def test_a_program_that_nobody_knows() -> None:
    """Its calls are attributed all the same, and nothing is said of what its rules are."""
    sources = sources_of("python")
    call = call_of(PAGE)
    spans = find_call_files(call, sources).spans
    assert [span.path for span in spans[0]] == ["/p/AGENTS.md"]
    assert find_call_files(call, sources).unsent == ()

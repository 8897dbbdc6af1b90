"""Instruction files that are not in a call are named with the agent's reason, and so is what the known rules miss."""

import pytest

from overture.tap.attribute.attribute_call import find_call_files
from overture.tap.attribute.files_of_call import UnsentFile
from overture.tap.recorded_call import CallPiece

from .places import FILES, OWN, PAGE, SKILL, call_of, sources_of

pytestmark = pytest.mark.slow


WHOLE = f"{OWN}\n{PAGE}\n- brew: Makes fine coffee for everybody (file: r0/brew/SKILL.md)\n"


def unsent(text: str, files: dict[str, str] = FILES, program: str = "codex") -> dict[str, UnsentFile]:
    """What is said of the files, by path."""
    sources, call = sources_of(program, files), call_of(text)
    return {fate.path: fate for fate in find_call_files(call, sources).unsent}


def test_a_file_that_the_agent_does_not_read() -> None:
    """Codex is not told CLAUDE.md, and the reason is that of its rules; what was sent is not named."""
    found = unsent(WHOLE)
    assert set(found) == {"/p/CLAUDE.md"}
    assert found["/p/CLAUDE.md"].tells == "not sent"
    assert found["/p/CLAUDE.md"].why == "Codex does not read CLAUDE.md"
    assert not found["/p/CLAUDE.md"].is_finding


def test_the_rules_say_that_it_is_sent() -> None:
    """A file that should be there and is not is a finding of its own."""
    fate = unsent(WHOLE.replace(PAGE, ""))["/p/AGENTS.md"]
    assert (fate.tells, fate.is_finding) == ("rules say sent", True)


def test_the_rules_say_that_it_is_not_sent() -> None:
    """So is a file that is there and should not be."""
    fate = unsent(WHOLE + FILES["/p/CLAUDE.md"])["/p/CLAUDE.md"]
    assert (fate.tells, fate.is_finding) == ("rules say not sent", True)
    assert "Codex does not read CLAUDE.md" in fate.why


def test_lines_of_a_file_that_is_never_read() -> None:
    """Less than half of it may be from elsewhere: it is no finding."""
    lines = [f"Line {at} says something about the harbour and its {at * 7} ships.\n" for at in range(1, 41)]
    files = {**FILES, "/p/CLAUDE.md": "".join(lines)}
    for count, tells in ((0, "not sent"), (15, "not sent"), (25, "rules say not sent")):
        assert unsent(WHOLE + "".join(lines[:count]), files)["/p/CLAUDE.md"].tells == tells


def test_what_a_tool_read_is_no_finding() -> None:
    """The model may read any file: the rules are about what it is told unasked."""
    sources = sources_of()
    asked = CallPiece("message", "assistant", '{"path": "CLAUDE.md"}', "tool call")
    call = call_of(WHOLE, asked, CallPiece("message", "user", FILES["/p/CLAUDE.md"], "tool result"))
    assert not [fate for fate in find_call_files(call, sources).unsent if fate.is_finding]


def test_a_file_that_was_cut_though_no_rule_says_so() -> None:
    """The line behind which it ends is said, with how many there are."""
    page = "".join(f"Line {at} says something about the harbour and its {at * 7} ships.\n" for at in range(1, 41))
    text = WHOLE.replace(PAGE, page[: page.index("Line 21 ")])
    fate = unsent(text, {**FILES, "/p/AGENTS.md": page})["/p/AGENTS.md"]
    assert fate.tells == "cut elsewhere"
    assert "truncated after line 20 of 40" in fate.why


def test_a_file_that_was_cut_as_the_rules_say() -> None:
    """Codex takes 32 KiB of a project's files: where it ends there, nothing is to be said."""
    page = "".join(
        f"Line {at:04} says something about the harbour and its {at * 7:06} ships.\n" for at in range(1, 901)
    )
    text = WHOLE.replace(PAGE, page[:32768])
    assert "/p/AGENTS.md" not in unsent(text, {**FILES, "/p/AGENTS.md": page})


def test_a_file_that_is_too_short_to_tell() -> None:
    """A word or two may stand anywhere: that it was not sent is not said."""
    fate = unsent(WHOLE.replace(PAGE, ""), {**FILES, "/p/AGENTS.md": "Be brief.\n"})["/p/AGENTS.md"]
    assert (fate.tells, fate.is_finding) == ("too short to tell", False)


def test_a_text_under_two_names_was_sent_under_one() -> None:
    """A copy of a file that was sent is not said to be missing."""
    assert "/p/CLAUDE.md" not in unsent(WHOLE, {**FILES, "/p/CLAUDE.md": PAGE})


def test_a_skill_that_is_told_by_its_name() -> None:
    """A long menu leaves descriptions out: a skill whose name is there was sent."""
    menu = WHOLE.partition("- brew")[0]
    assert "/p/.agents/skills/brew/SKILL.md" not in unsent(f"{menu}- brew\n- other\n")


def test_settings_are_not_told() -> None:
    """An agent's settings change what it reads; nobody expects them in a call."""
    assert not [
        path for path in unsent(WHOLE, {**FILES, "/home/user/.codex/config.toml": 'model = "x"\n'}) if "toml" in path
    ]


def test_a_skill_without_its_place_in_the_menu() -> None:
    """A skill of which nothing was sent is named; its body alone is enough to be there."""
    menu = WHOLE.partition("- brew")[0]
    assert unsent(menu)["/p/.agents/skills/brew/SKILL.md"].tells == "rules say sent"
    assert "/p/.agents/skills/brew/SKILL.md" not in unsent(menu + SKILL)

"""A file that holds little to read is refused in one line: nobody would have anything of it."""

import pytest

import overture
from overture.testing import FakeWorld


def found(text: str) -> overture.Discovery:
    """What is found where AGENTS.md says this."""
    return overture.discover("house", cwd="/p", home="/h", world=FakeWorld({"/p/.git/HEAD": "x", "/p/AGENTS.md": text}))


@pytest.mark.parametrize("piece", ["\0", "a\x07", "ab\u200b", "\u202e", "<", "<s>", "<b>"])
def test_a_flood_is_no_text(piece: str) -> None:
    """Control characters, invisible ones, or beginnings of tags, and little else."""
    result = found(piece * 150_000)
    assert result.state.context_files == ()
    (note,) = result.diagnostics
    assert note.path == "/p/AGENTS.md"
    assert "characters are `<`, control characters or invisible: it is not readable text" in note.message


@pytest.mark.parametrize(
    "piece", ["می‌خواهم بروم. ", "one line\r\n", "Use <b> for it, and say why it is so.\n", "👨‍👩‍👧 is a family.\n"]
)
def test_long_texts_are_read(piece: str) -> None:
    """Scripts that need joiners, Windows line ends and some markup are text, however long."""
    result = found(piece * 120_000)
    assert len(result.state.context_files) == 1
    assert [note.code for note in result.diagnostics] == ["file-large"]


def test_more_skills_than_a_menu_has_room_for_are_named_in_a_line() -> None:
    """They are all listed, and one line says how many, and what to do."""
    skill = "---\nname: {0}\ndescription: Does {0}.\n---\n"
    files = {f"/p/.agents/skills/s{n}/SKILL.md": skill.format(f"s{n}") for n in range(1001)}
    result = overture.discover("house", cwd="/p", home="/h", world=FakeWorld({"/p/.git/HEAD": "x", **files}))
    assert len(result.state.skills) == 1001
    assert [note.code for note in result.diagnostics] == ["skills-many"]

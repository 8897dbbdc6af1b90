"""Instructions that stand in several files."""

import pytest

from ..look import findings, places

LONG = "Every public function gets a docstring whose first line says what it promises."
OTHER = "Every public function gets a docstring whose very first line says what it promises."


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (f"- {LONG}", f"# Rules\n\n* {LONG}\n"),
        (LONG, f"1. {LONG}"),
        (LONG, LONG.replace("docstring", "**docstring**")),
        (LONG, LONG.replace("Every public", "Every\npublic")),
        (LONG, OTHER),
        (LONG, f"Unlike here.\n\n- [ ] {LONG}"),
    ],
)
def test_the_same_instruction_in_two_files_is_found(mine: str, theirs: str) -> None:
    """However it is set, wherever it stands, and with a word more or less."""
    [found] = findings("repeated-instruction", {"AGENTS.md": mine, ".cursor/rules/a.mdc": theirs})
    assert found.path == "/p/.cursor/rules/a.mdc"
    assert "line 1 of /p/AGENTS.md" in found.message


def test_its_line_is_that_of_the_copy() -> None:
    """The finding stands at the later file, on the line where the copy begins."""
    files = {"AGENTS.md": f"Short.\n\n{LONG}", "a/AGENTS.md": f"# A\n\nShort.\n\n- {LONG}\n"}
    [found] = findings("repeated-instruction", files, cwd="/p/a")
    assert (found.path, found.line, found.severity) == ("/p/a/AGENTS.md", 5, "warning")
    assert "line 3 of /p/AGENTS.md" in found.message


def test_two_files_that_share_much_give_one_finding() -> None:
    """Whoever copied forty lines is told so once, with their number."""
    lines = "\n".join(f"- Rule {n}: {LONG.replace('function', f'function of part {n} of the code')}" for n in range(5))
    [found] = findings("repeated-instruction", {"AGENTS.md": lines, "GEMINI.md": f"Mine.\n\n{lines}"})
    assert "4 more" in found.message


@pytest.mark.parametrize(
    "files",
    [
        {"AGENTS.md": LONG, "GEMINI.md": LONG},
        {"AGENTS.md": "Run the tests.", ".cursorrules": "# X\n\nRun the tests."},
        {"AGENTS.md": f"```\n{LONG}\n```", ".cursorrules": f"# X\n\n```\n{LONG}\n```"},
        {"AGENTS.md": f"## {LONG}", ".cursorrules": f"# X\n\n## {LONG}"},
        {"AGENTS.md": f"{LONG}\n\n{LONG}"},
        {
            "AGENTS.md": LONG,
            ".cursorrules": "# X\n\nEvery private class gets a comment whose last line says who wrote it.",
        },
        {"AGENTS.md": f"Always. {LONG}", ".cursorrules": f"# X\n\nNever. {LONG}"},
        {"AGENTS.md": f"<!-- {LONG} -->", ".cursorrules": f"# X\n\n<!-- {LONG} -->"},
        {".agents/skills/a/SKILL.md": f"---\nname: a\ndescription: A.\n---\n{LONG}", "AGENTS.md": LONG},
    ],
    ids=["whole copy", "short", "code", "heading", "one file", "other words", "opposite", "comment", "skill"],
)
def test_what_is_no_repetition_is_not_found(files: dict[str, str]) -> None:
    """Copies of whole files, short lines, code, headings, comments, and skills, which stand alone."""
    assert not places("repeated-instruction", files)

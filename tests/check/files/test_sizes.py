"""Files that agents cut, that repeat the README, and that shout."""

import pytest

from ..look import findings, places

LINE = "x" * 63 + "\n"


def test_the_line_at_which_codex_cuts_is_named() -> None:
    """32,768 bytes are 512 lines of 64: the first that is lost is line 513."""
    [found] = findings("over-agent-limit", {"AGENTS.md": LINE * 600})
    assert (found.path, found.line, found.severity) == ("/p/AGENTS.md", 513, "warning")
    assert "Codex CLI" in found.message and "38,400" in found.message


def test_all_files_on_the_way_share_what_codex_takes() -> None:
    """The root is served first, so the nearest file is cut; bytes count, not characters."""
    files = {"AGENTS.md": LINE * 400, "a/AGENTS.md": "ä" * 31 + "é\n" + LINE * 200}
    [found] = findings("over-agent-limit", files, cwd="/p/a")
    assert (found.path, found.line) == ("/p/a/AGENTS.md", 2 + (32_768 - 400 * 64 - 65) // 64)
    assert "7,168 are left" in found.message


@pytest.mark.parametrize(
    ("path", "lines", "agent", "severity"),
    [
        ("CLAUDE.md", 1300, "Factory droid", "warning"),
        (".windsurf/rules/a.md", 200, "Windsurf", "info"),
        (".agents/rules/a.md", 200, "Antigravity", "info"),
        (".goosehints", 2100, "Goose", "warning"),
    ],
)
def test_other_agents_have_other_limits(path: str, lines: int, agent: str, severity: str) -> None:
    """What is only documented is worth a word; what was seen or read in source is a warning."""
    found = findings("over-agent-limit", {path: LINE * lines})
    assert (agent, severity) in [(agent, each.severity) for each in found if agent in each.message]


def test_a_file_within_every_limit_is_not_found() -> None:
    """Codex takes 32,768 bytes, and that many are fine; an override counts in place of the file beside it."""
    assert not places("over-agent-limit", {"AGENTS.md": LINE * 512, "GEMINI.md": LINE * 900})
    assert not places("over-agent-limit", {"AGENTS.md": LINE * 600, "AGENTS.override.md": "Short."})


NUMBERS = ("one", "two", "three", "four", "five")
SENTENCES = [f"This is the sentence number {word} of a text on boats." for word in NUMBERS]


def test_a_file_that_repeats_the_readme_is_found() -> None:
    """With how much of it stands there, and a link to write instead."""
    text = "\n\n".join(SENTENCES)
    [found] = findings(
        "readme-repeated", {"README.md": f"# Boats\n\n{text}", "AGENTS.md": f"# Agents\n\n{text}\n\n- Own rule."}
    )
    assert (found.path, found.line) == ("/p/AGENTS.md", 3)
    assert "5 of its 5" in found.message and "[README.md](README.md)" in found.message


def test_a_file_with_words_of_its_own_is_not_found() -> None:
    """A sentence or two may stand in both; without a README there is nothing to repeat."""
    own = "\n\n".join(f"{each} And here is more on that for agents alone." for each in SENTENCES)
    shared = "\n\n".join(SENTENCES[:2])
    assert not places("readme-repeated", {"README.md": "\n\n".join(SENTENCES), "AGENTS.md": f"{shared}\n\n{own}"})
    assert not places("readme-repeated", {"AGENTS.md": "\n\n".join(SENTENCES)})


def test_a_file_that_shouts_is_found() -> None:
    """Capitals, bold and exclamation marks on most of its lines: one finding, and no more than a word."""
    lines = "\n".join(f"- You MUST do thing {n}, and NEVER thing {n + 1}!!" for n in range(20))
    [found] = findings("emphasis-inflation", {"AGENTS.md": f"# A\n\n{lines}"})
    assert (found.line, found.severity) == (3, "info")


@pytest.mark.parametrize("line", ["- **Term {}**: what it means.", "- Call `MUST_{}` and `NEVER`.", "- Do thing {}."])
def test_labels_and_code_do_not_shout(line: str) -> None:
    """A list of bold terms is a list; a constant in capitals is its name."""
    assert not places("emphasis-inflation", {"AGENTS.md": "\n".join(line.format(n) for n in range(30))})


def test_a_few_loud_words_are_fine() -> None:
    """Emphasis is for the few lines that matter most."""
    calm = "\n".join(f"- Do thing {n}." for n in range(60))
    assert not places("emphasis-inflation", {"AGENTS.md": "- NEVER push to main!!\n" * 12 + calm})

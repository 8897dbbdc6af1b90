"""Files that agents cut, that repeat the README, and that shout."""

from collections.abc import Mapping

import pytest

from overture.agents.make_reports import report_agents
from overture.check.rules.repetition_and_emphasis import LOUD_WORDS
from overture.known_agents import agent_facts
from overture.testing import FakeWorld

from ..look import findings, places
from ..pages import PAGES

LINE = "x" * 63 + "\n"


def agents_say(name: str, files: Mapping[str, str], cwd: str = "/p") -> dict[str, int | None]:
    """By file, the last line that `overture agents` says an agent loads, where it does not load all."""
    world = FakeWorld({"/p/.git/HEAD": "", **{_place(path): text for path, text in files.items()}}, cwd=cwd)
    [report] = report_agents([name], cwd=cwd, home="/home/user", world=world)
    return {file.path: file.last_line for file in report.files if file.last_line is not None}


def _place(path: str) -> str:
    return path if path.startswith("/") else f"/p/{path}"


def test_the_last_line_that_codex_reads_is_named() -> None:
    """32,768 bytes are 512 lines of 64."""
    [found] = findings("truncated-instructions", {"AGENTS.md": LINE * 600})
    assert (found.path, found.line, found.severity) == ("/p/AGENTS.md", 512, "warning")
    assert "Codex 0.166.0" in found.message and "38,400" in found.message and "line 512 of 600" in found.message


def test_all_files_on_the_way_share_what_codex_takes() -> None:
    """The root is served first, so the nearest file is cut; bytes count, not characters."""
    files = {"AGENTS.md": LINE * 400, "a/AGENTS.md": "ä" * 31 + "é\n" + LINE * 200}
    [found] = findings("truncated-instructions", files, cwd="/p/a")
    assert (found.path, found.line) == ("/p/a/AGENTS.md", 2 + (32_768 - 400 * 64 - 65) // 64)


def test_a_file_below_is_truncated_for_whoever_starts_there() -> None:
    """From the root `check` finds what an agent loses that is started in a folder with files of its own, once."""
    files = {"AGENTS.md": LINE * 400, "a/AGENTS.md": LINE * 200, "a/b/AGENTS.md": "Of b.\n", "c/AGENTS.md": "Of c.\n"}
    [found] = findings("truncated-instructions", files)
    assert (found.path, found.line) == ("/p/a/AGENTS.md", 112)
    assert found.message.startswith("started in its folder, Codex 0.166.0 loads it up to line 112 of 200")
    [found] = findings("truncated-instructions", {**files, "AGENTS.md": LINE * 600})
    assert (found.path, found.line) == ("/p/AGENTS.md", 512)


@pytest.mark.parametrize("place", ["/home/user/.codex/config.toml", ".codex/config.toml"])
@pytest.mark.parametrize("limit", [640, 200_000])
def test_a_limit_that_the_agents_settings_change_is_the_one_that_counts(place: str, limit: int) -> None:
    """`check` names a file where `agents` does, up to the same line, whether the setting takes more or less."""
    files = {"AGENTS.md": LINE * 600, place: f"project_doc_max_bytes = {limit}\n"}
    found = {each.path: each.line for each in findings("truncated-instructions", files) if "Codex" in each.message}
    assert found == agents_say("codex", files) == ({"/p/AGENTS.md": 10} if limit == 640 else {})


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("codex", {"AGENTS.md": LINE * 300, "a/AGENTS.md": LINE * 300}),
        ("droid", {"AGENTS.md": LINE * 900, "a/AGENTS.md": LINE * 900}),
        ("gptme", {"a/AGENTS.md": LINE * 1700}),
        ("devin", {".windsurf/rules/long.md": LINE * 300}),
        ("antigravity", {".agents/rules/long.md": LINE * 300}),
    ],
)
def test_check_names_the_line_that_agents_names(name: str, files: dict[str, str]) -> None:
    """Of every agent with a limit: the rule asks the agent's own discovery."""
    title = agent_facts(name).title
    said = {
        each.path: each.line for each in findings("truncated-instructions", files, cwd="/p/a") if title in each.message
    }
    assert said == agents_say(name, files, cwd="/p/a") != {}


def test_a_rule_that_is_loaded_on_demand_has_its_limit_too() -> None:
    """Devin takes 12,000 characters of a rule, also of one that waits for a file."""
    rule = f"---\ntrigger: glob\nglobs: '*.py'\n---\n{LINE * 300}"
    assert any("Devin" in each.message for each in findings("truncated-instructions", {".windsurf/rules/a.md": rule}))


def test_a_skill_over_the_limit_of_an_agent_is_found() -> None:
    """Zed lists no SKILL.md of more than 102,400 bytes, and `agents` says the same."""
    text = f"---\nname: big\ndescription: Much.\n---\n{LINE * 1700}"
    [found] = [each for each in findings("truncated-instructions", {".agents/skills/big/SKILL.md": text})]
    assert found.message.startswith("Zed does not list skills over 102,400 bytes")
    world = FakeWorld({"/p/.git/HEAD": "", "/p/.agents/skills/big/SKILL.md": text}, cwd="/p")
    [report] = report_agents(["zed"], cwd="/p", home="/home/user", world=world)
    assert [(file.status, "102,400" in file.why) for file in report.files] == [("skipped", True)]


@pytest.mark.parametrize(
    ("path", "lines", "agent", "severity"),
    [
        ("CLAUDE.md", 1300, "Factory droid", "warning"),
        (".windsurf/rules/a.md", 200, "Devin", "info"),
        (".agents/rules/a.md", 200, "Antigravity", "info"),
        (".goosehints", 2100, "Goose", "warning"),
    ],
)
def test_other_agents_have_other_limits(path: str, lines: int, agent: str, severity: str) -> None:
    """What is only documented is worth a word; what was seen or read in source is a warning."""
    found = findings("truncated-instructions", {path: LINE * lines})
    assert (agent, severity) in [(agent, each.severity) for each in found if agent in each.message]


def test_a_file_within_every_limit_is_not_found() -> None:
    """Codex takes 32,768 bytes, and that many are fine; an override counts in place of the file beside it."""
    assert not places("truncated-instructions", {"AGENTS.md": LINE * 512, "GEMINI.md": LINE * 900})
    assert not places("truncated-instructions", {"AGENTS.md": LINE * 600, "AGENTS.override.md": "Short."})


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


@pytest.mark.parametrize(
    "line",
    [
        *("- **Term {}**: what it means.", "- Call `MUST_{}` and `NEVER`.", "- Do thing {}."),
        *("- See **[references/{}.md](references/{}.md)** first.", "- **Is it a test of kind {}?**"),
        *("- **The seam of kind {}.** Hand it the text that it needs.", "**Classify kind {}.** For the path, name it."),
        *("- **kind-{}-of-term**: what **kind-{}-of-term** means, and **more**.", "- Take **this-is-kind-{}** of it."),
        *("- **One** term: words between of kind {} **two** terms.", "- **Work of kind {}** (now): what it means."),
        *("- **A change of the docs, {}** → welcome.", "- **A change of the docs, {}** – welcome."),
    ],
)
def test_labels_and_code_do_not_shout(line: str) -> None:
    """A list of bold terms, links or questions is a list; a constant in capitals is its name."""
    assert not places("emphasis-inflation", {"AGENTS.md": "\n".join(line.format(n, n) for n in range(30))})


@pytest.mark.parametrize(
    "text",
    [
        *("**Important**\n\nDo thing {}.", "**IMPORTANT**\n\n- Do thing {}.", "**Before you commit {}**\n\nDo thing."),
        *(
            "**Before you commit {}**\nDo thing.",
            "**Before you commit {}**  \nDo thing.",
            "> Do.\n\n**Kinds of {} here**\n\n- Do.",
        ),
        *(
            "1. **Look at the request {}**\n   - Do thing.",
            "- **Look at the request {}**\n\n  Do thing.",
            "🔒 **Secrets of kind {}**\n\nDo.",
        ),
        *(
            "- **Look at the request {}**\n  Do thing.",
            "**Run these commands {}**\n\n```sh\nmake\n```",
            "1. **Run the command {}**\n\n\tmake",
        ),
        *("**Commands of kind {}**\n\n| a | b |\n| - | - |\n| c | d |", "**Where {} is kept**\n\n> Do thing."),
    ],
)
def test_a_bold_title_does_not_shout(text: str) -> None:
    """A whole line in bold above what it names is a heading that the author did not write with `#`."""
    assert not places("emphasis-inflation", {"AGENTS.md": "\n\n".join(text.format(n) for n in range(30))})


@pytest.mark.parametrize(
    "text",
    [
        "**Never push to kind {}**",
        "**NEVER push {}**",
        "- **Never push to kind {}**",
        "**Never push to kind {}!**\n\nDo.",
    ],
)
def test_bold_lines_with_nothing_below_shout(text: str) -> None:
    """A rule in bold is emphasis, and so is a bold line that ends as a sentence does."""
    assert places("emphasis-inflation", {"AGENTS.md": "\n\n".join(text.format(n) for n in range(30))})


def test_a_bold_sentence_alone_shouts() -> None:
    """One that nothing explains, or within an item, or with a loud word, is emphasis."""
    for line in (
        "- **Commit nothing of kind {}.**",
        "- Do it; **commit nothing of kind {}.** Ever.",
        "- **Kind**: do it, and **commit nothing of kind {}** ever.",
        "- 请**务必在提交之前运行所有的测试{}**。",
        "- **NEVER {}.** Why.",
    ):
        assert places("emphasis-inflation", {"AGENTS.md": "\n".join(line.format(n) for n in range(30))})


@pytest.mark.parametrize("sign", [*LOUD_WORDS, "!!", "⚠", "🚨", "❗", "‼"])
def test_the_page_of_the_rule_names_what_emphasises(sign: str) -> None:
    """A reader can count again: whatever counts as emphasis is on the page, as a word or a sign."""
    assert findings("emphasis-inflation", {"AGENTS.md": f"- Do it {sign} now.\n" * 12})
    page = (PAGES / "emphasis-inflation.md").read_text(encoding="utf-8")
    assert ("two exclamation marks" if sign == "!!" else sign) in page.partition("## Why")[0]


def test_a_few_loud_words_are_fine() -> None:
    """Emphasis is for the few lines that matter most."""
    calm = "\n".join(f"- Do thing {n}." for n in range(60))
    assert not places("emphasis-inflation", {"AGENTS.md": "- NEVER push to main!!\n" * 12 + calm})

"""What is read for a check: bounded, regular files only, and nothing outside the project."""

import pytest

from overture.check.project_tree import parse_just, parse_make, parse_package
from overture.check.run_rules import RuleSelection, run_rules
from overture.discover.disk.file_reader import MAX_TEXT_BYTES
from overture.testing import FakeWorld

from ..look import collect, places


def pages(files: dict[str, str], *, cwd: str = "/p", **more: object) -> dict[str, tuple[str, bool]]:
    """The pages of a project in memory: their kind, and whether the prompt was made of them."""
    world = FakeWorld({"/p/.git/HEAD": "", **files}, cwd=cwd, **more)  # type: ignore[arg-type]
    return {page.path: (page.kind, page.read) for page in collect(world).pages}


def test_pages_are_what_agents_read_here() -> None:
    """Files of the prompt, those of other tools, rules, imports, skills of any tool, sub-agents, commands."""
    found = pages(
        {
            "/p/AGENTS.md": "@docs/a.md",
            "/p/docs/a.md": "A.\n\n@b.md",
            "/p/docs/b.md": "B.",
            "/p/docs/c.md": "C.",
            "/p/.cursor/rules/r.mdc": "R.",
            "/p/.agents/skills/s/SKILL.md": "---\nname: s\ndescription: S.\n---\nS.",
            "/p/.kiro/skills/t/SKILL.md": "---\nname: t\ndescription: T.\n---\nT.",
            "/p/readme.md": "# P",
            "/p/web/CLAUDE.md": "Below.",
            "/p/web/.claude/agents/a.md": "A.",
            "/p/web/.claude/skills/u/SKILL.md": "U.",
            "/p/.claude/commands/git/c.md": "C.",
        }
    )
    assert found == {
        "/p/AGENTS.md": ("instructions", True),
        "/p/.agents/skills/s/SKILL.md": ("skill", True),
        "/p/.cursor/rules/r.mdc": ("rule", False),
        "/p/docs/a.md": ("import", False),
        "/p/docs/b.md": ("import", False),
        "/p/.kiro/skills/t/SKILL.md": ("skill", False),
        "/p/web/CLAUDE.md": ("instructions", False),
        "/p/web/.claude/agents/a.md": ("agent", False),
        "/p/web/.claude/skills/u/SKILL.md": ("skill", False),
        "/p/.claude/commands/git/c.md": ("command", False),
    }


def test_a_file_of_two_names_is_one_page() -> None:
    """CLAUDE.md that is a link to AGENTS.md says nothing twice."""
    assert [*pages({"/p/AGENTS.md": "A."}, links={"/p/CLAUDE.md": "AGENTS.md"})] == ["/p/AGENTS.md"]


def test_nothing_outside_the_project_is_read() -> None:
    """An import or a link that leads out is no page, and is not said to be missing."""
    files = {"/p/AGENTS.md": "@../secret.md\n\n@/etc/passwd.md\n\n@in.md", "/secret.md": "S."}
    assert [*pages(files, links={"/p/in.md": "../secret.md"})] == ["/p/AGENTS.md"]


def test_large_and_special_files_are_passed_over() -> None:
    """A page of more than a megabyte, a pipe, a folder of that name."""
    found = pages(
        {"/p/AGENTS.md": "A.", "/p/GEMINI.md": "x" * (MAX_TEXT_BYTES + 1), "/p/QWEN.md/x": ""}, special=("/p/WARP.md",)
    )
    assert [*found] == ["/p/AGENTS.md"]


def test_where_a_folder_can_not_be_listed_nothing_is_missing() -> None:
    """What is named may lie there."""
    files = {"/p/AGENTS.md": "It is `src/gone.py`.", "/p/src/here.py": ""}
    for unreadable, count in (((), 1), (("/p/src/closed",), 0)):
        world = FakeWorld({"/p/.git/HEAD": "", **files}, unreadable=unreadable, cwd="/p")
        assert len(collect(world).project.missing) == count


@pytest.mark.slow(unless=("text0", "text1", "text2"))
@pytest.mark.parametrize(
    "text", ["[" * 100_000, "{" * 100_000, "1. " * 50_000, " " * 100_000, "@session\n" * 20_000, "\n" * 100_000]
)
def test_hostile_files_of_runners_cost_little(text: str) -> None:
    """Deep nests and endless keys are refused, or passed over, in a moment."""
    for names in (parse_make, parse_just, parse_package):
        try:
            names(text)
        except (ValueError, RecursionError):
            continue


def test_a_page_of_documentation_is_no_instruction_file() -> None:
    """A translated page called agents.md is for people, as in `overture agents`; AGENTS.md there is for agents."""
    text = "See [more](gone.md).\n"
    assert places("broken-link", {"AGENTS.md": "Be brief.\n", "docs/ja/agents.md": text}) == []
    assert places("broken-link", {"AGENTS.md": "Be brief.\n", "docs/ja/AGENTS.md": text}) == [("docs/ja/AGENTS.md", 1)]


@pytest.mark.parametrize("name", ["AGENTS.md", "GEMINI.md"])
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_a_file_in_utf_16_is_one_finding(name: str, codec: str) -> None:
    """It is named as UTF-16, also if the recipe does not read it, and not once a line for its zero bytes."""
    data = "\ufeff# A\n\n- Use tabs.\n".encode(codec)
    world = FakeWorld({"/p/.git/HEAD": "", "/p/AGENTS.md": "A.", f"/p/{name}": data}, cwd="/p")
    select = RuleSelection(select=("not-utf-8", "control-character"))
    (finding,) = run_rules(collect(world), select).findings
    assert (finding.code, finding.path, finding.line) == ("not-utf-8", f"/p/{name}", 1)
    assert finding.message == "the file is UTF-16, which is read as damaged UTF-8; save it as UTF-8"


def test_a_file_of_another_agent_is_reported_if_it_is_not_utf_8() -> None:
    """As the recipe's own file is, at the line of the first such byte; a README is for people."""
    files: dict[str, str | bytes] = {"/p/AGENTS.md": "A.", "/p/GEMINI.md": b"A.\nCaf\xe9.", "/p/README.md": b"Caf\xe9."}
    world = FakeWorld({"/p/.git/HEAD": "", **files}, cwd="/p")
    found = run_rules(collect(world), RuleSelection(select=("not-utf-8",))).findings
    assert [(each.path, each.line) for each in found] == [("/p/GEMINI.md", 2)]

"""What is read for a check: bounded, regular files only, and nothing outside the project."""

import pytest

from overture.check.commands import parse_just, parse_make, parse_package
from overture.check.run_rules import RuleSelection, run_rules
from overture.discovery.reader import MAX_TEXT_BYTES
from overture.testing import FakeWorld

from ..look import collect


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

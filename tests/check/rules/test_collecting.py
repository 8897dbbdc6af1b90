"""What is read for a check: bounded, regular files only, and nothing outside the project."""

import pytest

from overture.check.commands import parse_just, parse_make, parse_package
from overture.check.engine import RuleSelection, run_rules
from overture.discovery.reader import MAX_TEXT_BYTES
from overture.testing import FakeWorld

from ..look import collect


def pages(files: dict[str, str], *, cwd: str = "/p", **more: object) -> dict[str, str]:
    """The pages of a project in memory, and their kinds."""
    world = FakeWorld({"/p/.git/HEAD": "", **files}, cwd=cwd, **more)  # type: ignore[arg-type]
    return {page.path: page.kind for page in collect(world).pages}


def test_pages_are_what_agents_load_anywhere() -> None:
    """Instructions, rules, imports, skills with their pages, sub-agents and commands, also of folders below."""
    found = pages(
        {
            "/p/AGENTS.md": "A.",
            "/p/CLAUDE.md": "@docs/a.md",
            "/p/docs/a.md": "A.\n\n@b.md",
            "/p/docs/b.md": "B.",
            "/p/docs/c.md": "C.",
            "/p/.cursor/rules/r.mdc": "R.",
            "/p/.agents/skills/s/SKILL.md": "---\nname: s\ndescription: S.\n---\nS.",
            "/p/.agents/skills/s/references/more.md": "More.",
            "/p/.kiro/skills/t/SKILL.md": "---\nname: t\ndescription: T.\n---\nT.",
            "/p/readme.md": "# P",
            "/p/web/CLAUDE.md": "Below.",
            "/p/web/.claude/agents/a.md": "A.",
            "/p/web/.claude/skills/u/SKILL.md": "U.",
            "/p/.claude/commands/git/c.md": "C.",
        }
    )
    assert found == {
        "/p/AGENTS.md": "instructions",
        "/p/CLAUDE.md": "instructions",
        "/p/.agents/skills/s/SKILL.md": "skill",
        "/p/.agents/skills/s/references/more.md": "skill",
        "/p/.cursor/rules/r.mdc": "rule",
        "/p/docs/a.md": "import",
        "/p/docs/b.md": "import",
        "/p/.kiro/skills/t/SKILL.md": "skill",
        "/p/web/CLAUDE.md": "instructions",
        "/p/web/.claude/agents/a.md": "agent",
        "/p/web/.claude/skills/u/SKILL.md": "skill",
        "/p/.claude/commands/git/c.md": "command",
    }


def test_nothing_outside_the_project_is_read() -> None:
    """An import or a link that leads out is no page."""
    files = {"/p/CLAUDE.md": "@../secret.md\n\n@/etc/passwd.md\n\n@in.md", "/secret.md": "S."}
    assert [*pages(files, links={"/p/in.md": "../secret.md"})] == ["/p/CLAUDE.md"]


def test_large_files_are_named_and_special_ones_are_not_opened() -> None:
    """A page of more than can be read, a pipe, a folder of that name."""
    world = FakeWorld(
        {"/p/.git/HEAD": "", "/p/AGENTS.md": "A.", "/p/GEMINI.md": "x" * (MAX_TEXT_BYTES + 1), "/p/QWEN.md/x": ""},
        special=("/p/CLAUDE.md",), cwd="/p",
    )  # fmt: skip
    found = collect(world)
    assert [page.path for page in found.pages] == ["/p/AGENTS.md"]
    assert [each.path for each in found.unchecked] == ["/p/GEMINI.md"]


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
    """It is named as UTF-16, and not once a line for its zero bytes."""
    data = "\ufeff# A\n\n- Use tabs.\n".encode(codec)
    world = FakeWorld({"/p/.git/HEAD": "", "/p/AGENTS.md": "A.", f"/p/{name}": data}, cwd="/p")
    select = RuleSelection(select=("not-utf-8", "hidden-text"))
    (finding,) = run_rules(collect(world), select).findings
    assert (finding.code, finding.path, finding.line) == ("not-utf-8", f"/p/{name}", 1)
    assert finding.message.startswith("it is UTF-16")

"""Agents, Files and Check: who reads what, what became of each path, and what is wrong."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from .conftest import Open, Served

pytestmark = pytest.mark.slow


def test_a_cell_of_the_grid_says_why(served: Served, look: Open) -> None:
    """Every agent that is known is a column; a cell has a sign and a word, and a click tells the reason."""
    page = look(served, "#/agents")
    grid = page.get_by_role("region", name="Files and agents")
    expect(grid.get_by_role("columnheader")).to_have_count(5)  # the most used that load something here
    page.get_by_role("checkbox", name="every known agent").check()
    expect(grid.get_by_role("columnheader", name=re.compile("^Codex"))).to_be_visible()
    expect(grid.get_by_role("columnheader").nth(20)).to_be_visible()
    expect(grid.get_by_role("button", name=re.compile(r"^Codex, AGENTS\.md: loaded$"))).to_be_visible()
    grid.get_by_role("button", name=re.compile(r"^Codex, CLAUDE\.md: skipped$")).click()
    why = page.get_by_role("region", name="Why")
    expect(why).to_contain_text("Skipped:")
    expect(why).to_contain_text(re.compile(r"How this is known: .*, version [\d.]+, checked \d{4}-\d\d-\d\d\."))
    why.get_by_role("button", name="Close").click()
    expect(why).to_have_count(0)


def test_touching_a_path_changes_the_grid(odd: Served, look: Open) -> None:
    """What an agent loads only when it works on a file is shown as loaded on demand, and then as loaded."""
    page = look(odd, "#/agents")
    page.get_by_role("checkbox", name="every known agent").check()
    cell = page.get_by_role("button", name=re.compile(r"^Claude Code, quay.CLAUDE\.md: "))
    expect(cell).to_have_accessible_name(re.compile("loaded on demand$"))
    page.get_by_label("When it works on").fill("quay/crane.py")
    page.get_by_role("button", name="Show").click()
    expect(cell).to_have_accessible_name(re.compile(": loaded$"))


def test_an_agent_that_reads_a_part_shows_where_it_ends(odd: Served, look: Open) -> None:
    """A file that is cut says after which line."""
    page = look(odd, "#/agents")
    page.get_by_role("checkbox", name="every known agent").check()
    page.get_by_role("button", name=re.compile(r"^Codex, AGENTS\.md: truncated$")).click()
    expect(page.get_by_role("region", name="Why")).to_contain_text(re.compile(r"Its text ends after line \d+ of \d+"))


def make_project(folder: Path, *names: str) -> Path:
    """A repository with a line in each of these files; `A -> B` is a link."""
    root = folder / "quay"
    (root / ".git").mkdir(parents=True)
    (root / "home").mkdir()
    for name in names:
        path, _, target = name.partition(" -> ")
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        if target:
            (root / path).symlink_to(target)
        else:
            (root / path).write_text(
                f"---\nname: {Path(path).parent.name}\ndescription: Mind it.\n---\nMind it.\n", "utf-8"
            )
    return root


def test_agents_are_listed_wherever_an_instruction_file_is(tmp_path: Path, look: Open) -> None:
    """An AGENTS.md that no agent loads as it starts still has its row, with what each common agent does with it."""
    served = Served(make_project(tmp_path, "packages/crane/AGENTS.md"))
    page = look(served, "#/agents")
    grid = page.get_by_role("region", name="Files and agents")
    expect(grid.get_by_role("row", name=re.compile("packages.crane.AGENTS"))).to_be_visible()
    expect(grid.get_by_role("columnheader", name="Claude Code")).to_be_visible()
    expect(page.locator("main .empty")).to_have_count(0)
    page.goto("about:blank")
    served.end()


def test_one_file_by_two_names_is_marked_and_skills_are_one_row(tmp_path: Path, look: Open) -> None:
    """A link says which file it is; skills are one row a folder with their number, which opens to each."""
    skills = [f".claude/skills/{name}/SKILL.md" for name in ("tide", "quay", "crane")]
    served = Served(make_project(tmp_path, "AGENTS.md", "CLAUDE.md -> AGENTS.md", *skills))
    page = look(served, "#/agents")
    grid = page.get_by_role("region", name="Files and agents")
    expect(grid.get_by_role("button", name="Claude Code, AGENTS.md: same file: CLAUDE.md")).to_have_text("=")
    group = grid.get_by_role("button", name=re.compile("3 skills$"))
    expect(grid.get_by_text("tide/SKILL.md")).to_have_count(0)
    expect(grid.get_by_role("row", name=re.compile("3 skills")).get_by_role("cell").first).to_have_text("3")
    group.click()
    expect(grid.get_by_role("button", name=re.compile("^Claude Code, .*tide.SKILL.md: listed$"))).to_be_visible()
    page.goto("about:blank")
    served.end()


def test_a_linked_folder_of_skills_is_marked_as_the_same(tmp_path: Path, look: Open) -> None:
    """Skills that an agent has by another path are no skipped ones: their row has the sign of the same file."""
    root = make_project(tmp_path, "AGENTS.md", *[f"skills/{name}/SKILL.md" for name in ("tide", "quay", "crane")])
    for name in (".claude", ".agents"):
        (root / name).mkdir(exist_ok=True)
        (root / name / "skills").symlink_to("../skills")
    served = Served(root)
    page = look(served, "#/agents")
    grid = page.get_by_role("region", name="Files and agents")
    rows = grid.get_by_role("row", name=re.compile("3 skills"))
    expect(rows.first).to_be_visible()
    signs = {sign for row in rows.all() for sign in row.get_by_role("cell").all_inner_texts()}
    assert {"3", "="} <= signs
    page.goto("about:blank")
    served.end()


def test_the_same_problem_of_many_files_is_one_line(tmp_path: Path, look: Open) -> None:
    """It says of how many files, and opens to each."""
    root = make_project(tmp_path, "AGENTS.md")
    for number in range(400):
        folder = root / ".agents" / "skills" / f"moor-{number:03}"
        folder.mkdir(parents=True)
        head = f"name: {folder.name}\ndescription: {'Moors a ship by night. ' * 20}"
        (folder / "SKILL.md").write_text(f"---\n{head}\n---\nMind the tide.\n", "utf-8")
    served = Served(root)
    page = look(served, "#/agents")
    line = page.locator(".said details").filter(has_text="the list is over its limit").first
    expect(line.locator("summary")).to_have_text(re.compile(r"^[\w ,]+: \d+ files: "))
    line.locator("summary").click()
    expect(line.get_by_text(".agents/skills/moor-000/SKILL.md:3")).to_be_visible()
    assert page.locator(".said > li").count() < 12
    page.goto("about:blank")
    served.end()


def test_every_path_says_what_became_of_it(served: Served, look: Open) -> None:
    """In the prompt, here and not used, looked for and not there: each with its reason; a file opens at a line."""
    page = look(served, "#/files")
    expect(page.get_by_role("listitem").filter(has_text="services/berths/AGENTS.md")).to_contain_text(
        re.compile(r"78 tokens.*in the prompt: 307 characters")
    )
    expect(page.get_by_role("listitem").filter(has_text="cancel-season")).to_contain_text("disable-model-invocation")
    expect(page.get_by_text("not used: Claude Code reads it")).to_be_visible()
    page.get_by_role("heading", name="Looked for, not found").click()
    expect(page.get_by_text("OPAL.md").first).to_be_visible()
    page.get_by_role("searchbox", name="Find a file").fill("tide-check")
    expect(page.locator(".file-list li")).to_have_count(1)
    page.get_by_role("link", name=re.compile("tide-check")).click()
    text = page.get_by_role("region", name=re.compile("^Text of .*tide-check.SKILL.md"))
    expect(text).to_contain_text("name: tide-check")
    page.evaluate("location.hash = location.hash + encodeURIComponent(':3')")
    expect(text.locator(".on .at")).to_have_text("3")


def test_a_finding_leads_to_its_place_and_shows_its_mend(odd: Served, look: Open) -> None:
    """Errors first; each with file and line, which open; a mend is shown as lines that go and come."""
    page = look(odd, "#/check")
    findings = page.get_by_role("main").locator("li.finding")
    expect(findings.filter(has_text="looks like a tag of this prompt").first).to_contain_text("Warning")
    hidden = findings.filter(has_text="that readers do not see").first
    hidden.get_by_text("How it would be fixed").click()
    expect(hidden.get_by_role("group", name="Difference")).to_contain_text(
        re.compile(r"-Turned .*\+Turned ", re.DOTALL)
    )
    shown = findings.count()
    page.get_by_role("button", name=re.compile(r"warnings?$")).click()
    expect(findings).not_to_have_count(shown)
    page.get_by_role("link", name=re.compile(r"^AGENTS\.md:\d+$")).first.click()
    expect(page.get_by_role("region", name="Text of AGENTS.md").locator(".on")).to_be_in_viewport()

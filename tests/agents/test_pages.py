"""The pages about agents are what their data says, and all that it says of how it is known."""

import re
import runpy
import sys
from functools import cache
from pathlib import Path

import msgspec
import pytest
import rules_in_words
from who_reads import answer, evidence, project_names

from overture.agents.make_reports import report_agents
from overture.known_agents import AGENTS, agent, file_owners
from overture.model.file_steps import FileLimit, FileStep, Imports, RuleConditions, SettingsFile
from overture.model.recipe.recipe import AgentFacts, OwnPrompt
from overture.model.skill_dirs import SkillDirs, SkillMenu
from overture.testing import FakeWorld

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))


@cache
def pages() -> dict[str, str]:
    """The pages as the code makes them, by their names."""
    made: dict[str, str] = runpy.run_path(str(DOCS / "make_agents.py"))["pages"]()
    return made


ELSEWHERE = re.compile(r" is on$| alone$|^neither at the root")
"""Conditions that a file alone at the root does not meet."""


@pytest.mark.parametrize("name", sorted(page.name for page in (DOCS / "agents").iterdir()))
def test_page_is_up_to_date(name: str) -> None:
    """A page equals what the data makes of it; `make reference` writes it."""
    assert (DOCS / "agents" / name).read_text(encoding="utf-8") == pages()[name]


def test_every_agent_has_a_page_and_no_page_is_left_over() -> None:
    """There is a page for each agent and one for all, and no other."""
    assert {page.name for page in (DOCS / "agents").iterdir()} == {"README.md", *(f"{name}.md" for name in AGENTS)}


@pytest.mark.parametrize("name", AGENTS)
def test_every_rule_says_how_it_is_known_and_when_it_was_checked(name: str) -> None:
    """Each numbered rule ends with its evidence and the date."""
    facts = agent(name).agent
    assert facts is not None
    numbered = re.findall(r"^\d+\. .*; \d{4}-\d\d-\d\d\.\*$", pages()[f"{name}.md"], re.MULTILINE)
    rules = agent(name).wants.files
    assert len(numbered) == len(rules)
    for rule in rules:
        how = evidence(rule.known, facts)
        assert any(f"*{how[0].upper()}{how[1:]}; {facts.checked}.*" in line for line in numbered)


@pytest.mark.parametrize("name", AGENTS)
def test_every_page_has_all_that_the_data_says(name: str) -> None:
    """Names, folders of skills, settings, variables, remarks and notes are all on the agent's page."""
    page, recipe = pages()[f"{name}.md"], agent(name)
    wants, facts = recipe.wants, recipe.agent
    assert facts is not None
    words = [*facts.notes, *(rule.remark for rule in wants.files), *wants.environment, *facts.also_called]
    words += [each.partition("/")[0] for variables in wants.moves.values() for each in variables.split()]
    words += [key.partition("=")[0].strip('"') for file in wants.settings_files for key in file.keys]
    words += [f"{limit.most:,} {limit.unit}" for limit in wants.limits]
    words += [folder for folder in (wants.skills.project if wants.skills else ()) if "{" not in folder]
    names = [each for rule in wants.files for names in rule.names for each in names.split("|")]
    words += [name.rpartition("/")[2] for name in names if not set(name) & set("{*")]
    assert [word for word in words if word not in page] == []


@pytest.mark.parametrize("name", AGENTS)
def test_the_table_has_every_agent_with_version_and_date(name: str) -> None:
    """The page that compares them has a row for each, with how it is known, its version and its date."""
    facts = agent(name).agent
    assert facts is not None
    rows = [line for line in pages()["README.md"].splitlines() if line.startswith(f"| [{facts.title}]({name}.md) |")]
    assert any(f"| {facts.version} | {facts.checked} |" in row for row in rows)


@pytest.mark.parametrize("name", sorted(page.name for page in (DOCS / "agents").iterdir()))
def test_every_link_leads_to_a_page(name: str) -> None:
    """Links lead to pages and data that are there."""
    targets = set(re.findall(r"\]\(([^)]+)\)", pages()[name]))
    assert [target for target in targets if not (DOCS / "agents" / target).exists()] == []


@pytest.mark.parametrize("name", AGENTS)
def test_what_the_tables_answer_is_what_is_found(name: str) -> None:
    """A file that lies alone at the root is loaded where the tables say yes, or yes with no other file beside it."""
    for file in project_names(agent(name).wants):
        given = answer(agent(name).wants, file)
        if "*" in file or "{" in file or any(ELSEWHERE.search(each) for each in given.ifs):
            continue
        world = FakeWorld({"/p/.git/HEAD": "x", f"/p/{file}": "Use tabs.\n"})
        (report,) = report_agents([name], cwd="/p", home="/home/u", world=world)
        loaded = f"/p/{file}" in [each.path for each in report.of("loaded")]
        assert loaded == (given.reads in ("yes", "if")), (file, given)


def test_everybody_s_question_is_answered() -> None:
    """Whoever asks whether an agent reads AGENTS.md finds yes, a condition, a setting or no in one row."""
    assert "| `AGENTS.md` | yes | In the repository's root; in folders below" in pages()["cursor.md"]
    assert "if there is no `CLAUDE.md`, `.claude/CLAUDE.md` or `CLAUDE.local.md`" in pages()["claude-code.md"]
    assert "| `AGENTS.md` | by a setting | Once `context.fileName` names it. |" in pages()["gemini-cli.md"]
    assert "| `GEMINI.md` | no |" in pages()["cursor.md"]


@pytest.mark.parametrize(
    "struct", [FileStep, RuleConditions, Imports, FileLimit, SettingsFile, SkillDirs, SkillMenu, AgentFacts, OwnPrompt]
)
def test_whatever_the_data_can_say_is_said(struct: type[msgspec.Struct]) -> None:
    """Each field of a rule is read by the words for it or by the pages: a new one is not passed over in silence."""
    words = [*DOCS.glob("*agent*.py"), Path(file_owners.__file__), *Path(rules_in_words.__file__).parent.glob("*.py")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in words)
    assert [field for field in struct.__struct_fields__ if not re.search(rf"\.{field}\b", text)] == []

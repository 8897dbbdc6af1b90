"""The index of the agents' records says what the records say: whose files and skills are, and who has limits."""

import subprocess
import sys
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec
import pytest
from agents_index import FOLDER, INDEX, RECORDS, make_index, make_records

from overture.known_agents import AGENTS, agent, agent_facts
from overture.known_agents.file_owners import INSTRUCTIONS, SKILLS, match_known_file
from overture.model.recipe.recipe import AgentFacts
from overture.recipes.toml.make_recipe import make_recipe
from tests.contract.discover.disk import find, put_skill


def test_the_index_is_what_the_records_say() -> None:
    """`make reference` writes it; whoever changes a record and not the index learns it here."""
    assert INDEX.read_text(encoding="utf-8") == make_index()


def test_the_records_as_json_are_the_records() -> None:
    """`make reference` writes them; whoever changes a record and not the JSON learns it here."""
    assert RECORDS.read_bytes() == make_records()


@pytest.mark.parametrize("name", AGENTS)
def test_the_recipe_of_an_agent_is_that_of_its_toml(name: str) -> None:
    """JSON has no dates: what is made of it is the same all the same."""
    tables = tomllib.loads((FOLDER / name.replace("-", "_") / "recipe.toml").read_text(encoding="utf-8"))
    facts = msgspec.convert(tables["agent"], AgentFacts)
    assert (agent_facts(name), agent(name).agent) == (facts, facts)
    recipe = make_recipe({key: table for key, table in tables.items() if key != "program"}, name, agent)
    assert (recipe.wants, recipe.about) == (agent(name).wants, agent(name).about)
    assert [each.name for each in recipe.sections] == [each.name for each in agent(name).sections]


@pytest.mark.parametrize("name", AGENTS)
def test_every_skill_folder_of_an_agent_is_known(name: str) -> None:
    """Skills that lie in a hidden folder where a known agent looks have an owner in every recipe."""
    skills = agent(name).wants.skills
    given = [*skills.project, *skills.here] if skills else []
    folders = [folder for folder in given if folder.startswith(".") and "/" in folder and "{" not in folder]
    assert [folder for folder in folders if folder not in SKILLS] == []


@pytest.mark.parametrize("folder", [".vibe/skills", ".kimi-code/skills", ".augment/skills", ".windsurf/skills"])
def test_skills_of_any_known_agent_are_reported_as_unread(tmp_path: Path, folder: str) -> None:
    """A recipe of ours that does not look there says whose they are."""
    put_skill(tmp_path / f"p/{folder}/release")
    details = [look.detail for look in find(tmp_path, "opal").looked_at if look.path.endswith(folder)]
    assert details and details[0].startswith(f"1 skill ({SKILLS[folder]}); ")


def test_a_file_named_after_an_agent_is_its_own() -> None:
    """However many others read it, too; what most agents read is nobody's."""
    owners = {name: INSTRUCTIONS[name] for name in ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", ".rules")}
    assert list(owners.values()) == ["many agents", "Claude Code", "Gemini CLI", "Cursor", "Zed"]
    assert "README.md" not in INSTRUCTIONS


def test_the_facts_of_an_agent_are_those_of_its_recipe() -> None:
    """They are read from one table of the record, without the rest of it."""
    assert all(agent_facts(name) == agent(name).agent for name in AGENTS)


def test_names_of_agents_cost_no_reading_of_recipes() -> None:
    """Whoever builds a prompt of another recipe does not wait for what agents need."""
    code = "import sys, overture.known_agents.file_owners; print('overture.recipes.toml.make_recipe' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_a_path_is_known_as_its_pattern_says() -> None:
    """A path is looked up by the letters around `*` first; no pattern has another sign, and all that fit are found."""
    assert not [pattern for pattern in INSTRUCTIONS if set("?[]") & set(pattern)]
    for pattern in INSTRUCTIONS:
        for path in (pattern.replace("*", "one"), pattern.replace("*", "one/two"), f"pkg/{pattern.replace('*', '')}"):
            tails = ["/".join(path.split("/")[-count:]) for count in range(min(path.count("/") + 1, 5), 0, -1)]
            first = next(
                (tool for tail in tails for each, tool in INSTRUCTIONS.items() if fnmatchcase(tail, each)), None
            )
            found = match_known_file(path)
            assert (found[1] if found else None) == first, path
    assert match_known_file("src/main.py") is None

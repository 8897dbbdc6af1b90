"""`overture compare`: what each recipe would say here."""

import json
from pathlib import Path
from typing import Any

import pytest

import overture
from overture.report.compare_facts import compare
from tests.contract.cli.run import read_stdout, run
from tests.contract.discover.disk import put, put_skill


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A project with a skill that only pi and opal find, one that only house finds, and two instruction files."""
    put_skill(tmp_path / "p/.agents/skills/pdf")
    put_skill(tmp_path / "p/.claude/skills/tides")
    put_skill(tmp_path / "p/.sf/skills/moor")
    put(tmp_path / "p/.sf/SYSTEM.md", "You are a pilot.")
    put(tmp_path / "p/AGENTS.md", "Use tabs.")
    put(tmp_path / "p/OPAL.md", "Use spaces.")
    return tmp_path


def at(top: Path) -> list[str | Path]:
    return ["--cwd", top / "p", "--root", top / "p", "--home", top / "home", "--now", "2026-03-07T08:55:05-06:00"]


def rows(top: Path, *words: str | Path) -> dict[str, list[str]]:
    (top / "home").mkdir(exist_ok=True)
    data: Any = json.loads(read_stdout("compare", *words, *at(top), "--json"))
    return {row["fact"]["label"]: row["by"] for row in data["rows"]}


def test_a_skill_is_said_only_by_recipes_that_find_it(here: Path) -> None:
    """Each recipe looks for itself: what it does not look for is not known to it."""
    by = rows(here, "opal", "pi", "house")
    assert by["skills: pdf"] == ["stated", "stated", "stated"]
    assert by["skills: tides"] == ["unknown", "unknown", "stated"]
    assert by["skills: moor"] == ["unknown", "stated", "unknown"]
    assert by[f"context_files: {here}/p/AGENTS.md"] == ["stated", "stated", "stated"]
    assert by[f"context_files: {here}/p/OPAL.md"] == ["stated", "unknown", "unknown"]
    assert by["overrides.system"] == ["unknown", "stated", "unknown"]
    assert by["tools: read_file"][1:] == ["unknown", "unknown"]


def test_what_is_said_is_what_the_recipe_builds_alone(here: Path) -> None:
    """A fact is said by a recipe exactly if the prompt that `build` prints holds it."""
    by = rows(here, "opal", "pi", "house")
    for index, recipe in enumerate(("opal", "pi", "house")):
        text = run("build", recipe, *at(here)).stdout
        for skill in ("pdf", "tides", "moor"):
            assert (f"Does {skill}." in text) == (by[f"skills: {skill}"][index] == "stated")


def test_one_fact_that_two_recipes_read_differently_is_two(here: Path) -> None:
    """SYSTEM.md of two places are two facts, each with its path."""
    put(here / "p/.agents/SYSTEM.md", "You are a harbour master.")
    (here / "home").mkdir()
    data: Any = json.loads(read_stdout("compare", "pi", "house", *at(here), "--json"))
    systems = {row["fact"]["path"]: row["by"] for row in data["rows"] if row["fact"]["field"] == "overrides.system"}
    assert systems == {
        f"{here}/p/.sf/SYSTEM.md": ["stated", "unknown"],
        f"{here}/p/.agents/SYSTEM.md": ["unknown", "stated"],
    }
    shown = read_stdout("compare", "pi", "house", *at(here))
    assert "overrides.system: .sf/SYSTEM.md" in shown


def test_the_sums_are_of_what_is_said(here: Path) -> None:
    """What is not known to a recipe is not counted as said by it."""
    by = rows(here, "opal", "pi")
    out = read_stdout("compare", "opal", "pi", *at(here))
    for index, name in enumerate(("opal", "pi")):
        said = sum(each[index] in ("stated", "used") for each in by.values())
        assert f"{name} states {said} of {len(by)} facts" in out


def test_a_state_that_is_given_is_one_for_all(here: Path) -> None:
    """With --state every recipe says that state: its skills are known to all."""
    skill = {"name": "far", "description": "Far away.", "location": "/s/far/SKILL.md"}
    state = put(
        here / "state.json", json.dumps({"skills": [skill], "tools": [{"name": "read"}, {"name": "use_skill"}]})
    )
    by = rows(here, "opal", "pi", "house", "--state", state)
    assert by["skills: far"] == ["stated", "stated", "stated"]
    assert "unknown" not in {how for each in by.values() for how in each}


def test_settings_of_a_recipe_count_for_it_alone(here: Path) -> None:
    """Each recipe has the configuration that it would have here."""
    put(here / "p/overture.toml", "[recipes.pi]\nfeatures.skills.enabled = false\n")
    assert rows(here, "opal", "pi")["skills: pdf"] == ["stated", "unknown"]


def test_prompts_are_compared_as_they_are() -> None:
    """The function takes prompts, each of a state of its own."""
    one = overture.build("pi", {"memories": ["a"], "runtime": {"cwd": "/p"}})
    two = overture.build("nova", {"memories": ["b", "a"], "runtime": {"cwd": "/q"}})
    told = {row.fact.label: row.by for row in compare((one, two)).rows}
    assert told["memories: a"] == ("skipped", "stated")
    assert told["memories: b"] == ("unknown", "stated")
    cwds = [row.by for row in compare((one, two)).rows if row.fact.field == "runtime.cwd"]
    assert [[how != "unknown" for how in by] for by in cwds] == [[True, False], [False, True]]

"""`overture init` and `overture compare`, as processes."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.contract.cli.forked import run_overture


def overture(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    done = run_overture(args, b"", cwd, {})
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize(
    ("sign", "recipe"),
    [(".sf/SYSTEM.md", "pi"), ("OPAL.md", "opal"), (".opal/OPAL.md", "opal")],
)
def test_init_chooses_the_recipe_from_what_lies_there(tmp_path: Path, sign: str, recipe: str) -> None:
    """The recipe fits the files, and the written configuration is valid and takes effect."""
    (tmp_path / sign).parent.mkdir(exist_ok=True)
    (tmp_path / sign).write_text("x")
    assert overture("init", cwd=tmp_path).returncode == 0
    assert tomllib.loads((tmp_path / "overture.toml").read_text())["recipe"] == recipe
    values = json.loads(overture("config", "--json", cwd=tmp_path).stdout)
    assert values["recipe"]["value"] == recipe
    assert values["recipe"]["origin"].endswith("overture.toml")


def test_init_never_overwrites_without_force(tmp_path: Path) -> None:
    """A file that is there stays as it is, and the error says how to overwrite it."""
    (tmp_path / "overture.toml").write_text("# mine\n")
    refused = overture("init", cwd=tmp_path)
    assert refused.returncode == 2
    assert "--force" in refused.stderr
    assert (tmp_path / "overture.toml").read_text() == "# mine\n"
    assert overture("init", "--force", cwd=tmp_path).returncode == 0
    assert "recipe = " in (tmp_path / "overture.toml").read_text()


def test_every_commented_default_is_valid(tmp_path: Path) -> None:
    """The written file with all its comments taken away is still a valid configuration."""
    overture("init", "pi", cwd=tmp_path)
    path = tmp_path / "overture.toml"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(line.removeprefix("# ") if " = " in line else line for line in lines))
    done = overture("config", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_compare_tells_said_from_left_out(tmp_path: Path) -> None:
    """One state in two recipes: pi says the time, opal does not; both say the working directory."""
    state = {"runtime": {"cwd": "/p"}, "now": "2026-03-07T08:55:05-06:00", "tools": [{"name": "read_file"}]}
    (tmp_path / "s.json").write_text(json.dumps(state))
    done = overture("compare", "opal", "pi", "--no-discover", "--state", "s.json", "--json", cwd=tmp_path)
    rows = {row["fact"]["field"]: row["by"] for row in json.loads(done.stdout)["rows"]}
    assert rows == {
        "runtime.cwd": ["stated", "stated"],
        "now": ["skipped", "stated"],
        "tools[0]": ["used", "stated"],
    }
    shown = overture("compare", "opal", "pi", "--no-discover", "--state", "s.json", cwd=tmp_path).stdout
    assert "opal states 2 of 3 facts, pi states 3 of 3 facts" in shown


def put(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def init(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """`overture init`, with a home that is empty."""
    home = folder.with_name(f"{folder.name}-home")
    home.mkdir()
    return overture("init", *words, "--home", str(home), cwd=folder)


def chosen(folder: Path) -> str:
    """The recipe that `overture init` writes down."""
    done = init(folder)
    assert (done.returncode, done.stderr) == (0, "")
    recipe: str = tomllib.loads((folder / "overture.toml").read_text())["recipe"]
    return recipe


@pytest.mark.parametrize(
    "names",
    [
        ("CLAUDE.md",),
        ("AGENTS.md",),
        ("CLAUDE.md", "CLAUDE.local.md", ".claude/rules/a.md", ".claude/skills/a/SKILL.md"),
        ("agent.json",),
        ("memories.json",),
        (".agents/AGENTS.md", ".github/skills/a/SKILL.md"),
        (".cursorrules", "GEMINI.md"),
        (),
    ],
)
def test_init_chooses_house_where_nothing_belongs_to_another(tmp_path: Path, names: tuple[str, ...]) -> None:
    """Files that many tools read, or that anybody may have, never choose a recipe."""
    put(tmp_path, **dict.fromkeys(names, "{}"))
    assert chosen(tmp_path) == "house"


@pytest.mark.parametrize(
    ("name", "text", "recipe"),
    [
        (".opal/config.json", "{}", "opal"),
        ("OPAL.md", "x", "opal"),
        (".sf/skills/a/SKILL.md", "x", "pi"),
        (".moltis/skills/a/SKILL.md", "x", "moltis"),
        ("agent.json", '{"identity": "You are Ada.", "responsibilities": []}', "nova"),
    ],
)
def test_init_chooses_another_for_a_folder_of_its_own(tmp_path: Path, name: str, text: str, recipe: str) -> None:
    """A folder or file that only one recipe reads is its own, whatever else lies there."""
    put(tmp_path, **{name: text, "CLAUDE.md": "x", "AGENTS.md": "y"})
    assert chosen(tmp_path) == recipe


def test_a_users_own_folder_does_not_choose(tmp_path: Path) -> None:
    """In the home directory, `.moltis` is the user's and no project's."""
    put(tmp_path, **{".moltis/SOUL.md": "x"})
    done = overture("init", "--home", str(tmp_path), cwd=tmp_path)
    assert "`house`" in done.stdout


SKILL = "---\nname: {0}\ndescription: Does {0}.\n---\n"


def test_init_says_what_the_choice_brings_and_leaves_out(tmp_path: Path) -> None:
    """In a line each: files and skills that it loads, and what it skips; `explain` has the settings that add that."""
    put(tmp_path, **{"AGENTS.md": "Use tabs.\n", "CLAUDE.md": "Use tabs.\n", ".git/HEAD": "", "GEMINI.md": "Test.\n"})
    put(tmp_path, **{f".claude/skills/s{i}/SKILL.md": SKILL.format(f"s{i}") for i in range(6)})
    put(tmp_path, **{f".codex/skills/c{i}/SKILL.md": SKILL.format(f"c{i}") for i in range(2)})
    put(tmp_path, **{f".cursor/rules/r{i}.mdc": f"Rule {i}.\n" for i in range(14)})
    done = init(tmp_path)
    lines = done.stdout.splitlines()
    assert re.fullmatch(r"Wrote overture\.toml \(recipe `house`, \d+ tokens\)", lines[0])
    assert lines[1:] == [
        "  loads  AGENTS.md, 6 skills",
        "  skips  CLAUDE.md, .cursor/rules/*.mdc, GEMINI.md, 2 skills in 1 folder",
        "hint: `overture explain` shows why",
    ]


def test_init_in_an_empty_folder_is_short(tmp_path: Path) -> None:
    """Where nothing lies, nothing is left out."""
    done = init(tmp_path)
    assert len(done.stdout.splitlines()) == 3
    assert "loads  no instruction files or skills" in done.stdout


def test_init_names_a_recipe_that_was_asked_for(tmp_path: Path) -> None:
    """What moltis leaves out is shown before anybody is surprised."""
    put(tmp_path, **{"AGENTS.md": "Use tabs.\n", ".claude/skills/a/SKILL.md": SKILL.format("a")})
    done = init(tmp_path, "moltis")
    assert "  skips  1 skill in 1 folder" in done.stdout

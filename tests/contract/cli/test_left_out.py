"""What lies here and is not said, in `explain` and `explain --why`, run as people run them."""

import json
from pathlib import Path

import pytest

from .run import read_stdout, run

SKILL = "---\nname: {0}\ndescription: Does {0}.\n---\nDo it.\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with files and skills of other tools, and a file above it."""
    here = tmp_path / "w" / "p"
    texts = {
        "w/AGENTS.md": "For all that lies here.\n",
        "w/p/.git/HEAD": "ref: refs/heads/main\n",
        "w/p/AGENTS.md": "Use tabs.\n",
        "w/p/CLAUDE.md": "@AGENTS.md\n",
        "w/p/.codex/skills/one/SKILL.md": SKILL.format("one"),
        "w/p/.codex/skills/two/SKILL.md": SKILL.format("two"),
        "w/p/.agents/skills/own/SKILL.md": SKILL.format("own"),
        "home/.agents/skills/far/SKILL.md": SKILL.format("far"),
    }
    texts |= {f"w/p/.cursor/rules/{i}.mdc": f"Rule {i}.\n" for i in range(14)}
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return here


def at(project: Path) -> list[str | Path]:
    return ["--cwd", project, "--home", project.parents[1] / "home", "--now", "2026-03-07T08:55:05-06:00"]


def rows(out: str, word: str) -> list[list[str]]:
    lines = [line.strip() for line in out.splitlines()]
    return [[word, *line.removeprefix(word).split(maxsplit=1)] for line in lines if line.startswith(f"{word} ")]


def test_explain_names_each_kind_once(project: Path) -> None:
    """Fourteen rules are one line, skills elsewhere are one, and a copy is said to be one."""
    out = read_stdout("explain", "house", *at(project))
    assert [(row[1], row[2].partition(";")[0]) for row in rows(out, "not looked for")] == [
        (".cursor/rules/*.mdc", "14 files that Cursor reads"),
        ("../AGENTS.md", "it is above the repository, where this recipe stops"),
        (".codex/skills", "2 skills (Codex)"),
    ]
    assert rows(out, "same text") == [["same text", "CLAUDE.md", "it only imports AGENTS.md"]]


def test_explain_marks_what_is_from_outside(project: Path) -> None:
    """In the list of files and where a block's sources are named, as text and as JSON."""
    above = f"{project.parent}/AGENTS.md"
    out = read_stdout("explain", "opal", *at(project))
    marked = [line for line in out.splitlines() if "../AGENTS.md" in line]
    assert len(marked) == 2
    assert all(line.endswith("outside the repository") for line in marked)
    assert not [line for line in out.splitlines() if " AGENTS.md" in line and "outside" in line]
    data = json.loads(read_stdout("explain", "opal", *at(project), "--json"))
    assert [look["path"] for look in data["looked_at"] if look.get("outside") and look["what"] == "context"] == [above]
    shares = [share for block in data["blocks"] for share in block["shares"] if share["outside"]]
    assert {share["source"]["path"] for share in shares} == {
        above,
        f"{project.parents[1]}/home/.agents/skills/far/SKILL.md",
    }


def test_why_says_that_a_file_is_from_outside(project: Path) -> None:
    """The answer for one path has it too."""
    out = read_stdout("explain", "opal", *at(project), "--why", f"{project.parent}/AGENTS.md")
    assert out.endswith("It is outside the repository.\n")
    assert "outside" not in read_stdout("explain", "opal", *at(project), "--why", "AGENTS.md").splitlines()[-1]


def test_a_state_keeps_the_mark(project: Path, tmp_path: Path) -> None:
    """A saved state is explained with it."""
    saved = tmp_path / "state.json"
    saved.write_text(read_stdout("state", "opal", *at(project)))
    out = read_stdout("explain", "opal", "--no-discover", "--state", saved)
    [line] = [line for line in out.splitlines() if line.endswith("outside the repository")]
    assert f"/{project.parent.name}/AGENTS.md" in line


@pytest.mark.parametrize("command", ["build", "explain", "context", "state", "config"])
def test_a_folder_of_extra_dirs_that_is_not_there_is_named(project: Path, command: str) -> None:
    """By every command that looks for skills."""
    (project / "overture.toml").write_text('features.skills.extra_dirs = ["gone"]\n')
    done = run(command, "house", *at(project)[:4])
    gone = "gone" if command == "explain" else f"{project}/gone"
    assert f"features.skills.extra_dirs names '{gone}', which does not exist" in done.stderr + done.stdout

"""What never arrives, is cut, is paid twice or differs: of each file, for the agents in use, from every start."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ..cli.run import run
from ..discovery.disk import link, put, put_skill


def text(name: str, lines: int = 20) -> str:
    """Lines that no other file has."""
    return "".join(f"Rule {number} of {name} asks for more care at quay {number}.\n" for number in range(lines))


TEXT = text("all")
LONG = "".join(f"Rule {number} of the long file asks for care at quay {number}.\n" for number in range(900))


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """An empty repository."""
    folder = tmp_path / "r"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def ask(repo: Path, *words: str, home: Path | None = None, **environment: str) -> Any:
    """A command's JSON; home is empty."""
    home = home or repo.parent / "home"
    home.mkdir(exist_ok=True)
    done = run(*words, "--json", cwd=repo, **{"HOME": str(home), "PATH": "/usr/bin:/bin", **environment})
    assert done.stderr == "", done.stderr
    return json.loads(done.stdout)


def problems(repo: Path, **more: Any) -> dict[str, list[str]]:
    """The messages of each code on the first screen."""
    found: dict[str, list[str]] = {}
    for each in ask(repo, **more)["problems"]:
        found.setdefault(each["code"], []).append(each["message"])
    return found


def write(repo: Path, files: Mapping[str, str]) -> None:
    """These files; `-> target` is a link."""
    for name, text in files.items():
        if text.startswith("-> "):
            link(repo / name, text.removeprefix("-> "))
        else:
            put(repo / name, text)


def test_a_file_that_another_hides_never_arrives(repo: Path) -> None:
    """Claude Code reads no AGENTS.md below a CLAUDE.md with text; a link beside one brings it."""
    write(repo, {"CLAUDE.md": TEXT, "a/AGENTS.md": text("a"), "b/AGENTS.md": text("b"), "b/CLAUDE.md": "-> AGENTS.md"})
    (message,) = problems(repo)["never-arrives"]
    assert message == "a/AGENTS.md never reaches Claude Code: CLAUDE.md hides it. Fix: a CLAUDE.md link beside it"


def test_a_limit_that_is_used_up(repo: Path) -> None:
    """Codex takes 32 KiB of all its files together: it cuts one, and the files below never arrive."""
    write(repo, {"AGENTS.md": LONG, "a/AGENTS.md": text("a"), "b/AGENTS.md": text("b")})
    found = problems(repo)
    assert found["never-arrives"] == [
        "a/AGENTS.md and b/AGENTS.md never reach Codex: AGENTS.md uses up its 32,768 bytes"
    ]
    (cut,) = found["truncated"]
    assert cut.startswith("Codex loads ") and cut.endswith(
        "of 900 lines of AGENTS.md: at most 32,768 bytes of all these files together"
    )


def test_a_file_that_is_cut_only_below(repo: Path) -> None:
    """The limit is reached where the agent is started in a folder with files of its own: that start is named."""
    write(repo, {"AGENTS.md": LONG[:25_000], "a/AGENTS.md": LONG[:15_000]})
    (cut,) = problems(repo)["truncated"]
    assert cut.startswith("Codex loads ") and "lines of a/AGENTS.md" in cut


def test_a_link_that_an_agent_does_not_follow(repo: Path) -> None:
    """Factory droid follows none: what is behind it never arrives there."""
    write(repo, {".factory/settings.json": "{}", "real.md": TEXT, "AGENTS.md": "-> real.md"})
    (message,) = problems(repo)["never-arrives"]
    assert message == "AGENTS.md never reaches Factory droid: it is a symlink, which it does not follow"


def test_an_import_that_brings_a_file_once_more(repo: Path) -> None:
    """Copilot CLI reads both names and follows the import: it pays for the text twice."""
    write(repo, {"AGENTS.md": TEXT, "CLAUDE.md": "# Rules\n\n@AGENTS.md\n"})
    (message,) = problems(repo)["loaded-twice"]
    assert message.startswith("AGENTS.md reaches Copilot CLI twice (") and message.endswith("): CLAUDE.md:3 imports it")
    (agent,) = ask(repo, "agents", "copilot-cli")["agents"]
    (row,) = (file for file in agent["files"] if file["path"] == "AGENTS.md")
    assert row["times"] == 2 and row["tokens"] * 1 > 0
    once = next(f for f in ask(repo, "agents", "codex")["agents"][0]["files"] if f["path"] == "AGENTS.md")
    assert row["tokens"] == 2 * once["tokens"]


def test_two_files_that_say_the_same(repo: Path) -> None:
    """Copilot CLI loads both AGENTS.md and its own file: most lines twice."""
    write(repo, {"AGENTS.md": TEXT, ".github/copilot-instructions.md": TEXT + "And one line more of its own.\n"})
    assert any("which repeats" in each for each in problems(repo)["loaded-twice"])


def test_an_agent_that_is_set_up_and_gets_nothing(repo: Path) -> None:
    """Gemini CLI reads GEMINI.md alone: with a sign of it here, that is said; without, it is not in use."""
    write(repo, {"AGENTS.md": TEXT})
    assert "agents-disagree" not in problems(repo)
    put(repo / ".gemini/settings.json", "{}")
    (message,) = problems(repo)["agents-disagree"]
    assert message.startswith("Gemini CLI is set up here (.gemini") and message.endswith("it reads GEMINI.md")


def test_a_companion_that_is_missing_in_some_folders(repo: Path) -> None:
    """Where other folders have both names, one with CLAUDE.md alone was forgotten: a warning, else a note."""
    write(repo, {"AGENTS.md": TEXT, "CLAUDE.md": "-> AGENTS.md", "a/CLAUDE.md": text("a")})
    levels = {each["severity"] for each in ask(repo)["problems"] if each["code"] == "agents-disagree"}
    assert levels == {"note"}
    write(repo, {"b/AGENTS.md": text("b"), "b/CLAUDE.md": "-> AGENTS.md"})
    (each,) = (each for each in ask(repo)["problems"] if each["code"] == "agents-disagree")
    assert each["severity"] == "warning"
    assert each["message"].startswith("a/CLAUDE.md ") and "(1 other folder has both)" in each["message"]


def test_two_files_of_one_folder_with_other_text(repo: Path) -> None:
    """Who keeps both with other words may mean that: a note for each, and the agents do not agree."""
    write(repo, {"AGENTS.md": TEXT, "CLAUDE.md": text("claude")})
    found = ask(repo)
    assert {each["severity"] for each in found["problems"]} == {"note"} and not found["agree"]
    assert [each["message"] for each in found["problems"]] == [
        "AGENTS.md does not reach Claude Code, for which CLAUDE.md there says something else",
        "CLAUDE.md does not reach Codex, for which AGENTS.md there says something else",
    ]


def test_skills_that_were_forgotten(repo: Path) -> None:
    """Of seven skills an agent that is set up lists six: the seventh is named. None of them is a choice."""
    put(repo / "CLAUDE.md", TEXT)
    for number in range(7):
        put_skill(repo / f".agents/skills/s{number}")
    assert "agents-disagree" not in problems(repo)
    for number in range(6):
        link(repo / f".claude/skills/s{number}", f"../../.agents/skills/s{number}")
    assert "s6 (of 7 skills) never reach Claude Code" in problems(repo)["agents-disagree"]


SILENT = {
    "a copy": {"AGENTS.md": TEXT, "CLAUDE.md": TEXT.replace("\n", "\n\n")},
    "a link": {"AGENTS.md": TEXT, "CLAUDE.md": "-> AGENTS.md", "a/AGENTS.md": text("a"), "a/CLAUDE.md": "-> AGENTS.md"},
    "a file for one agent, by its own words": {
        "AGENTS.md": TEXT,
        ".github/instructions/x.instructions.md": f"---\napplyTo: '**'\nexcludeAgent: coding-agent\n---\n{LONG[:4000]}",
    },
    "rules of one vendor": {"AGENTS.md": TEXT, ".cursor/rules/x.mdc": f"---\nalwaysApply: true\n---\n{LONG[:4000]}"},
    "a template": {"AGENTS.md": TEXT, "CLAUDE.md": "-> AGENTS.md", "templates/node/AGENTS.md": text("x")},
    "a page about agents": {
        "AGENTS.md": TEXT, "CLAUDE.md": "-> AGENTS.md", "docs/agents.md": text("x"), "docs/a.md": "x",
    },
    "a stub below": {"AGENTS.md": TEXT, "CLAUDE.md": "-> AGENTS.md", "a/CLAUDE.md": "See AGENTS.md.\n"},
    "nested files that wait": {"AGENTS.md": TEXT, "a/AGENTS.md": text("a"), "a/b/AGENTS.md": text("b")},
}  # fmt: skip


@pytest.mark.parametrize("files", SILENT.values(), ids=list(SILENT))
def test_what_is_deliberate_is_no_problem(repo: Path, files: dict[str, str]) -> None:
    """Copies, links, exclusions, one vendor's rules, templates, pages, stubs, and what waits below."""
    write(repo, files)
    found = {code: messages for code, messages in problems(repo).items() if code != "secret"}
    assert not {code for code in found if code in ("never-arrives", "truncated", "agents-disagree")}, found


def test_what_git_ignores_is_personal(repo: Path) -> None:
    """A generated CLAUDE.md that nobody else has is shown, and neither compared nor judged; a link is its own file."""
    write(repo, {".gitignore": "CLAUDE.md\n", "CLAUDE.md": text("me"), "a/AGENTS.md": text("a"), "AGENTS.md": TEXT})

    def find_personal() -> set[str]:
        files = ask(repo, "agents", "--files")["files"]
        return {file["path"] for file in files if any(use.get("personal") for use in file["uses"])}

    assert find_personal() == {"CLAUDE.md"}
    (repo / "CLAUDE.md").unlink()
    link(repo / "CLAUDE.md", "AGENTS.md")
    assert find_personal() == {"CLAUDE.md"}


def test_a_file_under_home_makes_no_one_differ(repo: Path, tmp_path: Path) -> None:
    """~/.claude/CLAUDE.md is shown with its agent; the project agrees as before."""
    put(repo / "AGENTS.md", TEXT)
    put(tmp_path / "other/.claude/CLAUDE.md", "Mine alone, and nobody else's.")
    found = ask(repo, home=tmp_path / "other")
    assert found["agree"] and not found["differences"]
    (claude,) = (each for each in found["agents"] if each["name"] == "claude-code")
    assert len(claude["files"]) == 2


def test_all_agents_in_use_are_compared(repo: Path) -> None:
    """Eight are set up; the last of them gets nothing, and is not passed over."""
    put(repo / "AGENTS.md", TEXT)
    for sign in (".claude", ".codex", ".cursor", ".kiro", ".junie", ".roo", ".zed", ".gemini"):
        put(repo / sign / "settings.json", "{}")
    found = ask(repo)
    assert len(found["agents"]) >= 8 and not found["agree"]
    assert any("gemini-cli" in each["agents"] for each in found["differences"])


def test_an_agent_that_the_configuration_names(repo: Path) -> None:
    """`agents` in overture.toml says who is in use."""
    write(repo, {"AGENTS.md": TEXT, "overture.toml": 'agents = ["codex", "gemini-cli"]\n'})
    assert [each["name"] for each in ask(repo)["agents"]] == ["codex", "gemini-cli"]


def test_a_file_that_arrives_in_its_own_folder_is_a_state(repo: Path) -> None:
    """Codex reads it only when it is started there: a row of the table, and no problem."""
    write(repo, {"AGENTS.md": TEXT, "a/AGENTS.md": text("a")})
    assert not problems(repo)
    (file,) = (each for each in ask(repo, "agents", "--files")["files"] if each["path"] == "a/AGENTS.md")
    codex = {use["start"]: (use["how"], use["reason"]["code"]) for use in file["uses"] if use["agent"] == "codex"}
    assert codex == {".": ("skipped", "below-start"), "a": ("loaded", "at-start")}
    cursor = {use["start"]: use["how"] for use in file["uses"] if use["agent"] == "cursor"}
    assert cursor["."] == "on_demand"


def test_what_one_file_is_to_each_agent(repo: Path) -> None:
    """`--why` gathers agents with one answer, from here or from the file's folder; an unknown file is an error."""
    write(repo, {"CLAUDE.md": TEXT, "a/AGENTS.md": text("a")})
    done = run("agents", "--why", "a/AGENTS.md", cwd=repo, HOME=str(repo.parent))
    lines = done.stdout.splitlines()
    assert lines[0] == "a/AGENTS.md" and done.returncode == 0
    assert any(line.startswith("  loaded on demand by ") for line in lines)
    assert any(line.startswith("  loaded by ") and line.endswith(" when started in its folder") for line in lines)
    assert any("by Claude Code: hidden by CLAUDE.md" in line for line in lines)
    assert run("agents", "--why", "none.md", cwd=repo, HOME=str(repo.parent)).returncode == 2


def test_an_agent_by_nearly_its_name(repo: Path) -> None:
    """A likely name is suggested, also for a title."""
    for typed, name in (("factory-droid", "droid"), ("Claude Code", "claude-code"), ("gemini", "gemini-cli")):
        done = run("agents", typed, cwd=repo, HOME=str(repo.parent))
        assert done.returncode == 2 and name in done.stderr, done.stderr


def test_every_folder_of_hundreds_is_looked_at(repo: Path) -> None:
    """Two hundred nested files are one line, and each has its rows."""
    put(repo / "CLAUDE.md", TEXT)
    for number in range(200):
        put(repo / f"p{number:03}/AGENTS.md", text(f"package {number}"))
    (message,) = problems(repo)["never-arrives"]
    assert message.startswith("p000/AGENTS.md and 199 more never reach Claude Code")

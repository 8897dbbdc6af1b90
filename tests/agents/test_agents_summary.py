"""The first screen and `overture agents` have the same numbers."""

from pathlib import Path

import overture
from overture.agents.agents_summary import summarize_agents
from overture.agents.make_reports import report_agents
from overture.discover.disk.working_directory import locate
from overture.project.resolve import resolve
from overture.tokens.counter import ESTIMATE

from .places import project

SKILL = "---\nname: {name}\ndescription: Use it for {name}.\n{more}---\nSteps.\n"


def test_both_screens_have_the_same_numbers(tmp_path: Path) -> None:
    """A rule that waits for a file, which Copilot names, counts in neither; nor does a skill that is not listed."""
    (tmp_path / ".git").mkdir()
    home = tmp_path / "home"
    home.mkdir()
    files = {
        "AGENTS.md": "Run the tests.\n",
        "CLAUDE.md": "@AGENTS.md\n\nSay why.\n",
        ".github/copilot-instructions.md": "Be brief.\n",
        ".github/instructions/docs.instructions.md": "---\napplyTo: docs/**\n---\nWrite plainly.\n",
        ".github/skills/press/SKILL.md": SKILL.format(name="press", more=""),
        ".github/skills/quiet/SKILL.md": SKILL.format(name="quiet", more="disable-model-invocation: true\n"),
        ".claude/skills/print/SKILL.md": SKILL.format(name="print", more=""),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    shown = summarize_agents(resolve("house", locate(cwd=tmp_path, home=home)), ESTIMATE).agents
    reports = report_agents([agent.name for agent in shown], cwd=tmp_path, home=home, counter=ESTIMATE)
    assert {"copilot-cli", "claude-code"} <= {agent.name for agent in shown}
    assert [(agent.tokens, agent.skills) for agent in shown] == [
        (report.tokens, sum(file.kind == "skill" for file in report.of("loaded", "truncated"))) for report in reports
    ]


def test_a_file_of_a_word_is_loaded(tmp_path: Path) -> None:
    """However little it says; one that only imports another is all that an agent gets that follows no imports."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "home").mkdir()

    def load() -> dict[str, list[str]]:
        found = summarize_agents(resolve("house", locate(cwd=tmp_path, home=tmp_path / "home")), ESTIMATE)
        return {agent.name: [Path(file.path).name for file in agent.files] for agent in found.agents}

    (tmp_path / "AGENTS.md").write_text("x\n")
    assert load()["codex"] == load()["claude-code"] == ["AGENTS.md"]
    (tmp_path / "AGENTS.md").write_text("@CLAUDE.md\n")
    (tmp_path / "CLAUDE.md").write_text("Use tabs for everything here.\n")
    assert (load()["codex"], load()["claude-code"]) == (["AGENTS.md"], ["CLAUDE.md"])


def test_a_command_without_a_description_is_truncated_like_a_skill() -> None:
    """Copilot CLI 1.0.102 was seen to list the first 1,024 characters of its text."""
    world = project({".claude/commands/a.md": "# A\n\n" + "moor " * 1000, ".claude/commands/b.md": "# B\n\nMoor.\n"})
    (report,) = report_agents(["copilot-cli"], world=world)
    tokens = {file.path: file.tokens for file in report.of("loaded") if file.kind == "command"}
    assert 300 < tokens["/p/.claude/commands/a.md"] < 500


def test_check_names_the_agents_of_the_first_screen(tmp_path: Path) -> None:
    """An agent that loads nothing counts on both screens where somebody uses it, and on none where nobody does."""
    (tmp_path / ".git").mkdir()
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "AGENTS.md").write_text("Use tabs.\n")
    shown = summarize_agents(resolve("house", locate(cwd=tmp_path, home=home)), ESTIMATE)
    assert (shown.agree, shown.uninstructed) == (True, ("gemini-cli",))
    assert not overture.check(cwd=tmp_path, home=home, select=["agents-disagree"]).findings
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini/config.yaml").write_text("code_review: {}\n")  # of Gemini's reviews on GitHub
    assert summarize_agents(resolve("house", locate(cwd=tmp_path, home=home)), ESTIMATE).agree
    (tmp_path / ".gemini/commands").mkdir()
    shown = summarize_agents(resolve("house", locate(cwd=tmp_path, home=home)), ESTIMATE)
    [found] = overture.check(cwd=tmp_path, home=home, select=["agents-disagree"]).findings
    assert not shown.agree and all(agent.title in found.message for agent in shown.agents)
    assert found.message.endswith(f"load {tmp_path / 'AGENTS.md'}; Gemini CLI loads none")
    (tmp_path / "AGENTS.md").unlink()
    (tmp_path / "CLAUDE.md").write_text("Use tabs.\n")
    (tmp_path / "AGENTS.md").symlink_to("CLAUDE.md")
    (tmp_path / "GEMINI.md").symlink_to("CLAUDE.md")
    assert summarize_agents(resolve("house", locate(cwd=tmp_path, home=home)), ESTIMATE).agree
    assert not overture.check(cwd=tmp_path, home=home, select=["agents-disagree"]).findings


def test_a_name_has_the_tokens_that_it_has_alone() -> None:
    """Cline lists the names of skills and nothing else: the line break before its rules is of neither."""
    world = project({"AGENTS.md": "Be brief.\n", ".agents/skills/sail/SKILL.md": SKILL.format(name="sail", more="")})
    counter = overture.counter("o200k")
    (report,) = report_agents(["cline"], world=world, counter=counter)
    tokens = {file.path: file.tokens for file in report.of("loaded")}
    assert tokens["/p/.agents/skills/sail/SKILL.md"] == counter("sail")

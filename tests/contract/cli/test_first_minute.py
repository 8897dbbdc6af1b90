"""What a stranger is told in the first minute is true of the files: names, tokens, skills, differences, problems."""

import json
from pathlib import Path

from ..discovery.disk import put, put_skill
from .run import run
from .test_summary import alone, data, rows

LONG = "".join(f"- Rule {number} of the harbour.\n" for number in range(1500))
"""More than Codex loads."""


def agents(here: Path, *words: str) -> str:
    """What `overture agents` prints, each run of blanks as one."""
    home = here.parent / "home"
    home.mkdir(exist_ok=True)
    done = run("agents", *words, cwd=here, HOME=str(home), PATH="/usr/bin:/bin")
    assert (done.returncode, done.stderr) == (0, "")
    return "\n".join(" ".join(line.split()) for line in done.stdout.splitlines())


def repository(tmp_path: Path, **files: str) -> Path:
    """A repository with these files."""
    (tmp_path / "r/.git").mkdir(parents=True)
    for name, text in files.items():
        put(tmp_path / "r" / name, text)
    return tmp_path / "r"


def test_a_git_that_fails_ends_nothing(tmp_path: Path) -> None:
    """Where git can't say whether a file was moved, it is missing, and the rest is said."""
    here = repository(tmp_path, **{"AGENTS.md": "- `src/quay.py` drives it.\n", "src/pier.py": "go()\n"})
    put(tmp_path / "bin/git", "#!/bin/sh\necho fatal: object is missing >&2\nexit 128\n").chmod(0o755)
    done = run("check", cwd=here, HOME=str(tmp_path), PATH=f"{tmp_path}/bin:/usr/bin:/bin")
    assert "`src/quay.py` does not exist in the project" in done.stdout and done.stderr == ""
    assert alone(here, PATH=f"{tmp_path}/bin:/usr/bin:/bin")[0].startswith("agent ")


def test_no_fix_is_promised_for_a_rule_of_one_agent(tmp_path: Path) -> None:
    """Antigravity alone reads its rules, and nobody wants them in the files of others."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n", ".agents/rules/tide.md": "Mind the tide.\n"})
    (here / "CLAUDE.md").symlink_to("AGENTS.md")
    assert not any("--fix" in line for line in alone(here))
    assert "--fix" not in agents(here)


def test_one_skill_under_two_names_is_no_difference(tmp_path: Path) -> None:
    """Claude Code calls it by its folder, the others by the name that it gives itself."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n"})
    put(here / "skills/tide/SKILL.md", "---\nname: moon\ndescription: When the water comes.\n---\n")
    for folder in (".claude", ".agents"):
        (here / folder).mkdir()
        (here / folder / "skills").symlink_to("../skills")
    lines = alone(here)
    assert rows(lines)["Claude Code"].endswith(", 1 skill") and rows(lines)["Codex"].endswith(", 1 skill")
    assert {each["code"] for each in data(here)["problems"]} <= {"skill-invalid"}


def test_skills_that_come_later_are_in_the_table(tmp_path: Path) -> None:
    """Claude Code and Cursor list those of a folder below once they work there; for Codex they are not there."""
    here = repository(tmp_path, **{"CLAUDE.md": "Use tabs.\n", "AGENTS.md": "Use tabs.\n"})
    put_skill(here / "apps/web/.claude/skills/tide")
    later = {
        each["name"]: [file["path"] for file in each["files"] if file["how"] == "on_demand"]
        for each in json.loads(agents(here, "claude-code", "cursor", "codex", "--json"))["agents"]
    }
    path = "apps/web/.claude/skills/tide/SKILL.md"
    assert later == {"claude-code": [path], "cursor": [path], "codex": []}


def test_a_name_that_one_agent_loads_below_is_found(tmp_path: Path) -> None:
    """Amp loads an `agent.md` below, and no other agent knows the name."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n", "docs/agent.md": "# Agents\n"})
    assert agents(here, "--why", "docs/agent.md").splitlines()[1].startswith("loaded on demand by Amp")
    assert "docs/agent.md" not in agents(here, "codex")


def test_an_agent_that_names_a_file_does_not_load_it(tmp_path: Path) -> None:
    """Kimi Code gives the model the path of a file below, and not its text."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n", "web/AGENTS.md": "Mind the tide.\n"})
    [kimi] = json.loads(agents(here, "kimi", "--json"))["agents"]
    [below] = [file for file in kimi["files"] if file["path"] == "web/AGENTS.md"]
    assert (below["how"], below["text"]) == (
        "on_demand",
        "when the agent works on a file in web; only its path is loaded",
    )


def test_a_repository_without_skills_says_no_more_than_that(tmp_path: Path) -> None:
    """It has instruction files; and what no agent loads does not begin with an empty line."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n"})
    assert agents(here, "--skills") == "No skills here."
    put_skill(here / "examples/skills/tide")
    assert agents(here, "--skills") == "Not for the agents here: examples/skills/tide/SKILL.md (`--all`)."


def test_a_skill_without_a_folder_is_skipped_and_not_lost(tmp_path: Path) -> None:
    """Claude Code lists folders with a SKILL.md; a README beside them is no skill."""
    skill = "---\nname: sail\ndescription: Sail.\n---\nSail.\n"
    here = repository(tmp_path, **{"AGENTS.md": "Be brief.\n", ".claude/skills/sail.md": skill})
    put(here / ".claude/skills/README.md", "About skills.\n")
    assert "Not for the agents here: .claude/skills/sail.md" in agents(here, "--files")
    assert ".claude/skills/sail.md a skill is a folder with a SKILL.md" in agents(here, "claude-code")
    assert "README" not in agents(here, "--all", "--files")


def test_a_skill_says_how_it_is_listed_and_why_in_part(tmp_path: Path) -> None:
    """Cline lists names; Kimi Code cuts each description at 250 characters, however few there are."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n"})
    text = f"---\nname: tide\ndescription: {'When the water comes. ' * 20}\n---\nLook up.\n"
    put(here / ".agents/skills/tide/SKILL.md", text)
    assert ".agents/skills/tide/SKILL.md listed by name\n" in agents(here, "cline").replace(
        "; its order is not fixed", ""
    )
    assert "SKILL.md listed by name and description\n" in agents(here, "codex")
    assert "listed: the agent lists at most 250 of a description" in agents(here, "kimi")


def test_every_description_that_is_cut_is_counted(tmp_path: Path) -> None:
    """The table has the number of all of them, however many are shown."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n"})
    for number in range(24):
        text = f"---\nname: tide-{number}\ndescription: {'When the water comes. ' * 20}\n---\n"
        put(here / f".agents/skills/tide-{number}/SKILL.md", text)
    assert "kimi (24)" in agents(here, "--all")


def test_a_skill_that_is_loaded_by_another_name_is_listed(tmp_path: Path) -> None:
    """It has one row, with its other names beside it."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n"})
    put_skill(here / "skills/tide")
    for folder in (".claude", ".agents"):
        (here / folder).mkdir()
        (here / folder / "skills").symlink_to("../skills")
    shown = " ".join(agents(here, "--files").split())
    assert "skills/tide/SKILL.md) listed by Amp, Antigravity, " in shown
    assert "read under another name" not in shown
    assert "lists 1 skill here" in agents(here, "claude-code")


def test_comments_and_frontmatter_make_no_difference(tmp_path: Path) -> None:
    """Claude Code takes out of a file what asks for nothing; Codex does not, and gets the same instructions."""
    text = "---\ntitle: Rules of the harbour\n---\n<!-- License: see the file of that name -->\n\nUse tabs.\n"
    here = repository(tmp_path, **{"AGENTS.md": text, ".codex/config.toml": ""})
    (here / "CLAUDE.md").symlink_to("AGENTS.md")
    assert data(here)["agree"]
    assert json.loads(run("check", "--json", "--select", "agents-disagree", cwd=here).stdout)["findings"] == []


def test_instructions_that_are_lost_are_the_worst_warning(tmp_path: Path) -> None:
    """A file that is truncated, or a link to nothing, comes before a path that is wrong."""
    here = repository(tmp_path, **{"AGENTS.md": "- `src/quay.py` drives it.\n" + LONG, "src/pier.py": "go()\n"})
    assert data(here)["problems"][0]["code"] == "truncated"
    (here / "AGENTS.md").write_text("- `src/quay.py` drives it.\n")
    (here / "CLAUDE.md").symlink_to("agents.md")
    assert [each["code"] for each in data(here)["problems"]] == ["unreadable", "missing-path"]


def test_the_worst_problem_may_be_in_a_folder_below(tmp_path: Path) -> None:
    """What Codex loses if it is started there is told."""
    here = repository(tmp_path, **{"AGENTS.md": "Be brief.\n", "web/AGENTS.md": LONG})
    [line] = [line for line in alone(here) if line.startswith("warning: ")]
    assert line.startswith("warning: Codex loads ") and "of 1,500 lines of web/AGENTS.md" in line


def test_files_that_are_imported_are_named(tmp_path: Path) -> None:
    """Gemini CLI puts them in the place of the line that imports them; all files have the tokens of the agent."""
    here = repository(tmp_path, **{"GEMINI.md": "Be brief.\n\n@docs/a.md\n", "docs/a.md": "Use tabs.\n"})
    [gemini] = json.loads(agents(here, "gemini-cli", "--json"))["agents"]
    loaded = [file for file in gemini["files"] if file["how"] == "loaded"]
    assert [file["path"] for file in loaded] == ["GEMINI.md", "docs/a.md"]
    assert sum(file["tokens"] for file in loaded) == gemini["tokens"]


def test_a_file_that_is_loaded_twice_says_so(tmp_path: Path) -> None:
    """Copilot CLI loads AGENTS.md, and once more where CLAUDE.md imports it: that is why it costs twice as much."""
    here = repository(tmp_path, **{"AGENTS.md": "Mind the tide.\n", "CLAUDE.md": "@AGENTS.md\n"})
    assert rows(alone(here))["Copilot CLI"] == "AGENTS.md twice, CLAUDE.md"
    assert rows(alone(here))["Cursor"] == "AGENTS.md, CLAUDE.md"
    assert "AGENTS.md twice, CLAUDE.md" in agents(here)


def test_many_files_of_one_folder_are_one_name(tmp_path: Path) -> None:
    """Rules are counted; the names of three of them say nothing of the others."""
    rules = {f".claude/rules/{name}.md": f"Mind the {name}.\n" for name in ("tide", "quay", "pier", "dock", "crane")}
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n"}, **rules)
    assert rows(alone(here))["Claude Code"] == "5 rules in .claude/rules, AGENTS.md"


def test_copies_of_skills_are_no_problem(tmp_path: Path) -> None:
    """Skills that a project keeps in a folder for each agent are hidden by equal ones: nothing is lost."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n"})
    for folder in (".agents/skills", ".cursor/skills"):
        for name in ("tide", "quay", "pier", "dock"):
            put_skill(here / folder / name)
    shown = agents(here, "cursor")
    assert "4 skills in .cursor/skills hidden by .agents/skills/*/SKILL.md" in shown
    assert "Problems" not in shown


def test_a_rule_below_that_waits_for_a_file_is_not_skipped(tmp_path: Path) -> None:
    """Cursor loads it on demand, and no command says anything else."""
    rule = "---\nglobs: *.mdx\nalwaysApply: false\n---\nWrite short pages.\n"
    here = repository(tmp_path, **{"docs/.cursor/rules/pages.mdc": rule, "AGENTS.md": "Use tabs.\n"})
    assert "docs/.cursor/rules/pages.mdc" not in agents(here, "cursor").partition("\nSkips\n")[2]
    assert "docs/.cursor/rules/pages.mdc when the agent works on a file that matches *.mdx" in agents(here, "cursor")
    files = " ".join(agents(here, "--files").split())
    assert "loaded on demand by Cursor: when the agent works on a file that matches *.mdx" in files
    assert "Not for the agents here" not in files


def test_a_command_is_listed_as_a_skill_is_and_by_a_skill_of_its_name_hidden(tmp_path: Path) -> None:
    """Claude Code and Copilot CLI list commands among the skills, each name once."""
    commands = {f".claude/commands/{name}.md": "# Sail\n\nSet the sails.\n" for name in ("sail", "tide")}
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n", **commands})
    put_skill(here / ".claude/skills/tide")
    assert "AGENTS.md, 1 skill, 1 command" in "\n".join(alone(here))
    assert "AGENTS.md, 1 skill, 1 command" in agents(here)
    for name in ("claude-code", "copilot-cli"):
        shown = agents(here, name)
        assert "lists 1 skill and 1 command here" in shown
        assert ".claude/commands/sail.md listed by name and description" in shown
        assert ".claude/commands/tide.md hidden by .claude/skills/tide/SKILL.md, which has the same name" in shown


def test_a_skill_that_agents_call_by_two_names_is_one(tmp_path: Path) -> None:
    """Claude Code takes the name of its folder, Copilot CLI that of its frontmatter: no difference to explain."""
    here = repository(tmp_path, **{"CLAUDE.md": "Use tabs.\n", ".github/copilot-instructions.md": "Use tabs.\n"})
    put_skill(here / ".claude/skills/look-up-the-tide", "name: tide\ndescription: Looks up the tide.")
    assert not any("tide" in each["message"] for each in data(here)["problems"] if each["code"] == "agents-disagree")


def test_cursor_reads_globs_that_are_no_yaml(tmp_path: Path) -> None:
    """Cursor writes `globs: *.ts` without quotes, which YAML reads as an alias: the rule waits for such a file."""
    rule = "---\ndescription: Types\nglobs: *.ts,**/*.tsx\nalwaysApply: false\n---\nName types.\n"
    here = repository(tmp_path, **{".cursor/rules/types.mdc": rule, "AGENTS.md": "Use tabs.\n"})
    shown = agents(here, "cursor")
    assert "when the agent works on a file that matches *.ts, **/*.tsx" in shown.partition("Loads on demand")[2]
    assert "not YAML" not in shown
    put(here / ".cursor/rules/types.mdc", rule.replace("false", "true"))
    [cursor] = json.loads(agents(here, "cursor", "--json"))["agents"]
    assert cursor["files"][0]["how"] == "loaded" and cursor["files"][0]["tokens"] < 6  # of its text alone


def test_check_counts_every_file_that_it_looks_at(tmp_path: Path) -> None:
    """Files of other agents are among them."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n", "CLAUDE.md": "Be brief.\n"})
    done = run("check", "--select", "secret", cwd=here, HOME=str(tmp_path), PATH="/usr/bin:/bin")
    assert done.stdout == "No problems found in 2 files.\n"

"""What a stranger is told in the first minute is true of the files: names, tokens, skills, differences, problems."""

import json
from pathlib import Path

from ..discovery.disk import put, put_skill
from .run import run
from .test_summary import alone, data, rows

LONG = "".join(f"- Rule {number} of the harbour.\n" for number in range(1500))
"""More than Codex loads."""


def agents(here: Path, *words: str) -> str:
    """What `overture agents` prints."""
    home = here.parent / "home"
    home.mkdir(exist_ok=True)
    done = run("agents", *words, cwd=here, HOME=str(home), PATH="/usr/bin:/bin")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


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
    lines = alone(here, PATH=f"{tmp_path}/bin:/usr/bin:/bin")
    assert "warning: AGENTS.md:1: `src/quay.py` does not exist in the project" in "\n".join(lines)


def test_a_problem_in_a_file_far_below_is_a_whole_clause(tmp_path: Path) -> None:
    """Its path counts: what does not fit beside it is left out from the colon on."""
    path = ".github/instructions/integrations-of-the-harbour.instructions.md"
    here = repository(tmp_path, **{"AGENTS.md": "Be brief.\n", path: "See [tides](tides-of-the-whole-year.md).\n"})
    [line] = [line for line in alone(here) if line.startswith("error: ")]
    assert line == f"error: {path}:1: the link target `tides-of-the-whole-year.md` does not exist"


def test_the_effect_of_a_fix_is_what_the_agent_then_loads(tmp_path: Path) -> None:
    """With the lines that a file has twice, its blank ones, and the line that imports it."""
    text = "# Rules\n\n" + "- Use tabs.\n\n```sh\nmake test\n```\n\n" * 40
    here = repository(tmp_path, **{"AGENTS.md": text, "CLAUDE.md": "Be brief.\n"})
    before, shown = data(here)["agents"][0]["tokens"], agents(here)
    agents(here, "--fix", "--yes")
    assert "Claude Code skips AGENTS.md" in shown
    assert f"(+{data(here)['agents'][0]['tokens'] - before} tokens)" in shown


def test_the_effect_of_a_fix_below_comes_on_demand(tmp_path: Path) -> None:
    """It adds nothing at the start."""
    texts = {"AGENTS.md": "Use tabs.\n", "web/AGENTS.md": "Mind the tide.\n"}
    here = repository(tmp_path, **texts)
    (here / "CLAUDE.md").symlink_to("AGENTS.md")
    assert "make web/CLAUDE.md a symlink to AGENTS.md (+4 tokens on demand)." in agents(here, "--tokenizer", "o200k")


def test_no_fix_is_promised_for_a_rule_of_one_agent(tmp_path: Path) -> None:
    """Antigravity alone reads its rules, and nobody wants them in the files of others."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n", ".agents/rules/tide.md": "Mind the tide.\n"})
    (here / "CLAUDE.md").symlink_to("AGENTS.md")
    lines = alone(here)
    assert any("other instructions than" in line for line in lines)
    assert "Next: `overture agents` shows what each of them skips." in lines
    assert "Fix:" not in agents(here)


def test_a_fix_is_promised_where_there_is_one(tmp_path: Path) -> None:
    """Two of four agents list the skill: which of them is right, nobody knows."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n", ".claude/settings.json": "{}\n"})
    (here / "CLAUDE.md").symlink_to("AGENTS.md")
    put_skill(here / ".codex/skills/tide")
    lines = alone(here)
    assert "All 4 get the same instructions. Their skills differ." in lines
    assert "Next: `overture agents` shows what each of them skips." in lines
    assert "Fix:" not in agents(here)


def test_one_skill_under_two_names_is_no_difference(tmp_path: Path) -> None:
    """Claude Code calls it by its folder, the others by the name that it gives itself."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n"})
    put(here / "skills/tide/SKILL.md", "---\nname: moon\ndescription: When the water comes.\n---\n")
    for folder in (".claude", ".agents"):
        (here / folder).mkdir()
        (here / folder / "skills").symlink_to("../skills")
    lines = alone(here)
    assert rows(lines)["Claude Code"].endswith(", 1 skill") and rows(lines)["Codex"].endswith(", 1 skill")
    assert not any("skills differ" in line for line in lines)


def test_skills_that_come_later_are_in_the_table(tmp_path: Path) -> None:
    """Claude Code and Cursor list those of a folder below once they work there; for Codex they are not there."""
    here = repository(tmp_path, **{"CLAUDE.md": "Use tabs.\n", "AGENTS.md": "Use tabs.\n"})
    put_skill(here / "apps/web/.claude/skills/tide")
    table = {line.split()[0]: line for line in agents(here).splitlines() if line}
    assert " 1 skill " in table["claude-code"] and " 1 skill " in table["cursor"]
    assert table["agent"].index("on demand") <= table["claude-code"].index("1 skill") < table["agent"].index("skips")
    assert table["agent"].index("skips") <= table["codex"].index("1 skill")


def test_a_name_that_one_agent_loads_below_is_found(tmp_path: Path) -> None:
    """Amp loads an `agent.md`; each agent has a sentence of its own."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n", "Makefile": "all:\n", "docs/agent.md": "# Agents\n"})
    assert agents(here, "--why", "docs/agent.md").splitlines()[1] == "  loaded on demand by Amp"
    shown = agents(here, "--files")
    assert "gptme would load Makefile as well" in shown and "Amp would load docs/agent.md as well" in shown
    assert "docs/agent.md" not in agents(here, "codex")


def test_an_agent_that_names_a_file_does_not_load_it(tmp_path: Path) -> None:
    """Kimi Code gives the model the path of a file below, and not its text."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n", "web/AGENTS.md": "Mind the tide.\n"})
    assert "  loaded on demand by Kimi Code: only its path is loaded" in agents(here, "--why", "web/AGENTS.md")
    assert "when the agent works on a file in web; only its path is loaded" in agents(here, "kimi")


def test_a_repository_without_skills_says_no_more_than_that(tmp_path: Path) -> None:
    """It has instruction files; and what no agent loads does not begin with an empty line."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n"})
    assert agents(here, "--skills") == "No skills here.\n"
    put_skill(here / "examples/skills/tide")
    assert agents(here, "--skills") == "No agent loads examples/skills/tide/SKILL.md (`--all`).\n"


def test_a_collection_of_skills_is_missed_by_nobody(tmp_path: Path) -> None:
    """`skills` is a folder for others, also where the repository itself lies in a hidden folder."""
    put_skill(tmp_path / ".work/r/skills/sail")
    here = repository(tmp_path / ".work", **{"AGENTS.md": "Be brief.\n"})
    assert "skill" not in agents(here)
    put_skill(here / ".claude/skills/moor")
    assert "1 skill" in agents(here)


def test_a_skill_without_a_folder_is_skipped_and_not_lost(tmp_path: Path) -> None:
    """Claude Code lists folders with a SKILL.md; a README beside them is no skill."""
    skill = "---\nname: sail\ndescription: Sail.\n---\nSail.\n"
    here = repository(tmp_path, **{"AGENTS.md": "Be brief.\n", ".claude/skills/sail.md": skill})
    put(here / ".claude/skills/README.md", "About skills.\n")
    assert "No agent loads .claude/skills/sail.md" in agents(here, "--files")
    assert "claude-code       3  AGENTS.md  1 skill" in agents(here)
    assert ".claude/skills/sail.md  a skill is a folder with a SKILL.md" in agents(here, "claude-code")
    assert "README" not in agents(here, "--all", "--files")


def test_a_skill_says_how_it_is_listed_and_why_in_part(tmp_path: Path) -> None:
    """Cline lists names; Kimi Code cuts each description at 250 characters, however few there are."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n"})
    text = f"---\nname: tide\ndescription: {'When the water comes. ' * 20}\n---\nLook up.\n"
    put(here / ".agents/skills/tide/SKILL.md", text)
    assert ".agents/skills/tide/SKILL.md  listed by name\n" in agents(here, "cline").replace("; order not fixed", "")
    assert "SKILL.md  listed by name and description\n" in agents(here, "codex")
    assert "listed: the agent lists at most 250 of a description" in agents(here, "kimi")


def test_every_description_that_is_cut_is_counted(tmp_path: Path) -> None:
    """The table has the number of all of them, however many are shown."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n"})
    for number in range(24):
        text = f"---\nname: tide-{number}\ndescription: {'When the water comes. ' * 20}\n---\n"
        put(here / f".agents/skills/tide-{number}/SKILL.md", text)
    assert "kimi (24)" in agents(here, "--all")


def test_a_skill_that_is_loaded_by_another_name_is_listed(tmp_path: Path) -> None:
    """A skill is listed, a file is loaded; long other names are counted, so that none is cut in its middle."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n"})
    put_skill(here / "skills/mind-the-tide-at-the-quay")
    for folder in (".claude", ".agents"):
        (here / folder).mkdir()
        (here / folder / "skills").symlink_to("../skills")
    same = ".agents/skills/mind-the-tide-at-the-quay/SKILL.md  the same file as .claude/skills/"
    assert f"{same}mind-the-tide-at-the-quay/SKILL.md, which is listed" in agents(here, "claude-code")
    assert "skills/mind-the-tide-at-the-quay/SKILL.md (also 2 other names)" in agents(here, "--files")
    (devin,) = (line for line in agents(here, "--all").splitlines() if line.startswith("devin "))
    assert " 1 skill " in devin  # skipped, though it is also in a folder that is for no agent


def test_the_effect_of_a_higher_limit_is_the_rest_of_the_file(tmp_path: Path) -> None:
    """What Codex loads, and what the advice adds, are the file together."""
    here = repository(tmp_path, **{"AGENTS.md": LONG})
    codex, cursor = (each for each in data(here)["agents"] if each["name"] in ("codex", "cursor"))
    assert f"(+{cursor['tokens'] - codex['tokens']:,} tokens)" in agents(here)


def test_comments_and_frontmatter_make_no_difference(tmp_path: Path) -> None:
    """Claude Code takes out of a file what asks for nothing; Codex does not, and gets the same instructions."""
    text = "---\ntitle: Rules of the harbour\n---\n<!-- License: see the file of that name -->\n\nUse tabs.\n"
    here = repository(tmp_path, **{"AGENTS.md": text, ".codex/config.toml": ""})
    (here / "CLAUDE.md").symlink_to("AGENTS.md")
    assert data(here)["agree"]
    assert json.loads(run("check", "--json", "--select", "agents-disagree", cwd=here).stdout)["findings"] == []


def test_a_file_that_differs_has_the_name_that_most_agents_use(tmp_path: Path) -> None:
    """Only Claude Code loads the link; the others load what it leads to, and one of them truncates it."""
    here = repository(tmp_path, **{"AGENTS.md": LONG})
    (here / "CLAUDE.md").symlink_to("AGENTS.md")
    found = data(here)
    assert found["differences"] == [f"{here}/AGENTS.md"]
    # OpenHands loads CLAUDE.md, which is the same file.
    assert found["readers"] == len(found["others"])


def test_instructions_that_are_lost_are_the_worst_warning(tmp_path: Path) -> None:
    """A file that is truncated, or a link to nothing, comes before a path that is wrong."""
    here = repository(tmp_path, **{"AGENTS.md": "- `src/quay.py` drives it.\n" + LONG, "src/pier.py": "go()\n"})
    assert data(here)["problems"][0]["code"] == "truncated-instructions"
    (here / "AGENTS.md").write_text("- `src/quay.py` drives it.\n")
    (here / "CLAUDE.md").symlink_to("agents.md")
    assert [each["code"] for each in data(here)["problems"]] == ["unreadable-file", "missing-path"]


def test_the_worst_problem_may_be_in_a_folder_below(tmp_path: Path) -> None:
    """What `check` finds there is told: a link to nothing, and what Codex loses if it is started there."""
    here = repository(tmp_path, **{"AGENTS.md": "Be brief.\n", "web/AGENTS.md": LONG})
    assert "warning: web/AGENTS.md:1209: started in its folder, Codex" in "\n".join(alone(here))
    put(here / "web/AGENTS.md", "See [tides](tides.md).\n")
    assert "error: web/AGENTS.md:1: the link target `tides.md` does not exist" in "\n".join(alone(here))


def test_files_that_are_imported_are_named(tmp_path: Path) -> None:
    """Gemini CLI puts them in the place of the line that imports them; all files have the tokens of the agent."""
    here = repository(tmp_path, **{"GEMINI.md": "Be brief.\n\n@docs/a.md\n", "docs/a.md": "Use tabs.\n"})
    (gemini,) = (each for each in data(here)["agents"] if each["name"] == "gemini-cli")
    assert [file["path"] for file in gemini["files"]] == [f"{here}/GEMINI.md", f"{here}/docs/a.md"]
    assert sum(file["tokens"] for file in gemini["files"]) == gemini["tokens"]


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
    lines = alone(here)
    assert rows(lines)["Claude Code"] == "5 files in .claude/rules, AGENTS.md"
    assert any("5 files differ (5 files in .claude/rules)" in line for line in lines)


def test_copies_of_skills_are_no_problem(tmp_path: Path) -> None:
    """Skills that a project keeps in a folder for each agent are hidden by equal ones: nothing is lost."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n"})
    for folder in (".agents/skills", ".cursor/skills"):
        for name in ("tide", "quay", "pier", "dock"):
            put_skill(here / folder / name)
    shown = agents(here, "cursor")
    assert "4 skills in .cursor/skills  hidden by .agents/skills/*/SKILL.md" in shown
    assert "Problems" not in shown
    assert [line for line in agents(here, "--files").splitlines() if line.startswith(".cursor/skills (4 skills)")]
    put(here / ".cursor/skills/tide/SKILL.md", "---\nname: tide\ndescription: Another one.\n---\n")
    assert "has the same name, 'tide', and comes first" in agents(here, "cursor")


def test_pages_of_a_skill_are_no_skills(tmp_path: Path) -> None:
    """What lies beside a SKILL.md belongs to it: nobody misses it in a menu."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n", "skills/tide/references/moon.md": "The moon.\n"})
    put_skill(here / "skills/tide")
    assert "No agent loads" not in agents(here, "--files")


def test_a_rule_below_that_waits_for_a_file_is_not_skipped(tmp_path: Path) -> None:
    """Cursor loads it on demand, and no command says anything else."""
    rule = "---\nglobs: *.mdx\nalwaysApply: false\n---\nWrite short pages.\n"
    here = repository(tmp_path, **{"docs/.cursor/rules/pages.mdc": rule, "AGENTS.md": "Use tabs.\n"})
    assert "docs/.cursor/rules/pages.mdc" not in agents(here, "cursor").partition("\nSkips\n")[2]
    assert "docs/.cursor/rules/pages.mdc  when the agent works on a file that matches *.mdx" in agents(here, "cursor")
    files = agents(here, "--files")
    assert "loaded on demand by Cursor: when the agent works on a file that matches *.mdx" in files
    assert "No agent loads" not in files


def test_each_agent_has_its_own_sentence_about_files_that_it_alone_reads(tmp_path: Path) -> None:
    """Two agents that are not used here, each with other files: none of them reads what the other does."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n", "Makefile": "all:\n", "DESIGN.md": "Blue.\n"})
    files = agents(here, "--files")
    assert "gptme would load Makefile as well (`--all`)." in files
    assert "Factory droid would load DESIGN.md as well (`--all`)." in files


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
        assert ".claude/commands/sail.md      listed by name and description" in shown
        assert ".claude/commands/tide.md  hidden by .claude/skills/tide/SKILL.md, which has the same name" in shown


def test_a_skill_that_agents_call_by_two_names_is_one(tmp_path: Path) -> None:
    """Claude Code takes the name of its folder, Copilot CLI that of its frontmatter: no difference to explain."""
    here = repository(tmp_path, **{"CLAUDE.md": "Use tabs.\n", ".github/copilot-instructions.md": "Use tabs.\n"})
    put_skill(here / ".claude/skills/look-up-the-tide", "name: tide\ndescription: Looks up the tide.")
    lines = alone(here)
    assert [line for line in lines if "including" in line or "Their skills differ" in line] == []


def test_cursor_reads_globs_that_are_no_yaml(tmp_path: Path) -> None:
    """Cursor writes `globs: *.ts` without quotes, which YAML reads as an alias: the rule waits for such a file."""
    rule = "---\ndescription: Types\nglobs: *.ts,**/*.tsx\nalwaysApply: false\n---\nName types.\n"
    here = repository(tmp_path, **{".cursor/rules/types.mdc": rule, "AGENTS.md": "Use tabs.\n"})
    shown = agents(here, "cursor")
    assert "when the agent works on a file that matches *.ts, **/*.tsx" in shown.partition("Loads on demand")[2]
    assert "not YAML" not in shown
    put(here / ".cursor/rules/types.mdc", rule.replace("false", "true"))
    (cursor,) = (each for each in data(here)["agents"] if each["name"] == "cursor")
    assert cursor["files"][0]["tokens"] < 6  # of its text alone


def test_check_counts_every_file_that_it_looks_at(tmp_path: Path) -> None:
    """Files of other agents are among them."""
    here = repository(tmp_path, **{"AGENTS.md": "Use tabs.\n", "CLAUDE.md": "Be brief.\n"})
    done = run("check", "--select", "secret", cwd=here, HOME=str(tmp_path), PATH="/usr/bin:/bin")
    assert done.stdout == "No problems found in 2 files.\n"

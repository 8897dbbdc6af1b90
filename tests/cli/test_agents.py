"""`overture agents`: what other agents read here, as people and programs ask for it."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from overture.known_agents import AGENTS
from tests.contract.cli.on_a_terminal import on_a_terminal, plain
from tests.contract.cli.run import read_stdout, run
from tests.contract.discover.disk import put_skill


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository in which Claude Code and Cursor are used, with a file that is too long for Codex."""
    (tmp_path / "home").mkdir()
    repo = tmp_path / "repo"
    (repo / ".git").mkdir(parents=True)
    files = {
        "AGENTS.md": "".join(f"{number:063d}\n" for number in range(1, 601)),
        "CLAUDE.md": "Speak of moorings.\n",
        "services/AGENTS.md": "Of services.\n",
        "services/CLAUDE.md": "Of services, for Claude.\n",
        ".cursor/rules/always.mdc": "---\nalwaysApply: true\n---\nA rule for Cursor.\n",
        **{f".claude/skills/{name}/SKILL.md": _skill(name) for name in ("moor", "sail", "dock", "row")},
    }
    for name, text in files.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text)
    return repo


def _skill(name: str) -> str:
    return f"---\nname: {name}\ndescription: How to {name}.\n---\n{name}.\n"


def asked(repo: Path, *words: str | Path) -> str:
    """What the command prints; PATH has no agents on it, and home is empty."""
    done = run("agents", *words, "--cwd", repo, "--home", repo.parent / "home", PATH="/nowhere")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def rows(text: str) -> dict[str, list[str]]:
    """The words of each line by its first."""
    return {line.split()[0]: line.split() for line in text.splitlines() if line.strip()}


def test_a_line_for_each_agent_that_is_used_here(repo: Path) -> None:
    """Agents with files of their own here stand in the table, and the most used that load one; others are counted."""
    text = asked(repo)
    assert {"claude-code", "cursor", "codex"} <= rows(text).keys()
    assert "aider" not in rows(text) and "zed" not in rows(text)
    assert "`--all`" in text


def test_a_row_says_what_is_loaded_cut_and_not_read_and_how_it_is_known(repo: Path) -> None:
    """Files, tokens, where the first cut file ends, what is not read, and the version that was seen."""
    row = rows(asked(repo, "codex", "claude-code"))["codex"]
    assert row[1].replace(",", "").isdigit() and " ".join(row[2:6]) == "AGENTS.md to line 512"
    assert row[-2] == "seen"


def test_everyone_is_listed_when_asked(repo: Path) -> None:
    """`--all` has a line for every agent that is known; those that are used here stand first."""
    listed = [line.split()[0] for line in asked(repo, "--all").splitlines() if line and line.split()[0] in AGENTS]
    assert sorted(listed) == sorted(AGENTS)
    assert listed.index("cursor") < listed.index("aider")


def test_where_no_agent_is_used_the_way_on_is_said(tmp_path: Path) -> None:
    """An empty folder: no table, and what to ask instead."""
    done = run("agents", "--cwd", tmp_path, "--home", tmp_path, PATH="/nowhere")
    assert done.returncode == 0 and "No agent is set up here" in done.stdout and "agents --all" in done.stdout


def test_where_no_agent_is_used_all_are_asked_who_reads_a_file(tmp_path: Path) -> None:
    """A lone AGENTS.md: `--files` and `--why` tell of every agent that is known."""
    (tmp_path / "AGENTS.md").write_text("# Rules\n")
    for words in (("--files",), ("--why", "AGENTS.md")):
        done = run("agents", *words, "--cwd", tmp_path, "--home", tmp_path, PATH="/nowhere")
        assert done.returncode == 0 and "loaded by Claude Code, Codex, Copilot CLI and 24 others" in done.stdout


def test_one_agent_with_its_files_in_order_and_why_not_the_others(repo: Path) -> None:
    """What is told with cut and reason, then what is read later, then what is not read, each with why."""
    text = asked(repo, "codex")
    assert "Seen in a run of " in text and "Its own prompt" in text
    start, _, rest = text.partition("Skips")
    assert "truncated after line 512 of 600" in start and "32,768 bytes" in start
    assert "CLAUDE.md" in rest and "services/AGENTS.md" in rest and "below the working directory" in rest
    later = asked(repo, "claude-code").partition("Loads on demand")[2]
    assert "services/CLAUDE.md" in later.partition("Skips")[0]


def test_many_skills_of_a_folder_stand_in_one_line_unless_all_are_asked_for(repo: Path) -> None:
    """Four skills of one folder are one line; `--all` lists each."""
    assert "4 skills in .claude/skills" in asked(repo, "claude-code")
    assert ".claude/skills/moor/SKILL.md" in asked(repo, "claude-code", "--all")


def test_json_has_the_keys_that_programs_rely_on(repo: Path) -> None:
    """Names, version, day, how it is known, files in order with status, why and tokens, the sum, the findings."""
    (agent,) = json.loads(asked(repo, "codex", "--json"))["agents"]
    assert {"name", "version", "checked", "known", "files", "tokens", "findings"} <= agent.keys()
    assert agent["known"] == "run" and agent["checked"].count("-") == 2
    assert all({"path", "kind", "status", "why", "tokens"} <= file.keys() for file in agent["files"])
    cut = agent["files"][0]
    assert (cut["path"], cut["status"], cut["last_line"]) == (str(repo / "AGENTS.md"), "truncated", 512)
    assert "INSTRUCTIONS" in cut["frame"]
    statuses = [file["status"] for file in agent["files"]]
    assert statuses == sorted(statuses, key=["loaded", "truncated", "listed", "on_demand", "skipped"].index)
    assert agent["tokens"] == sum(file["tokens"] for file in agent["files"])


def test_json_of_nobody_is_an_empty_list(tmp_path: Path) -> None:
    """Where no agent is used, programs get an empty list."""
    done = run("agents", "--json", "--cwd", tmp_path, "--home", tmp_path, PATH="/nowhere")
    assert json.loads(done.stdout) == {"agents": []}


def test_files_and_who_reads_them(repo: Path) -> None:
    """The other way round, in the words of one agent: the same as data and as Markdown."""
    text = asked(repo, "codex", "claude-code", "--files")
    grid = rows(text)
    assert grid["file"][1:] == ["codex", "claude-code"]
    assert grid["AGENTS.md"][1:] == ["truncated", "after", "line", "512", "skipped"]
    assert grid["CLAUDE.md"][1:] == ["skipped", "loaded"]
    assert grid["services/CLAUDE.md"][1:] == ["skipped", "loaded", "on", "demand"]
    data = json.loads(asked(repo, "codex", "--files", "--json"))
    by = {file["path"]: file["by"]["codex"] for file in data["files"]}
    assert by[str(repo / "AGENTS.md")]["last_line"] == 512
    assert by[str(repo / "CLAUDE.md")]["how"] == "skipped"
    assert "| `CLAUDE.md` | skipped | loaded |" in asked(repo, "codex", "claude-code", "--files", "--markdown")


def test_markdown_has_the_words_of_one_vocabulary(repo: Path) -> None:
    """The table of all agents and that of one say truncated, loaded on demand and skipped, and no other words."""
    table = asked(repo, "codex", "claude-code", "--markdown")
    assert "| Truncated | Loaded on demand | Skipped |" in table
    put_skill(repo / ".agents/skills/tides")
    assert "| 3, 1 skill | seen in a run" in asked(repo, "claude-code", "cursor", "--markdown")  # as on a terminal
    one = asked(repo, "claude-code", "--markdown")
    assert "| `services/CLAUDE.md` | loaded on demand |" in one
    assert not set(re.findall(r"(?m)^\| [^|]* \| (told|later|cut|whole|never) \|", one + table))


def test_explain_says_loaded_on_demand(repo: Path) -> None:
    """A rule for certain files has that word in `explain`, not that of the code."""
    (repo / ".claude/rules").mkdir(parents=True)
    (repo / ".claude/rules/api.md").write_text("---\npaths: src/**\n---\nUse tabs.\n")
    text = read_stdout("explain", "claude-code", "--cwd", repo, "--home", repo)
    assert re.search(r"(?m)^ *loaded on demand .*api\.md", text)
    assert not re.search(r"(?m)^ *(lazy|cleared|unread|shadowed)\b", text)


def test_the_grid_is_a_list_where_there_is_no_room_for_it(repo: Path) -> None:
    """With many agents, each file has a line with the agents grouped by what they do with it."""
    text = asked(repo, "--files", "--all")
    assert "  loaded by " in text and "; skipped by " in text
    assert max(map(len, asked(repo, "codex", "--files").splitlines())) < 200


def test_what_is_added_when_an_agent_works_on_a_file(repo: Path) -> None:
    """`--touching` shows what each agent is told besides, and says so where that is nothing."""
    text = asked(repo, "claude-code", "codex", "--touching", "services/berths.py")
    claude, _, codex = text.partition("Codex")
    assert "services/CLAUDE.md" in claude and "adds nothing" in codex
    data = json.loads(asked(repo, "claude-code", "--touching", "services/berths.py", "--json"))["agents"][0]
    assert [Path(f["path"]).parent.name for f in data["files"] if f.get("touched")] == ["services"]


def test_why_of_one_file_for_all_agents_and_for_one(repo: Path) -> None:
    """`agents NAME --why` answers for those; `explain NAME --why` answers by that agent's own rules."""
    lines = asked(repo, "codex", "claude-code", "--why", "CLAUDE.md").splitlines()
    assert lines == ["CLAUDE.md", "  loaded by Claude Code", "  not looked for by Codex"]
    one = run("explain", "codex", "--why", "CLAUDE.md", "--cwd", repo, "--home", repo.parent / "home")
    assert "Codex does not read CLAUDE.md" in one.stdout and "features." not in one.stdout
    cut = run("explain", "codex", "--why", "AGENTS.md", "--cwd", repo, "--home", repo.parent / "home")
    assert "up to line 512 of 600" in cut.stdout
    assert run("agents", "codex", "--why", "none.md", "--cwd", repo).returncode == 2


def test_markdown_names_paths_from_the_top_of_the_repository(repo: Path) -> None:
    """Wherever it is asked, the paths are those of the repository, in code spans."""
    where = ("--cwd", repo / "services", "--home", repo.parent / "home")
    text = run("agents", "codex", "claude-code", "--markdown", *where).stdout
    assert "`services/AGENTS.md`" in text and str(repo) not in text
    assert text.startswith("| Agent | ")


def test_a_table_fits_a_terminal_of_eighty_columns(repo: Path) -> None:
    """No line of the table is wider than the terminal."""
    words = ["agents", "codex", "claude-code", "cursor", "--cwd", str(repo), "--home", str(repo.parent / "home")]
    lines = plain(on_a_terminal(*words, columns=80)).splitlines()
    assert max(map(len, lines)) <= 80
    assert {"agent", "codex", "claude-code", "cursor"} <= {line.split()[0] for line in lines if line.strip()}


@pytest.mark.parametrize("command", ["build", "explain", "context", "state", "check"])
def test_every_command_takes_the_name_of_an_agent(repo: Path, command: str) -> None:
    """An agent is a recipe like any other."""
    done = run(command, "codex", "--cwd", repo, "--home", repo.parent / "home")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr and done.stdout


def test_advice_that_is_alike_is_one_sentence(repo: Path) -> None:
    """Ten folders that lack the same file are not ten lines."""
    for number in range(10):
        (repo / f"d{number}").mkdir()
        (repo / f"d{number}" / "AGENTS.md").write_text(f"Of folder {number}.\n")
    shown = asked(repo, "claude-code", "cursor")
    assert shown.count("Claude Code skips d0/AGENTS.md, d1/AGENTS.md, d2/AGENTS.md and ") == 1
    assert " and likewise in 9 more folders (+" in shown


def test_many_files_of_one_reason_are_not_explained_by_the_name_of_one(repo: Path) -> None:
    """`*.md` stands for all of them."""
    for name in ("one", "two", "three", "four"):
        (repo / ".cursor" / "rules" / f"{name}.md").write_text("A rule without its frontmatter.\n")
    assert "4 rules in .cursor/rules  Cursor does not read .cursor/rules/*.md" in asked(repo, "cursor")


def test_a_page_about_a_model_does_not_stand_for_what_is_not_read(repo: Path) -> None:
    """`docs/gemini.md` may be no instructions at all."""
    (repo / "a").mkdir()
    (repo / "a" / "gemini.md").write_text("How to use Gemini.\n")
    (line,) = (line for line in asked(repo, "claude-code", "codex").splitlines() if line.startswith("claude-code"))
    assert "gemini.md" not in line


def test_a_difference_is_short_and_its_paths_are_of_here(repo: Path) -> None:
    """Paths as one writes them here, long lines cut, and what is left out counted."""
    (repo / "AGENTS.md").write_text("word " * 100 + "\n")
    for number in range(20):
        (repo / ".agents" / "skills" / f"s{number}").mkdir(parents=True)
        (repo / ".agents" / "skills" / f"s{number}" / "SKILL.md").write_text(_skill(f"s{number}"))
    done = run("agents", "diff", "codex", "claude-code", "--cwd", repo, "--home", repo.parent / "home")
    assert "\n  AGENTS.md:1 " in done.stdout
    assert "word…\n" in done.stdout
    assert "and 9 more: `--all` shows them" in done.stdout
    assert str(repo) not in done.stdout


def test_what_is_read_later_is_short_too(repo: Path) -> None:
    """Of many, the first few, and how many more."""
    for number in range(30):
        (repo / f"d{number}").mkdir()
        (repo / f"d{number}" / "AGENTS.md").write_text(f"Of folder {number}.\n")
    shown = asked(repo, "copilot-cli")
    assert shown.count("when the agent works on a file in ") == 12
    assert "and 20 more: `--all` lists them" in shown
    assert "d29/AGENTS.md" in asked(repo, "copilot-cli", "--all")


def test_outside_a_repository_not_everything_below_is_looked_into(tmp_path: Path) -> None:
    """A home is no project: after some folders it is enough, and that is said."""
    (tmp_path / "home").mkdir()
    for number in range(2_001):
        (tmp_path / "all" / f"d{number}").mkdir(parents=True)
    assert "only 2,000 folders were searched" in asked(tmp_path / "all", "codex")
    (tmp_path / "all" / ".git").mkdir()
    assert "were looked into" not in asked(tmp_path / "all", "codex")


def test_who_works_on_a_folder_works_on_a_file_in_it(repo: Path) -> None:
    """`--touching services` is not `nothing`."""
    assert asked(repo, "claude-code", "--touching", "services").count("services/CLAUDE.md") == 1


def test_a_large_project_that_git_does_not_know_yet_is_searched_on_the_disk(tmp_path: Path) -> None:
    """Nothing is committed: the file behind a thousand folders is found all the same."""
    (tmp_path / "home").mkdir()
    repo = tmp_path / "repo"
    for number in range(1_001):
        (repo / f"d{number}").mkdir(parents=True)
    (repo / "z" / "z").mkdir(parents=True)
    (repo / "z" / "z" / "AGENTS.md").write_text("Of the end.\n")
    subprocess.run(["git", "init", "-q", repo], check=True)
    assert "z/z/AGENTS.md" in asked(repo, "codex")


def test_a_huge_project_that_git_does_not_know_yet_is_searched_in_part_and_that_is_said(tmp_path: Path) -> None:
    """The sentence names the number, the reason and two ways on."""
    (tmp_path / "home").mkdir()
    repo = tmp_path / "repo"
    for number in range(5_001):
        (repo / f"d{number}").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", repo], check=True)
    said = " ".join(asked(repo, "codex").split())
    assert "only 5,000 folders were searched, because git tracks no file here" in said
    assert "--cwd, or `git add` them" in said


def test_the_table_as_a_whole(tmp_path: Path) -> None:
    """Agents, tokens on the right, what each loads and skips, how that is known; then one line a problem."""
    (tmp_path / "home").mkdir()
    (tmp_path / "repo/.git").mkdir(parents=True)
    (tmp_path / "repo/AGENTS.md").write_text("Use tabs.\n")
    (tmp_path / "repo/CLAUDE.md").write_text("Speak of moorings.\n")
    (tmp_path / "repo/.agents/skills/moor").mkdir(parents=True)
    (tmp_path / "repo/.agents/skills/moor/SKILL.md").write_text(_skill("moor"))
    assert asked(tmp_path / "repo", "--tokenizer", "o200k").splitlines() == [
        "agent        tokens  loads                          skips                                     how known",
        "claude-code       6  CLAUDE.md                      AGENTS.md (hidden by CLAUDE.md), 1 skill  seen 2.1.325",
        "codex             9  AGENTS.md, 1 skill             CLAUDE.md                                 seen 0.166.0",
        "copilot-cli      15  AGENTS.md, CLAUDE.md, 1 skill                                            seen 1.0.102",
        "cursor           15  AGENTS.md, CLAUDE.md, 1 skill                                            docs",
        "gemini-cli        6  1 skill                        AGENTS.md, CLAUDE.md                      seen 0.61.0",
        "",
        "24 more agents known (`--all`).",
        "",
        "Gemini CLI skips AGENTS.md and CLAUDE.md. Fix: "
        'set `context.fileName` = ["AGENTS.md", "CLAUDE.md"] in .gemini/settings.json (+9 tokens).',
        "Claude Code skips AGENTS.md because CLAUDE.md exists. Fix: "
        "create .claude/CLAUDE.md with a line `@../AGENTS.md` (+8 tokens).",
        "Claude Code skips the skill in .agents/skills. Fix: "
        "make .claude/skills a symlink to ../.agents/skills (+6 tokens).",
        "Codex skips CLAUDE.md. Fix: copy what it should know into AGENTS.md by hand (+6 tokens).",
        "",
        "hint: `overture agents --fix` shows these changes and asks before it writes",
    ]


def test_columns_that_are_dropped_are_named(repo: Path) -> None:
    """In a narrow terminal, how it is known goes first; what goes is said."""
    words = ["agents", "codex", "claude-code", "--cwd", str(repo), "--home", str(repo.parent / "home")]
    text = plain(on_a_terminal(*words, columns=64))
    assert max(map(len, text.splitlines())) <= 64
    assert "how known" not in text.splitlines()[0]
    assert "The terminal is too narrow for `how known`" in text
    assert "Too narrow" not in plain(on_a_terminal(*words, columns=160))


def test_down_a_pipe_a_long_cell_goes_on_in_the_next_line(repo: Path) -> None:
    """One agent with many files does not make every row wide; nothing is left out for it."""
    for number in range(4):
        name = f"a-rule-with-a-name-that-takes-a-lot-of-room-{number}.mdc"
        (repo / ".cursor/rules" / name).write_text("---\nalwaysApply: true\n---\nA rule for Cursor.\n")
    table = asked(repo).partition("\n\n")[0].splitlines()
    assert max(map(len, table)) <= 120
    assert table[0].split()[-2:] == ["how", "known"]
    assert [line.split()[0] for line in table if not line.startswith(" ")].count("cursor") == 1


def test_what_is_left_to_copy_is_said_of_the_lines_that_are_missing(repo: Path) -> None:
    """A file of which the agent gets some lines elsewhere has fewer tokens to copy than tokens."""
    (repo / "AGENTS.md").write_text("Use tabs.\nSpeak of moorings.\n")
    (repo / "CLAUDE.md").write_text("Speak of moorings.\nAnd of tides, where they matter.\n")
    assert "Codex skips CLAUDE.md. Fix: copy the lines it lacks into AGENTS.md by hand (+" in asked(
        repo, "codex", "claude-code", "copilot-cli"
    )

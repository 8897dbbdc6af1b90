"""`--budget` and `--tokenizer`, run as people run them."""

import json
import re
from pathlib import Path

import pytest

from .test_build import STATE, Result, assert_refused, build, run

LARGE = {
    **STATE,
    "context_files": [{"path": f"/p/{i}/AGENTS.md", "content": "Use tabs. " * 300} for i in range(3)],
}


def ask(command: str, *words: str) -> Result:
    return run(command, "pi", "--no-discover", "--state", "-", *words, stdin=json.dumps(LARGE))


def test_a_budget_is_kept_and_told_on_standard_error() -> None:
    """Standard output holds the prompt alone; what was cut and what more would restore do not."""
    done = ask("build", "--budget", "900")
    assert done.code == 0
    assert done.out.rstrip("\n").endswith("Current working directory: /p")
    first, hint = done.err.splitlines()
    assert re.fullmatch(
        r"note: Cut to \d+ of 900 tokens: skills dropped, project-context shortened, 2,\d+ tokens less", first
    )
    assert re.fullmatch(r"hint: `--budget 1900` restores .*/p/\d/AGENTS.md.*", hint)


def test_a_budget_that_leaves_no_file_says_so() -> None:
    """A prompt without any of the files that it had is no small matter, and more than three sections are counted."""
    done = run("build", "moltis", "--no-discover", "--state", "-", "--budget", "20", stdin=json.dumps(LARGE))
    assert done.code == 0
    first, warning, hint = done.err.splitlines()[-3:]
    assert re.match(r"note: Cut to \d+ of 20 tokens: \d sections dropped, [\d,]+ tokens less", first)
    assert warning == "warning: None of your files is in this prompt"
    assert hint.startswith("hint: `--budget 1020` restores ")


def test_a_budget_that_cannot_be_met_exits_with_1() -> None:
    """One line says what has to stay, by how much it is too long, and what would help."""
    done = ask("build", "--budget", "30")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error: A budget of 30 tokens is too small for `pi`\ncause: `base` has to stay and has ")
    assert re.search(r"\nhint: Raise the budget to [\d,]+ or more: `--budget \d+`\n", done.err)


@pytest.mark.parametrize("budget", ["0", "-4", "many", "1.5", "10%", "skills=", "nothing=5", "200%"])
def test_a_budget_that_is_none_exits_with_2(budget: str) -> None:
    """A budget that makes no sense is bad usage: one line, exit code 2."""
    done = ask("build", f"--budget={budget}")
    assert (done.code, done.out, done.err.count("error: ")) == (2, "", 1)


def test_sections_have_budgets_of_their_own() -> None:
    """`--budget NAME=N` limits one section, `N%` is a share of --window."""
    done = ask("build", "--format", "json", "--budget", "project-context=500", "--budget", "50%", "--window", "3000")
    data = done.json()
    assert data["tokens"]["exact"] is True
    assert data["tokens"]["total"] <= 1500
    assert next(b["tokens"] for b in data["blocks"] if b["name"] == "project-context") <= 500
    assert {cut["block"] for cut in data["cuts"]} == {"project-context"}


def test_explain_tells_of_the_budget() -> None:
    """An explanation of a cut prompt begins with what was cut; so does its JSON."""
    done = ask("explain", "--budget", "900")
    assert "Budget\n" in done.out
    assert "largest" in done.out
    told = ask("explain", "--budget", "900", "--json").json()
    assert told["budget"]["limit"] == 900
    assert told["tokens"] == told["budget"]["tokens"] <= 900
    assert told["tokenizer"] == "o200k"


def test_what_a_budget_did_names_files_and_skills_as_people_read_them(tmp_path: Path) -> None:
    """Paths are relative in an explanation too; of many skills that come back, the rest is counted after a comma."""
    (tmp_path / "AGENTS.md").write_text("Use tabs, not spaces.\n" * 200)
    for number in range(8):
        (tmp_path / f".agents/skills/skill-{number}").mkdir(parents=True)
        head = f"---\nname: skill-{number}\ndescription: {'Counts the boats. ' * 6}\n---\n"
        (tmp_path / f".agents/skills/skill-{number}/SKILL.md").write_text(head)
    place = ("--cwd", str(tmp_path), "--root", str(tmp_path), "--home", str(tmp_path))
    told = run("explain", "pi", *place, "--budget", "900").out.partition("\nBudget\n")[2].partition("\n\n")[0]
    assert "project-context: shortened: AGENTS.md (" in told and str(tmp_path) not in told
    hint = run("build", "pi", *place, "--budget", "1600").err.splitlines()[-1]
    assert re.search(r"restores skill-\d, skill-\d and \d more$", hint)


def test_an_estimate_says_how_far_off_it_may_be() -> None:
    """With the estimate every count has a ~, and one plain sentence under the total says how to get exact ones."""
    done = ask("context", "--by", "file", "--tokenizer", "estimate")
    assert "tokens (estimate)" in done.out.splitlines()[0]
    assert "~" in done.out.splitlines()[0]
    sentence = "With a ~ it is an estimate, usually 10% too high; `pip install 'overture[tokens]'` gives exact"
    assert done.out.splitlines()[1:3] == [f"{sentence} counts.", ""]


@pytest.mark.parametrize("name", ["o200k", "cl100k", "llama3", "claude"])
def test_a_tokenizer_is_chosen_by_name(name: str) -> None:
    """The name of the tokenizer stands beside its counts."""
    told = ask("context", "--by", "file", "--tokenizer", name, "--json").json()
    assert (told["tokenizer"], told["exact"]) == (name, name != "claude")
    assert sum(row["tokens"] for row in told["sections"]) == told["tokens"]


def test_an_unknown_tokenizer_exits_with_2() -> None:
    """The known ones are listed, and the nearest is named."""
    done = ask("context", "--by", "file", "--tokenizer", "o20k")
    assert done.code == 2
    assert "exists: `o200k`" in done.err


def test_the_window_may_be_a_models_name() -> None:
    """A share is then of what the table says of that model; a name that is not there is an error with the nearest."""
    state = {"context_files": [{"path": "/p/AGENTS.md", "content": "Mind the tide.\n" * 400}]}
    done = build(state, "--budget", "1%", "--window", "gpt-4o")
    assert "of 1,280 tokens" in done.err
    assert build(state, "--budget", "1%", "--window", "128,000").err == done.err
    assert_refused(build(state, "--budget", "1%", "--window", "gpt-4u"), "`gpt-4u`", "exists: `gpt-4o`")
    assert_refused(build(state, "--budget", "1%", "--window", "0"), "--window '0'")


def test_a_line_about_what_is_gone_brings_nothing_back() -> None:
    """With 1,000 tokens more the skills are still left out: that a line then says so is no gain."""
    skills = [
        {"name": f"skill-{n}", "description": "Does what is wanted. " * 20, "location": f"/s/{n}/SKILL.md"}
        for n in range(40)
    ]
    files = [{"path": "/p/AGENTS.md", "content": "Use tabs. " * 600}]
    state = {**STATE, "skills": skills, "context_files": files, "tools": [{"name": "read"}]}
    lines = build(state, "--budget", "250").err.splitlines()
    back = next(line for line in lines if line.startswith("hint: `--budget 1250` restores "))
    assert "skills" not in back
    assert "skills dropped" in build(state, "--budget", "1250").err


def test_stats_tell_of_the_budget_as_data_too() -> None:
    """What explain --json says of a budget, stats --json says as well; without one there is none."""
    told = ask("context", "--by", "file", "--budget", "900", "--json").json()["budget"]
    assert told == ask("explain", "--budget", "900", "--json").json()["budget"]
    assert told["limit"] == 900
    assert ask("context", "--by", "file", "--json").json()["budget"] is None


@pytest.mark.parametrize("command", ["context --by pace", "explain"])
def test_columns_hold_a_million_characters(command: str) -> None:
    """Figures stand under each other, right to right, however long the longest is."""
    state = json.dumps({**STATE, "context_files": [{"path": "/p/AGENTS.md", "content": "Use tabs.\n" * 120_000}]})
    words = (*command.split(), "pi", "--no-discover", "--state", "-", "--tokenizer", "estimate")
    lines = re.split(r"\n +changes .*\n", run(*words, stdin=state).out)[1].splitlines()
    lines = lines[: 6 if command == "explain" else 2]
    ends = [re.match(r" +(?:per \w+)? +~?[\d,]+", line) for line in lines]
    assert len({found.end() for found in ends if found}) == 1
    assert None not in ends
    assert any(re.search(r" ~?[\d,]{7}", line) for line in lines)

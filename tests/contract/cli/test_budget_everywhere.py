"""`--budget`, `--window` and `--tokenizer` count for every command that builds, and say so where they can't."""

import json
from pathlib import Path

import pytest

from .run import run
from .test_budgets import LARGE, ask
from .test_build import Result, assert_refused
from .test_build import run as given
from .test_cache import cached

pytestmark = pytest.mark.slow


def recording(folder: Path, turns: list[object]) -> Path:
    """A recorded session in a file."""
    file = folder / "session.json"
    file.write_text(json.dumps(turns))
    return file


def saved(state: dict[str, object]) -> object:
    """A prompt as build --format json saves it."""
    return given("build", "pi", "--no-discover", "--state", "-", "--format", "json", stdin=json.dumps(state)).json()


def test_cache_predicts_what_a_budget_leaves() -> None:
    """Every played prompt is cut, the header names budget and counter, and the JSON holds both."""
    whole, cut = (ask("cache", "--tokenizer", "o200k", *words, "--json").json() for words in ((), ("--budget", "900")))
    tools = whole["tokens"] - ask("stats", "--json").json()["tokens"]
    assert whole["tokens"] > 2_000
    assert (whole["budget"], cut["budget"]) == (None, {"total": 900, "sections": {}})
    tokens = [turn["tokens"] for session in cut["sessions"] for turn in session["turns"]]
    assert max(tokens) <= 900 + tools + 60  # a tool comes online in one of them
    assert "; counted by o200k; budget 900 tokens, without tools\n" in ask("cache", "--budget", "900").out


def test_cache_cuts_as_a_session_does() -> None:
    """A prompt that outgrows its budget by a line keeps its cuts: only what changed is written anew."""
    report = ask("cache", "--budget", "900", "--scenario", "file", "--json").json()
    blames = [turn["blame"] for turn in report["sessions"][0]["turns"][1:]]
    assert [blame and blame["section"] for blame in blames] == [None, None, "project-context", None, None]
    assert report["tokens"] <= 900 - 900 // 16 + 60


def test_a_budget_that_no_played_prompt_meets_exits_with_1() -> None:
    """As with build."""
    done = ask("cache", "--budget", "30")
    assert (done.code, done.out) == (1, "")
    assert "error: A budget of 30 tokens is too small" in done.err


def test_cache_says_what_counts() -> None:
    """An estimate has a ~ and its name; exact counts have none."""
    estimated = cached("--scenario", "clock", "--tokenizer", "estimate").out
    exact = cached("--scenario", "clock").out
    assert "; counted by estimate\n" in estimated
    assert "pi  ~" in estimated
    assert "; counted by o200k\n" in exact
    assert "~" not in exact
    told = cached("--json").json()
    assert (told["tokenizer"], told["exact"]) == ("o200k", True)
    assert cached("--json", "--tokenizer", "estimate").json()["tokenizer"] == "estimate"


def test_compare_says_what_is_left_after_the_cut() -> None:
    """A skill for which there is no room is not said."""
    skill = {"name": "pdf", "description": "Read PDF files.", "location": "/s/SKILL.md"}
    state = json.dumps({"skills": [skill], "tools": [{"name": "read"}]})
    words = ("compare", "pi", "opal", "--no-discover", "--state", "-", "--json")
    whole, cut = (given(*words, *more, stdin=state).json()["rows"] for more in ((), ("--budget", "skills=1")))
    assert [row["by"] for row in whole if row["fact"]["field"] == "skills[0]"] == [["stated", "stated"]]
    assert [row["by"] for row in cut if row["fact"]["field"] == "skills[0]"] == [["skipped", "skipped"]]


def test_watch_keeps_to_a_budget(tmp_path: Path) -> None:
    """The session that is watched is cut, and counted by the tokenizer that is named."""
    (tmp_path / "AGENTS.md").write_text("Mind the tide.\n" * 400)
    words = ("watch", "opal", "--cwd", tmp_path, "--root", tmp_path, "--home", tmp_path, "--times", "0", "--json")
    whole, cut = (json.loads(run(*words, *more).stdout)["tokens"] for more in ((), ("--budget", "700")))
    assert whole > 1_500
    assert cut <= 700
    assert "~" not in run(*words[:-1], "--tokenizer", "o200k").stdout


@pytest.mark.parametrize("command", ["build", "cache", "stats"])
def test_a_share_needs_a_window(command: str) -> None:
    """The answer is in words of the command line."""
    assert_refused_here(ask(command, "--budget", "10%"), "'10%'", "--window 200000", "a model's name")
    assert_refused_here(ask(command, "--budget", "0%"), "'0%' is not a valid share")
    assert_refused_here(ask(command, "--budget", "101%"), "'101%' is not a valid share")


def test_two_totals_and_a_window_for_nothing_are_refused() -> None:
    """What would be ignored is said."""
    assert_refused_here(ask("build", "--budget", "800", "--budget", "700"), "twice", "'800'", "'700'")
    assert_refused_here(ask("build", "--budget", "skills=8", "--budget", "skills=7"), "twice", "'skills'")
    assert_refused_here(ask("build", "--window", "200000"), "--window '200000' has no effect", "--budget 10%")
    assert_refused_here(ask("build", "--window", "200000", "--budget", "900"), "no effect")


def assert_refused_here(result: Result, *words: str) -> None:
    """Exit code 2, nothing on standard output, and one line that holds these words."""
    assert (result.code, result.out, result.err.count("error: ")) == (2, "", 1), result.err
    said = result.err.replace("`", "'")
    assert not [word for word in words if word not in said], result.err


def test_saved_prompts_hold_no_tools(tmp_path: Path) -> None:
    """The report says so, in words and in the JSON; one turn is `1 turn`."""
    file = recording(tmp_path, [saved(LARGE)])
    told = ask("cache", "--session", str(file))
    assert "tokens, tools not included" in told.out
    assert "recorded: 1 turn from " in told.out
    report = ask("cache", "--session", str(file), "--json").json()
    assert report["tools"] is False
    states = ask("cache", "--session", str(recording(tmp_path, [LARGE])), "--json").json()
    assert states["tools"] is True
    assert states["tokens"] > report["tokens"]


def test_what_a_recording_can_not_answer_is_refused(tmp_path: Path) -> None:
    """Scenarios beside a session; and recipes or a budget for prompts that were sent already."""
    file = str(recording(tmp_path, [saved(LARGE)]))
    assert_refused_here(ask("cache", "--session", file, "--scenario", "clock"), "--session", "--scenario")
    assert_refused_here(ask("cache", "opal", "--session", file), "saved prompts", "would give the same")
    assert_refused_here(ask("cache", "--session", file, "--budget", "900"), "saved prompts", "--budget")
    assert ask("cache", "opal", "--session", str(recording(tmp_path, [LARGE]))).code == 0


def test_a_model_of_another_provider_is_known_as_such() -> None:
    """The provider that has it is named; where nothing is too short to be kept, nothing is said of it."""
    assert "try --provider openai-chat" in cached("--model", "gpt-5.4", "--scenario", "clock").out
    assert "below" not in cached("--provider", "ollama", "--scenario", "clock").out.splitlines()[0]


@pytest.mark.parametrize(
    ("words", "said"),
    [(["state"], "No such option"), (["check", "--skills"], "`--skills` and `--budget` can't be combined")],
)
def test_what_builds_nothing_takes_no_budget(words: list[str], said: str) -> None:
    """An option that would change nothing is refused, not ignored."""
    assert_refused(given(*words, "pi", "--budget", "500"), said, "--budget")

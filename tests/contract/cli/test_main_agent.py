"""On the command line: the main agent's prompt, --subagent's, and the clock."""

import json
import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from .run import read_stdout, run

NOW = "2026-03-07T08:55:05-06:00"
BUILDING = (
    ("build", "opal"),
    ("build", "opal", "--format", "json"),
    ("build", "opal", "--format", "anthropic"),
    ("explain", "opal", "--json"),
    ("context", "opal", "--by", "file", "--json"),
    ("state", "opal"),
    ("diff", "opal", "pi", "--json"),
)


@pytest.fixture
def here(tmp_path: Path) -> list[str]:
    """Options that look at an empty project."""
    for folder in ("p", "home"):
        (tmp_path / folder).mkdir()
    return ["--cwd", str(tmp_path / "p"), "--home", str(tmp_path / "home"), "--root", str(tmp_path / "p"), "--now", NOW]


@pytest.mark.slow(unless=("build opal", "build opal --format json", "build opal --format anthropic"))
@pytest.mark.parametrize("words", BUILDING, ids=" ".join)
def test_every_command_that_builds_has_both_forms(here: list[str], words: tuple[str, ...]) -> None:
    """What it prints differs: the main agent has a session, and a sub-agent none."""
    assert read_stdout(*words, *here) != read_stdout(*words, *here, "--subagent")


@pytest.mark.slow
def test_build_shows_planning(here: list[str]) -> None:
    """`overture build opal` ends with planning, and `--subagent` has none."""
    assert read_stdout("build", "opal", *here).endswith("</planning>\n")
    assert "<planning>" not in read_stdout("build", "opal", *here, "--subagent")


@pytest.mark.slow
def test_the_state_holds_the_session_and_gives_the_same_bytes(here: list[str], tmp_path: Path) -> None:
    """`overture state` can be built from elsewhere, as the main agent and as a sub-agent."""
    saved = tmp_path / "state.json"
    saved.write_text(read_stdout("state", "opal", *here))
    assert json.loads(saved.read_text())["session"] == {"id": "main"}
    given = ("--no-discover", "--state", str(saved))
    assert read_stdout("build", "opal", *given) == read_stdout("build", "opal", *here)
    assert read_stdout("build", "opal", *given, "--subagent") == read_stdout("build", "opal", *here, "--subagent")


@pytest.mark.slow
def test_the_session_can_be_named_and_taken_away(here: list[str]) -> None:
    """`--set session.id` goes over the discovered one, `--set session=null` leaves none."""
    assert "/sessions/x/plan.md" in read_stdout("build", "opal", *here, "--set", "session.id=x")
    assert "/tmp/plan.md" in read_stdout("build", "opal", *here, "--set", "session.plan_path=/tmp/plan.md")
    sub = read_stdout("build", "opal", *here, "--subagent")
    assert read_stdout("build", "opal", *here, "--set", "session=null") == sub
    assert read_stdout("build", "opal", *here, "--set", "session.id=x", "--subagent") == sub


@pytest.mark.slow
def test_without_discovery_the_state_stands_as_it_is(tmp_path: Path) -> None:
    """No session is added to a state, and --subagent takes away the one that it gives, with the tools."""
    state = tmp_path / "s.json"
    state.write_text("{}")
    given = ["--no-discover", "--state", str(state)]
    assert "planning" not in read_stdout("build", "opal", *given)
    state.write_text(json.dumps({"session": {"id": "s1"}, "tools": [{"name": "shell"}, {"name": "ask_user"}]}))
    assert "/s1/plan.md" in read_stdout("build", "opal", *given)
    sub = json.loads(read_stdout("state", "opal", *given, "--subagent"))
    assert "session" not in sub
    assert [tool["name"] for tool in sub["tools"]] == ["shell"]


CLOCKED = {
    "pi": r"Current date and time: \w+, \w+ \d+, (\d{4}) at",
    "nova": r"Current time: \w+, \w+ \d+, (\d{4}) at",
    "house": r"Today is \w+, \w+ \d+, (\d{4})\.",
}


@pytest.mark.slow
@pytest.mark.parametrize(("recipe", "clock"), CLOCKED.items())
def test_without_discovery_the_clock_is_given(recipe: str, clock: str, tmp_path: Path) -> None:
    """--no-discover reads no clock: the prompt has the time of --now or the state, else none, and a warning says so."""
    state = tmp_path / "s.json"
    state.write_text('{"runtime": {"cwd": "/p"}}')
    given = ("--no-discover", "--state", str(state))
    done = run("build", recipe, *given)
    assert done.returncode == 0 and not re.search(clock, done.stdout)
    assert done.stderr.startswith("warning: the state has no `now`")
    assert "March 7, 2026" in read_stdout("build", recipe, *given, "--now", NOW)
    state.write_text('{"now": "2024-02-01T08:00:00+00:00"}')
    assert "February 1, 2024" in read_stdout("build", recipe, *given)
    assert "March 7, 2026" in read_stdout("build", recipe, *given, "--now", NOW)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [("explain", "--json"), ("build", "--format", "json"), ("build", "--format", "openai-chat")],
)
def test_every_command_has_the_clock(words: tuple[str, ...]) -> None:
    """Nova's context is in what each of them builds."""
    command, *more = words
    assert re.search("[Cc]ontext|Current time", read_stdout(command, "nova", "--no-discover", "--now", NOW, *more))


@pytest.mark.slow
def test_the_state_has_the_clock_where_it_is_discovered(here: list[str]) -> None:
    """`overture state` prints the time at which it ran, so that what is built of it stays the same."""
    here = here[:-2]  # without --now
    now = datetime.fromisoformat(json.loads(read_stdout("state", "nova", *here))["now"])
    assert abs(datetime.now(now.tzinfo) - now) < timedelta(minutes=1)
    assert "now" not in json.loads(read_stdout("state", "nova", "--no-discover"))
    assert "now" not in json.loads(read_stdout("state", "nova", *here, "--set", "now=null"))


@pytest.mark.slow
def test_diff_has_the_clock(tmp_path: Path) -> None:
    """Two states without a clock are said with the one that is given."""
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    one.write_text("{}")
    two.write_text('{"agent": {"role": "Pilot."}}')
    shown = json.loads(
        read_stdout("diff", str(one), str(two), "--recipe", "nova", "--no-discover", "--now", NOW, "--json")
    )
    assert [(block["name"], block["change"]) for block in shown["blocks"] if "context" in block["name"]]
    assert read_stdout("diff", str(one), str(two), "--recipe", "pi", "--no-discover", "--now", NOW).startswith(
        "The two prompts are the same."
    )

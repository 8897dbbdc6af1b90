"""`--budget`, `--window` and `--tokenizer` count for every command that builds, and say so where they can't."""

import pytest

from .test_budgets import ask
from .test_build import Result, assert_refused
from .test_build import run as given

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("command", ["build", "context"])
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


@pytest.mark.parametrize(
    ("words", "said"),
    [(["state"], "No such option")],
)
def test_what_builds_nothing_takes_no_budget(words: list[str], said: str) -> None:
    """An option that would change nothing is refused, not ignored."""
    assert_refused(given(*words, "pi", "--budget", "500"), said, "--budget")

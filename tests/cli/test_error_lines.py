"""Errors as people see them: what happened, a similar name, the cause and a hint, each on its line."""

import pytest

from overture.terminal.error_lines import format_error

from .run import run


@pytest.mark.parametrize(
    ("message", "lines"),
    [
        (
            "Recipe 'hous' is not known. Known: house, moltis, nova. Did you mean 'house'?",
            ["error: No recipe named `hous`", "", "  tip: a similar recipe exists: `house`"],
        ),
        (
            "Recipe 'x' is not known. Known: house, moltis.",
            ["error: No recipe named `x`", "hint: `overture recipes` lists them"],
        ),
        (
            "Form 'x' is not known. Known: a, b, c, d, e, f, g, h.",
            ["error: No form named `x`", "hint: Known are a, b, c, d, e, f and 2 more"],
        ),
        (
            "No such option '--versoin'. (Did you mean one of: '--json', '--version'?) Try `overture --help`.",
            [
                "error: No such option `--versoin`", "", "  tip: a similar option exists: `--version`",
                "hint: Try `overture --help`",
            ],
        ),
        (
            "The budget of 5 tokens can't be met. What has to stay has 207. Raise the budget to 207.",
            [
                "error: The budget of 5 tokens can't be met", "cause: What has to stay has 207",
                "hint: Raise the budget to 207",
            ],
        ),
        ("-c 'a. B': 3.5 is no name.", ["error: -c `a. B`: 3.5 is no name"]),
        ("", ["error: "]),
    ],
)  # fmt: skip
def test_a_message_becomes_lines(message: str, lines: list[str]) -> None:
    """One label a line; a full stop in quotes or in a number ends no sentence; of several names the nearest is told."""
    assert list(format_error(message)) == lines


def test_a_budget_that_leaves_nothing_is_an_error_in_every_recipe() -> None:
    """Never an empty prompt with exit code 0."""
    for recipe in ("opal", "pi", "moltis", "house"):
        done = run("build", recipe, "--no-discover", "--budget", "1")
        assert (done.returncode, done.stdout) == (1, ""), recipe
        assert done.stderr.startswith("error: The budget")
        assert "\nhint: " in done.stderr

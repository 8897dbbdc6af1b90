"""Errors as people see them: what happened, where, a similar name, the cause and a hint, each on its line."""

from pathlib import Path

import pytest

from overture.errors import ConfigError, OvertureError, RecipeError, StateError, explain_unknown
from overture.model.state.state import State
from overture.terminal.error_lines import format_error
from overture.text.path_printer import PathPrinter
from tests.contract.cli.run import run

HERE = PathPrinter("/repo", "/home/ada")


@pytest.mark.parametrize(
    ("error", "lines"),
    [
        (
            RecipeError(explain_unknown("Recipe", "hous", ("house", "moltis", "nova"))),
            ["error: No recipe named `hous`", "", "  tip: a similar recipe exists: `house`"],
        ),
        (
            RecipeError(explain_unknown("Recipe", "x", map(str, range(9)))),
            ["error: No recipe named `x`", "hint: `overture recipes` lists them"],
        ),
        (
            ConfigError(explain_unknown("Form", "x", "abcdefgh")),
            ["error: No form named `x`", "hint: Known names: `a`, `b`, `c`, `d`, `e`, `f` and 2 more"],
        ),
        (
            ConfigError("Port 80 is taken. By whom is not known.", cause="It was said. Twice.", hint="Give 3.5 of it."),
            [
                "error: Port 80 is taken. By whom is not known", "cause: It was said. Twice",
                "hint: Give 3.5 of it",
            ],
        ),
        (
            ConfigError("x.toml: no.", message="No setting named 'x'", place="/repo/a b/x.toml:2:3", source="[x"),
            ["error: No setting named `x`", " --> a b/x.toml:2:3", "  |", "2 | [x", "  |   ^"],
        ),
        (
            ConfigError("x.", place="/repo/a\nb/x.toml:1:300", source=f'k = "ghp_{"a1B2c3D4e5" * 3}f6G7h8"'),
            ["error: x", " --> a\\u{000A}b/x.toml:1:300", "  |", '1 | k = "[secret: GitHub token]"'],
        ),
        (StateError("'/repo/s.json' and '/home/ada/t' differ."), ["error: `s.json` and `~/t` differ"]),
        (StateError("-c 'a. B': 3.5 is no name.").within("/repo/x"), ["error: x: -c `a. B`: 3.5 is no name"]),
        (RecipeError(explain_unknown("Recipe", "a'b\"c", ())), ["error: No recipe named `a'b\"c`"]),
        (RecipeError(explain_unknown("Recipe", "a\\b\tc", ())), ["error: No recipe named `a\\b\\tc`"]),
        (OvertureError(), ["error: "]),
        (
            ConfigError("It needs 'h11'.", hint="pip install 'overture[tap]'"),
            ["error: It needs `h11`", "hint: pip install 'overture[tap]'"],
        ),
        (
            ConfigError("x.", cause="'a b' waits: overture trust '../a b' '../c d'; see 'e'", hint="Run `a 'b'`."),
            ["error: x", "cause: `a b` waits: overture trust '../a b' '../c d'; see `e`", "hint: Run `a 'b'`"],
        ),
    ],
)  # fmt: skip
def test_an_error_becomes_lines(error: OvertureError, lines: list[str]) -> None:
    """One label a line, paths from here or with `~`; names in backticks; a command to paste keeps its own quotes."""
    assert list(format_error(error, HERE)) == lines


def test_an_unknown_key_of_a_state_has_its_nearest_name() -> None:
    """As a tip, and in the line that a program reads."""
    with pytest.raises(StateError) as caught:
        State.from_dict({"agent": {"nam": "Ada"}})
    assert caught.value.tip == "name"
    assert "unknown key 'nam'. Did you mean 'name'? Known: " in str(caught.value)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("[features\n", [
            "error: Expected `]` at the end of a table declaration", " --> overture.toml:1:10", "  |", "1 | [features",
            "  |          ^",
        ]),
        ('\n[featurez]\na = 1\n', [
            "error: No setting named `featurez`", " --> overture.toml:2:2", "  |", "2 | [featurez]", "  |  ^",
            "  tip: a similar setting exists: `features`",
        ]),
        ('recipe = "hous"\n', [
            "error: No recipe named `hous`", " --> overture.toml", "  tip: a similar recipe exists: `house`",
        ]),
        ('recipe = "pi"\ntools = ["reed"]\n', [
            "error: No tool of recipe `pi` named `reed`", " --> overture.toml", "  tip: a similar tool exists: `read`",
            "hint: For one recipe alone, set `tools` in its table `[recipes.pi]`",
        ]),
        ('recipe = "a"\n[recipes.a]\nextends = "b.toml"\n', [
            "error: No such file: `b.toml`", " --> overture.toml",
        ]),
    ],
)  # fmt: skip
def test_a_broken_setting_is_shown_where_it_is(tmp_path: Path, text: str, lines: list[str]) -> None:
    """The file from here, with line and column, the line itself, and a caret."""
    (tmp_path / "overture.toml").write_text(text, encoding="utf-8")
    done = run("build", "--home", str(tmp_path), cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.splitlines()) == (2, "", lines)


def test_an_error_in_a_recipe_names_the_file_that_holds_it(tmp_path: Path) -> None:
    """Of a recipe that a configuration chooses and another extends, the file that is wrong is the place."""
    (tmp_path / "overture.toml").write_text('recipe = "a.toml"\n', encoding="utf-8")
    (tmp_path / "a.toml").write_text('extends = "b.toml"\n', encoding="utf-8")
    (tmp_path / "b.toml").write_text('extends = "opal"\nremove = ["skils"]\n', encoding="utf-8")
    done = run("build", "--home", str(tmp_path), cwd=tmp_path)
    assert done.stderr.splitlines()[:3] == [
        "error: Recipe `b` removes `skils`, which `opal` does not have",
        " --> b.toml",
        "  tip: a similar name exists: `skills`",
    ]

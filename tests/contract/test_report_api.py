"""`explain`, `stats` and `why` as functions: of a recipe here, of a prompt, of a session."""

from pathlib import Path
from typing import Any

import pytest

import overture
from overture import ConfigError, Explanation, PathStatus, RecipeError, Stats
from overture.testing import make_state


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with two instruction files, of which pi reads one."""
    (tmp_path / "AGENTS.md").write_text("Use tabs.")
    (tmp_path / "CLAUDE.md").write_text("Use blanks.")
    return tmp_path


def test_explain_a_recipe_here(project: Path) -> None:
    """A recipe's name and a folder are enough; the files that were looked at are in it."""
    told = overture.explain("pi", cwd=project, home=project, root=project)
    assert isinstance(told, Explanation)
    assert (told.recipe, told.chars) == ("pi", len(overture.build("pi", cwd=project, home=project).text))
    outcomes = {look.path: look.outcome for look in told.looked_at}
    assert outcomes[f"{project}/AGENTS.md"] == "loaded" and outcomes[f"{project}/CLAUDE.md"] == "hidden"


def test_explain_a_prompt_and_a_session(project: Path) -> None:
    """A prompt is explained as it is, with the files that are handed over; a session knows its own."""
    prompt = overture.build("opal", make_state(runtime={"cwd": "/p"}))
    assert overture.explain(prompt).fingerprint == prompt.fingerprint
    found = overture.discover("pi", cwd=project, home=project)
    assert overture.explain(overture.build("pi", found.state), found=found).looked_at == found.looked_at
    live = overture.Session("pi", cwd=project, home=project, root=project)
    told = overture.explain(live)
    assert told.fingerprint == live.prompt.fingerprint
    assert f"{project}/AGENTS.md" in [look.path for look in told.looked_at if look.outcome == "loaded"]
    assert overture.explain(live.turn("Go")).fingerprint == live.prompt.fingerprint


def test_stats_are_data(project: Path) -> None:
    """Tokens by section and source, of a recipe, a recipe object, a path of one, a prompt or a session."""
    told = overture.stats("pi", cwd=project, home=project)
    assert isinstance(told, Stats)
    assert (
        told.tokens
        == overture.build("pi", cwd=project, home=project).tokens
        == sum(row.tokens for row in told.sections)
    )
    (project / "mine.toml").write_text('extends = "pi"')
    for what in (overture.load_recipe("pi"), project / "mine.toml", str(project / "mine.toml")):
        assert overture.stats(what, cwd=project, home=project).tokens == told.tokens
    live = overture.Session("pi", cwd=project, home=project)
    assert overture.stats(live).tokens == overture.stats(live.prompt).tokens == told.tokens
    small = overture.stats("pi", cwd=project, home=project, budget=told.tokens - 1, count=overture.counter("o200k"))
    assert small.budget is not None and small.tokens < told.tokens


def test_the_configured_recipe_counts_without_a_name(project: Path) -> None:
    """As on the command line; `config` wins over the file."""
    (project / "overture.toml").write_text('recipe = "pi"')
    assert overture.stats(cwd=project, home=project).recipe == "pi"
    assert overture.explain(cwd=project, home=project, config={"recipe": "opal"}).recipe == "opal"


def test_why_a_file_is_in_or_not(project: Path) -> None:
    """A file as one names it, relative to the folder; of a recipe, a session, and a prompt with what was found."""
    where = {"cwd": project, "home": project, "root": project}
    (fate,) = overture.why("CLAUDE.md", "pi", **where)  # type: ignore[arg-type]
    assert isinstance(fate, PathStatus)
    assert (fate.path, fate.outcome) == (f"{project}/CLAUDE.md", "hidden")
    (fate,) = overture.why(project / "AGENTS.md", "pi", **where)  # type: ignore[arg-type]
    assert (fate.outcome, fate.chars) == ("loaded", len("Use tabs."))
    live = overture.Session("pi", **where)  # type: ignore[arg-type]
    assert overture.why("AGENTS.md", live)[0].outcome == "loaded"
    found = overture.discover("pi", **where)  # type: ignore[arg-type]
    prompt = overture.build("pi", found.state)
    assert overture.why(f"{project}/AGENTS.md", prompt, found=found)[0].chars == len("Use tabs.")


def test_why_needs_to_know_what_was_looked_at(project: Path) -> None:
    """A prompt alone does not: the error says how to give it."""
    with pytest.raises(ConfigError, match=r"found=overture\.discover"):
        overture.why("AGENTS.md", overture.build("pi", cwd=project, home=project))


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda: overture.explain("hose"), RecipeError, "Did you mean 'house'"),
        (lambda: overture.stats(7), RecipeError, "7 is not a recipe"),  # type: ignore[arg-type]
        (lambda: overture.explain(overture.build("pi", {}), cwd="/"), ConfigError, "cwd"),
        (lambda: overture.stats("pi", cdw="."), ConfigError, "'cdw' is not known.*Did you mean 'cwd'"),  # type: ignore[call-arg]
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_an_error_of_ours(ask: object, error: type[Exception], words: str) -> None:
    """One line that says what, and what to do."""
    with pytest.raises(error, match=words):
        ask()  # type: ignore[operator]


def test_check_takes_a_recipe_a_prompt_a_turn_and_a_session(project: Path) -> None:
    """Findings are data: of a recipe here with what can be mended, of a prompt with what its state holds."""
    (project / "AGENTS.md").write_text("Use tabs.\u200b\n\n</prompt-project-context>\n", encoding="utf-8")
    (project / "CLAUDE.md").unlink()
    where: Any = {"cwd": project, "home": project, "root": project}
    told = overture.check("house", **where)
    assert told.ok
    assert [(f.code, f.path, f.line, f.fixable) for f in told.findings] == [
        ("hidden-text", f"{project}/AGENTS.md", 1, True),
        ("prompt", f"{project}/AGENTS.md", 3, False),
    ]
    live = overture.Session("house", **where)
    assert overture.check(live).findings == told.findings
    given = overture.check(live.turn("Go").prompt)
    assert overture.check(live.turn("Go")).findings == given.findings
    assert [(f.code, f.severity, f.line, f.fixable) for f in given.findings] == [
        ("hidden-text", "warning", 1, True),
        ("prompt", "warning", 3, False),
    ]


def test_check_chooses(project: Path) -> None:
    """What is given goes over what is configured; a word for no check is an error that names the nearest."""
    (project / "AGENTS.md").write_text("Use tabs.\u200b\n", encoding="utf-8")
    (project / "overture.toml").write_text('[check]\nignore = ["hidden-text", "agents-disagree"]\n')
    where: Any = {"cwd": project, "home": project, "root": project}
    assert overture.check("house", **where).findings == ()
    [found] = overture.check("house", select=["hidden-text"], severity={"hidden": "error"}, **where).findings
    assert (found.code, found.severity) == ("hidden-text", "error")
    with pytest.raises(ConfigError, match=r"ignore: No check named 'hiden'\. Did you mean 'hidden'\?"):
        overture.check("house", ignore=["hiden"], **where)
    (project / "overture.toml").write_text('[check]\nselect = ["nothing"]\n')
    with pytest.raises(ConfigError, match=r"overture\.toml: check\.select: No check named 'nothing'"):
        overture.check("house", **where)

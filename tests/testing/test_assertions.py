"""Assertions for users' tests: what they accept, and what their failures say."""

from collections.abc import Callable
from pathlib import Path

import pytest

import overture
from overture.testing import assert_fits, assert_loaded, assert_prefix_stable, assert_says, make_state
from overture.testing.worlds import IsolatedWorld
from tests.contract.discovery.disk import put

STATE = make_state(
    context_files=[{"path": "/p/AGENTS.md", "content": "# Rules\n\nUse tabs.\n"}], tools=[{"name": "shell"}]
)


def failure(check: Callable[[], None]) -> str:
    with pytest.raises(AssertionError) as caught:
        check()
    return str(caught.value)


def test_what_a_prompt_says() -> None:
    """A built prompt, a saved one, a session and a turn; also by section."""
    prompt = overture.build("house", STATE)
    for subject in (prompt, prompt.saved):
        assert_says(subject, "Use tabs.", "# Rules")
        assert_says(subject, "Use tabs.", section="project-context")
    session = overture.Session("house", state=STATE, cwd="/", world=IsolatedWorld("/nowhere"))
    assert_says(session, "Use tabs.")
    assert_says(session.turn("Fix the test"), "Use tabs.", "Fix the test")


def test_what_a_prompt_does_not_say() -> None:
    """The failure says the text, another section that has it, and what to do."""
    prompt = overture.build("house", STATE)
    text = failure(lambda: assert_says(prompt, "Rules", "use  TABS"))
    assert text.startswith("The prompt of recipe 'house' does not contain 'use  TABS'.\n")
    assert "hint: `overture explain`" in text
    assert "cause: it is in project-context" in failure(lambda: assert_says(prompt, "Use tabs.", section="identity"))
    assert "cause: section 'skills' is skipped: " in failure(lambda: assert_says(prompt, "pdf", section="skills"))
    unknown = failure(lambda: assert_says(prompt, "x", section="idtity"))
    assert "cause: the prompt has no such section, only identity, " in unknown
    with pytest.raises(TypeError, match="'Use tabs' is not a prompt"):
        assert_says("Use tabs", "tabs")  # type: ignore[arg-type]


def test_an_assertion_that_can_not_fail_is_refused() -> None:
    """Nothing to look for is a slip of whoever wrote the test."""
    prompt = overture.build("house", STATE)
    for texts in ((), ("",), ("Use tabs.", "")):
        with pytest.raises(TypeError, match="no text to look for"):
            assert_says(prompt, *texts, section="project-context")
    for paths in ((), ("",)):
        with pytest.raises(TypeError, match="no path to look for"):
            assert_loaded("codex", *paths)


def test_a_stable_prefix_of_anything_that_has_a_prompt() -> None:
    """Prompts, saved prompts, turns and sessions compare with each other."""
    prompt = overture.build("house", STATE)
    session = overture.Session("house", state=STATE, cwd="/", world=IsolatedWorld("/nowhere"))
    turn = session.turn("Fix the test")
    for before in (prompt, prompt.saved):
        assert_prefix_stable(before, prompt)
        assert_prefix_stable(before, turn, at_least=0)
    for earlier in (turn, session, turn.prompt.saved):
        assert_prefix_stable(earlier, turn)
        assert_prefix_stable(earlier, session)


def test_what_is_no_prompt(prompt_snapshot: Callable[[object], None]) -> None:
    """Every assertion on a prompt says in one line what it takes."""
    prompt, takes = (
        overture.build("house", STATE),
        "is not a prompt. Pass a Prompt, a SavedPrompt, a Turn or a Session.",
    )
    checks: tuple[Callable[[object], None], ...] = (
        lambda subject: assert_says(subject, "x"),  # type: ignore[arg-type]
        lambda subject: assert_fits(subject, 10),  # type: ignore[arg-type]
        lambda subject: assert_prefix_stable(subject, prompt),  # type: ignore[arg-type]
        lambda subject: assert_prefix_stable(prompt, subject),  # type: ignore[arg-type]
        prompt_snapshot,
    )
    for check in checks:
        for subject in ("text", None, {"recipe": "house"}, STATE):
            with pytest.raises(TypeError) as caught:
                check(subject)
            assert str(caught.value).endswith(takes) and "\n" not in str(caught.value)


@pytest.mark.parametrize("agent", [None, 3, STATE])
def test_what_is_no_agent(agent: object) -> None:
    """An agent is given by its name; anything else is refused in one line that says so."""
    with pytest.raises(TypeError, match="is not the name of an agent") as caught:
        assert_loaded(agent, "AGENTS.md")  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_what_fits() -> None:
    """Tokens, shares of a window and sections; the failure names the largest sections."""
    prompt = overture.build("house", STATE)
    tokens = prompt.counted(len).tokens
    assert_fits(prompt, tokens, count=len)
    assert_fits(prompt, "50%", window=2 * tokens, count=len)
    text = failure(lambda: assert_fits(prompt, tokens - 1, count=len))
    assert f"has {tokens:,} tokens (len): 1 more than the budget of {tokens - 1:,}." in text
    assert (
        "cause: " in text and f"hint: shorten these sections, or let `overture.fit(prompt, {tokens - 1})` do it" in text
    )
    budget = overture.Budget(sections={"project-context": 5})
    assert failure(lambda: assert_fits(prompt, budget)).startswith("Section 'project-context' of recipe 'house' has ")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    put(tmp_path / "AGENTS.md", "Use tabs.\n")
    put(tmp_path / "api/AGENTS.md", "Use spaces.\n")
    put(tmp_path / "notes.md", "Nobody reads this.\n")
    return tmp_path


def test_what_an_agent_loads(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loaded in full, from here or a folder that is named; home and environment do not count."""
    put(project / "home/.codex/AGENTS.override.md", "Mine.\n")
    monkeypatch.setenv("HOME", str(project / "home"))
    monkeypatch.setenv("CODEX_HOME", str(project / "home/.codex"))
    assert_loaded("codex", "../AGENTS.md", "AGENTS.md", cwd=project / "api")
    monkeypatch.chdir(project)
    assert_loaded("codex", "AGENTS.md", project / "AGENTS.md")
    assert_loaded("claude-code", "AGENTS.md")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("AGENTS.md", ("codex skips 'AGENTS.md'.", "hidden by", "It loads: AGENTS.override.md")),
        ("notes.md", ("codex does not load 'notes.md'.", "cause: it is not looked for")),
        ("absent.md", ("codex does not load 'absent.md'.", "cause: there is no file")),
        ("long/AGENTS.md", ("only to line ", " of 9001.", "32,768 bytes")),
    ],
)
def test_what_an_agent_does_not_load(project: Path, path: str, words: tuple[str, ...]) -> None:
    """The failure has the agent's rule, what it loads instead, and the command that says more."""
    put(project / "AGENTS.override.md", "Use tabs.\n")
    put(project / "long/AGENTS.md", "Use tabs.\n" * 9001)
    cwd, name = project / Path(path).parent, Path(path).name
    text = failure(lambda: assert_loaded("codex", name, cwd=cwd))
    assert all(word.replace("long/", "") in text for word in words), text
    assert f"hint: `overture agents codex --why {name}`" in text


def test_an_agent_that_nobody_knows_is_an_error(project: Path) -> None:
    """A slip in the name is no failed assertion."""
    with pytest.raises(overture.RecipeError, match="Did you mean 'codex'"):
        assert_loaded("codx", "AGENTS.md", cwd=project)

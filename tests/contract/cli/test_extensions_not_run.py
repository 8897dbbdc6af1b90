"""Commands that build a prompt say in one line that configured extensions are not run, or why they may not be."""

from pathlib import Path

import pytest

from .run import run

pytestmark = pytest.mark.slow


COMMANDS = (
    ["build"],
    ["explain", "house"],
    ["context", "house"],
    ["check", "house"],
    ["state"],
    ["diff", "pi", "opal"],
)


def tell(tmp_path: Path, *words: str, config: str = "") -> list[str]:
    """The lines on standard error that speak of extensions."""
    home = tmp_path / "home"
    (home / ".config/overture").mkdir(parents=True, exist_ok=True)
    (home / ".config/overture/overture.toml").write_text(config)
    done = run(*words, "--cwd", tmp_path / "p", "--root", tmp_path / "p", "--home", home)
    assert done.returncode in (0, 1), done.stderr
    return [line for line in done.stderr.splitlines() if "extensions" in line]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that configures an extension."""
    (tmp_path / "p").mkdir()
    (tmp_path / "p/overture.toml").write_text('extensions = ["tide:setup"]\n')
    return tmp_path


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_project_that_nobody_trusts_is_one_line_with_the_reason(project: Path, words: list[str]) -> None:
    """The line names the file and how to trust it."""
    (line,) = tell(project, *words)
    assert f"{project / 'p'} is not trusted" in line
    assert f"overture trust {project / 'p'}; " in line


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_extensions_that_a_session_would_run_are_one_line(project: Path, words: list[str]) -> None:
    """In a trusted project the line names them."""
    (line,) = tell(project, *words, config=f'trusted = ["{project / "p"}"]\n')
    assert line == "note: extensions only run in a session, not here: tide:setup"


def test_nothing_is_said_where_none_would_run(project: Path) -> None:
    """Switched off, configured for another recipe, or not configured at all: no line."""
    assert tell(project, "build", "-c", "features.extensions.enabled=false") == []
    (project / "p/overture.toml").write_text('[recipes.pi]\nextensions = ["tide:setup"]\n')
    trusted = f'trusted = ["{project / "p"}"]\n'
    assert tell(project, "build", "opal", config=trusted) == []
    assert len(tell(project, "build", "pi", config=trusted)) == 1
    (project / "p/overture.toml").write_text("")
    assert tell(project, "build") == []


def test_a_strict_build_is_not_failed_by_it(project: Path) -> None:
    """It is no problem of a file: --strict exits with 0, and the prompt is the same."""
    words = ("build", "opal", "--cwd", project / "p", "--root", project / "p", "--home", project / "home", "--strict")
    (project / "home").mkdir()
    assert run(*words).returncode == 0

"""The plugin for pytest: fixtures for sessions, snapshots and assertions. It imports our code when one is used."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .snapshots_and_sessions import ProjectSession, PromptSnapshot

UPDATE_OPTIONS = ("update_snapshots", "snapshot_update")
"""Where pytest keeps `--snapshot-update`: of ours and of syrupy, and of pytest-snapshot."""


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser) -> None:
    """Add `--snapshot-update`, unless another plugin brings it: only now are all of them known."""
    if not any(hasattr(early_config.known_args_namespace, name) for name in UPDATE_OPTIONS):
        help = "Write the prompt snapshots that are missing or differ."
        parser.getgroup("overture").addoption(
            "--snapshot-update", dest=UPDATE_OPTIONS[0], action="store_true", default=False, help=help
        )


@pytest.fixture
def overture_session(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> "Iterator[ProjectSession]":
    """A session in `tmp_path`, with a fixed clock and an empty home; `overture_session("pi")` makes another there."""
    from .snapshots_and_sessions import ProjectSession, SessionFolders

    session = ProjectSession(SessionFolders(tmp_path, tmp_path_factory.mktemp("home")))
    yield session
    session.close_all()


@pytest.fixture
def prompt_snapshot(request: pytest.FixtureRequest) -> "PromptSnapshot":
    """Compares a prompt with a Markdown file beside the test; `--snapshot-update` writes it."""
    from .snapshots_and_sessions import SNAPSHOT_FOLDER, PromptSnapshot

    node, config = request.node, request.config
    test = node.nodeid.partition("::")[2].replace("::", ".")
    folder = node.path.parent / SNAPSHOT_FOLDER / node.path.stem
    update = any(config.getoption(name, default=False) for name in UPDATE_OPTIONS)
    return PromptSnapshot(folder, test, _find_replacements(request), update=update)


def _find_replacements(request: pytest.FixtureRequest) -> dict[str, str]:
    """The folders whose paths differ from run to run, and what a snapshot says in place of each."""
    replacements = {str(request.config.rootpath): "<rootdir>"}
    if "tmp_path" in request.fixturenames:
        replacements[str(request.getfixturevalue("tmp_path"))] = "<tmp_path>"
    if "overture_session" in request.fixturenames:
        replacements[str(request.getfixturevalue("overture_session").folders.home)] = "<home>"
    return replacements


def _make_assertion_fixture(name: str, example: str) -> Any:
    """A fixture that gives an assertion of `overture.testing`, imported when a test asks for it."""

    def give() -> Callable[..., None]:
        import overture.testing

        function: Callable[..., None] = getattr(overture.testing, name)
        return function

    give.__doc__ = f"`{name}({example})`."
    return pytest.fixture(name=name)(give)


assert_says = _make_assertion_fixture("assert_says", 'prompt, "Use tabs."')
assert_prefix_stable = _make_assertion_fixture("assert_prefix_stable", "before, after, at_least=0.95")
assert_fits = _make_assertion_fixture("assert_fits", "prompt, 4000")
assert_loaded = _make_assertion_fixture("assert_loaded", '"codex", "AGENTS.md"')

"""What every test can count on: no configuration of the machine's own, and no deadline for slow disks."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from .long import is_long, is_long_file

if TYPE_CHECKING:
    from .providers.arriving import Loopback

# The same code gives the same answer on every run; `HYPOTHESIS_PROFILE=search make test` looks further each time.
settings.register_profile("short", deadline=None, derandomize=True, max_examples=10)
settings.register_profile("long", deadline=None, derandomize=True, max_examples=100)
settings.register_profile("search", deadline=None)


def pytest_configure(config: pytest.Config) -> None:
    """`--long` tries ten times as many examples of each property, too."""
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("long" if config.getoption("--long") else "short"))


def pytest_xdist_auto_num_workers() -> int:
    """As many as there are cores: each more collects all tests once more, and types are checked beside them."""
    return os.cpu_count() or 1


@pytest.fixture
def loopback(monkeypatch: pytest.MonkeyPatch) -> "Iterator[Loopback]":
    """A server of the test's own, to which the SDKs talk; no proxy stands between."""
    from .providers.arriving import listening

    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with listening() as there:
        yield there


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is there once all tests are known stays to the end: looking through it for garbage takes a while."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_finish() -> None:
    """No OVERTURE_… variable of the machine counts in a test."""
    for name in [name for name in os.environ if name.startswith("OVERTURE_")]:
        del os.environ[name]


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--long`: leave nothing out."""
    parser.addoption("--long", action="store_true", help="Also what takes long; see tests/long.py.")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file of which nothing would be run."""
    is_file = collection_path.suffix == ".py"
    path = collection_path.relative_to(config.rootpath).as_posix() if is_file else ""
    return True if is_file and _is_short_run(config) and is_long_file(path) else None


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Module | pytest.Class, name: str) -> list[pytest.Item] | None:
    """Make no cases of a test of which none would be run."""
    whole = f"{collector.nodeid}::{name}"
    return [] if name.startswith("test") and _is_short_run(collector.config) and is_long_file(whole) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what takes long, where all tests are run and nobody asked for it."""
    if not _is_short_run(config):
        return
    long = [item for item in items if is_long(item.nodeid)]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if not is_long(item.nodeid)]


def _is_short_run(config: pytest.Config) -> bool:
    return not config.getoption("--long") and all(Path(arg).name == "tests" for arg in config.args)

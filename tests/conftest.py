"""What every test can count on: no configuration of the machine's own, and no deadline for slow disks."""

import gc
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from tests.contract.providers.arriving import Loopback

# The same code gives the same answer on every run; `HYPOTHESIS_PROFILE=search make test` looks further each time.
settings.register_profile("short", deadline=None, derandomize=True, max_examples=10)
settings.register_profile("long", deadline=None, derandomize=True, max_examples=100)
settings.register_profile("search", deadline=None)


def pytest_configure(config: pytest.Config) -> None:
    """A run with slow tests tries ten times as many examples of each property, too."""
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("short" if _is_short(config) else "long"))


def pytest_xdist_auto_num_workers() -> int:
    """As many as there are cores: each more collects all tests once more, and types are checked beside them."""
    return os.cpu_count() or 1


@pytest.fixture
def loopback(monkeypatch: pytest.MonkeyPatch) -> "Iterator[Loopback]":
    """A server of the test's own, to which the SDKs talk; no proxy stands between."""
    from tests.contract.providers.arriving import listening

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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """`@pytest.mark.slow(unless=("codex",))`: of a test with many cases, those that begin so stand for the others."""
    for item in items:
        for mark in item.iter_markers("slow"):
            case = item.name.partition("[")[2].removesuffix("]")
            if "unless" in mark.kwargs and case.startswith(tuple(mark.kwargs["unless"])):
                item.own_markers.remove(mark)


def _is_short(config: pytest.Config) -> bool:
    return bool(config.getoption("markexpr") == "not slow")

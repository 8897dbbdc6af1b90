"""A store for each test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from overture.tap.store.store import Store, open_store

Opens = Callable[[], Store]


@pytest.fixture
def opens(tmp_path: Path) -> Opens:
    """Opens the same store each time."""
    return lambda: open_store(tmp_path / "data" / "calls.sqlite")


@pytest.fixture
def store(opens: Opens) -> Iterator[Store]:
    """An empty store."""
    with opens() as opened:
        yield opened

"""One PostgreSQL for all tests of a process, started when the first of them asks; and a store of each kind."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from overture.tap.store.open_store import open_store
from overture.tap.store.store import Store

from .postgres_server import NoServerError, running_server

Opens = Callable[[], Store]


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a PostgreSQL; where none can be had, the test says so and is passed over."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'overture[postgres]'")
    try:
        with running_server() as address:
            yield _own_database(address)
    except NoServerError as problem:
        pytest.skip(f"No PostgreSQL can be started here: {problem}")


def _own_database(address: str) -> str:
    """Each process of a run has a database of its own in the server that they share."""
    import psycopg

    worker = os.environ.get("PYTEST_XDIST_WORKER", "alone")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(worker)))
    return address.replace("/postgres?", f"/{worker}?")


@pytest.fixture
def postgres(server: str) -> Iterator[str]:
    """The same, with no store in it."""
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS overture_tap CASCADE")
    yield server


@pytest.fixture(params=["sqlite", "postgres"])
def opens(request: pytest.FixtureRequest, tmp_path: Path) -> Opens:
    """Opens the same store each time, of either kind."""
    if request.param == "postgres":
        address: str = request.getfixturevalue("postgres")
        return lambda: open_store(address)
    return lambda: open_store(tmp_path / "data" / "calls.sqlite")


@pytest.fixture
def store(opens: Opens) -> Iterator[Store]:
    """A store of either kind, empty."""
    with opens() as opened:
        yield opened

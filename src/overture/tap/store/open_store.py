"""Opens a store, by its address or path, and finds that of a project."""

import os
import re
from hashlib import sha256

from ...discover.disk.paths import choose_user_folder, find_home
from .database import Database
from .sqlite import SqliteDatabase
from .store import Store

ADDRESS = re.compile(r"(?i)postgres(?:ql)?://")


def open_store(url_or_path: str | os.PathLike[str]) -> Store:
    """Open a store, made where it is missing: `postgresql://…` for a team, else the path of a file."""
    database = _open_database(os.fspath(url_or_path))
    try:
        return Store(database)
    except BaseException:
        database.close()
        raise


def _open_database(where: str) -> Database:
    """The database at an address or path of a store."""
    if ADDRESS.match(where):
        from .postgres import PostgresDatabase

        return PostgresDatabase(where)
    return SqliteDatabase(os.path.expanduser(where))


def find_store_path(root: str | os.PathLike[str]) -> str:
    """Where a project's calls are kept: XDG_DATA_HOME/overture/tap/NAME-HASH.sqlite, or below ~/.local/share."""
    path = os.path.realpath(root)
    base = choose_user_folder(os.environ, find_home(), ".local/share", "XDG_DATA_HOME")
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", os.path.basename(path)).strip(".-")[:40] or "root"
    digest = sha256(os.fsencode(path)).hexdigest()[:12]
    return os.path.join(base, "overture", "tap", f"{name}-{digest}.sqlite")

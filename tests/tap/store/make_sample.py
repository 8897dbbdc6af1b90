"""Write a store of the newest version as SQL, for the tests of the versions to come: run it once for each version."""

import sqlite3
import tempfile
from pathlib import Path

from overture.tap.store.database import STEPS
from overture.tap.store.open_store import open_store
from overture.tap.store.sqlite import MARK

from .made_calls import make_call, make_run, make_wire


def main() -> None:
    """Beside this file, in samples/."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.sqlite"
        with open_store(path) as store:
            store.add_run(make_run())
            store.add(make_call("a", "one"), make_wire())
            store.add(make_call("b", "one", "two\x00"))
        made = sqlite3.connect(path)
        lines = [f"PRAGMA application_id = {MARK};", *made.iterdump()]
        made.close()
    samples = Path(__file__).parent / "samples"
    samples.mkdir(exist_ok=True)
    (samples / f"version-{len(STEPS)}.sql").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Logs as they are imported: samples that the programs themselves wrote, and stores to take them.

They were written by the programs, asking a made-up provider: mitmproxy 11.0.2 (its HAR), Claude Code 2.1.325 and Codex
0.166.0; in the last two, the agents' own words were replaced. `-older` are the same without what earlier versions do
not write.
"""

from pathlib import Path

from overture.tap.import_calls import Importer, LogFile
from overture.tap.log_formats.log_entries import ImportedLog, LogForm
from overture.tap.recorded_call import RecordedCall
from overture.tap.store.store import Store, open_store

SAMPLES = Path(__file__).parents[2] / "contract/tap/log_formats/samples"
NAMES = sorted(path.name for path in SAMPLES.iterdir())


def store_in(folder: Path) -> Store:
    """A store of its own."""
    return open_store(folder / "calls.sqlite")


def take(store: Store, *paths: Path, form: LogForm | None = None) -> list[ImportedLog]:
    """Import logs into a store."""
    importer = Importer(store, "/garden")
    return [importer.import_log(LogFile(str(path), True), form) for path in paths]


def taken(folder: Path, *names: str) -> list[RecordedCall]:
    """The calls that samples hold, as they are in a store, oldest first."""
    with store_in(folder) as store:
        done = take(store, *(SAMPLES / name for name in names))
        assert [(each.refused, each.problems) for each in done] == [("", [])] * len(done)
        return [call.read_call() for call in store.list_calls()]


def words(call: RecordedCall, *kinds: str) -> list[str]:
    """The texts of a call's pieces of these kinds."""
    return [piece.text for piece in call.pieces if piece.kind in kinds]

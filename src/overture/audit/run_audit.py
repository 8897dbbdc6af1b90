"""Runs an audit: reads what changed since the last one, in several processes, and keeps every finished chunk."""

import gc
import hashlib
import os
from collections.abc import Iterable, Sequence
from functools import partial
from glob import escape, glob
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from ..discover.load_tokenizer import find_counter
from ..discover.revisions.find_repositories import RepositoryPlace
from ..discover.revisions.open_snapshot import find_identity
from ..discover.stored.stamps import stamp_code
from ..jobs.output_folder import PARTS, OutputFolder
from ..jobs.rate import Rate
from ..jobs.run_chunks import LOCAL, run_chunks
from ..jobs.shared_store import share_results
from ..model.struct import encode_json
from .audit_repository import Auditor, audit_place, make_auditor
from .rows import RepositoryAudit, RepositoryRow

RESULTS = "results.jsonl"
"""The results of the last audit, until this one has ended."""
CHUNK_SIZE = 8
"""Repositories that are lost at the most where a process is killed."""


class StoredResult(NamedTuple):
    """A line of a file."""

    path: str
    start: int
    size: int
    row: RepositoryRow

    def read(self, place: RepositoryPlace | None = None) -> RepositoryAudit:
        """All rows of the repository; of another clone at the same commit, under the name of `place`."""
        with open(self.path, "rb") as file:  # noqa: PTH123
            file.seek(self.start)
            result = msgspec.json.decode(file.read(self.size), type=RepositoryAudit)
        if place is None:
            return result
        path, revision = place.key
        return replace(result, repository=place.name, place=path, kind=place.kind, revision=revision)


class ResultIndex:
    """The lines of some files, by place and by commit; the last of a place before earlier ones."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.of_place: dict[tuple[str, str], StoredResult] = {}
        self.of_commit: dict[tuple[str | None, str], StoredResult] = {}
        decode = msgspec.json.Decoder(RepositoryRow).decode
        for path in paths:
            start = 0
            with open(path, "rb") as file:  # noqa: PTH123
                for line in file:
                    try:
                        row = decode(line)
                    except msgspec.DecodeError:  # a line that somebody has edited
                        continue
                    finally:
                        start += len(line)
                    found = StoredResult(path, start - len(line), len(line), row)
                    self.of_place[row.place, row.revision] = found
                    if row.status == "ok":  # an audit of this very commit would give it again
                        self.of_commit[row.identity, row.stamp] = found


class AuditRun(NamedTuple):
    """Where the result of each place is."""

    results: Sequence[tuple[RepositoryPlace, StoredResult]]
    previous: ResultIndex
    audited: int
    """Repositories that were read in this run, at least in part."""


def run_audit(
    folder: OutputFolder, places: Sequence[RepositoryPlace], processes: int | None, engine: str = LOCAL
) -> AuditRun:
    """Read the repositories of whose commit no result is known; every chunk is in the folder once it is done."""
    # Other code, or another tokenizer, would make other rows of the same files.
    stamp = hashlib.sha256(stamp_code() + find_counter().about.encode()).hexdigest()[:16]
    previous, read = ResultIndex(glob(escape(folder.locate(RESULTS)))), set[RepositoryPlace]()
    keys = [(None if p.kind == "missing" else find_identity(p.path, p.kind, p.revision), stamp) for p in places]
    while True:
        parts = ResultIndex(_list_parts(folder))
        known = {**previous.of_commit, **parts.of_commit}
        found = [
            (place, parts.of_place[place.key] if place in read else known.get(key))
            for place, key in zip(places, keys, strict=True)
        ]
        # Of several clones at the same commit, the first is read; another one where that fails.
        missing = [
            (key[0] or place.path, place) for (place, result), key in zip(found, keys, strict=True) if not result
        ]
        if not missing:
            results = [(place, result) for place, result in found if result]
            return AuditRun(results, previous, sum(r.row.status != "error" for place, r in results if place in read))
        waiting = [*dict(reversed(missing)).values()][::-1]
        _audit_all(folder, waiting, stamp, processes, engine)
        read.update(waiting)


def _audit_all(
    folder: OutputFolder, places: Sequence[RepositoryPlace], stamp: str, processes: int | None, engine: str
) -> None:
    chunks = [(at, places[at : at + CHUNK_SIZE]) for at in range(0, len(places), CHUNK_SIZE)]
    rate, number, texts = Rate("repository", len(places)), len(_list_parts(folder)), folder.locate(f"texts-{stamp}")
    for path in glob(escape(folder.locate("texts-")) + "*"):
        if not path.startswith(texts):
            os.unlink(path)  # of other code
    with share_results(texts):
        begin = partial(begin_audit, texts)
        for _, (count, data) in run_chunks(partial(audit_chunk, stamp), begin, chunks, processes, engine):
            folder.write(f"{PARTS}/{number:08}.jsonl", data)
            number += 1
            rate.add(count)
    rate.report()


def _list_parts(folder: OutputFolder) -> list[str]:
    return sorted(glob(f"{escape(folder.locate(PARTS))}/[0-9]*.jsonl"))


def begin_audit(texts: str) -> Auditor:
    """Prepare a process. What is there by then stays: no search for garbage looks at it again."""
    auditor = make_auditor(texts)
    gc.freeze()
    return auditor


def audit_chunk(stamp: str, auditor: Auditor, places: Sequence[RepositoryPlace]) -> tuple[int, bytes]:
    """The lines of some repositories."""
    return len(places), b"".join(encode_json(audit_place(auditor, place, stamp)) + b"\n" for place in places)

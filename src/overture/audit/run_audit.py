"""Runs an audit: reads what changed since the last one, in several processes, and keeps every finished chunk."""

import gc
import hashlib
import os
from collections.abc import Sequence
from functools import partial
from glob import escape, glob
from typing import NamedTuple

from ..discover.load_tokenizer import find_counter
from ..discover.revisions.find_repositories import RepositoryPlace
from ..discover.revisions.open_snapshot import find_identity
from ..discover.stored.shared_store import share_results
from ..discover.stored.stamps import stamp_code
from ..jobs.engines import LOCAL
from ..jobs.output_folder import PARTS, OutputFolder
from ..jobs.rate import Rate
from ..jobs.run_chunks import run_chunks
from ..model.struct import encode_json
from .audit_repository import Auditor, audit_place, make_auditor
from .result_files import ResultIndex, StoredResult

RESULTS = "results.jsonl"
"""The results of the last audit, until this one has ended."""
CHUNK_SIZE = 8
"""Repositories that are lost at the most where a process is killed."""


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
    stamp, previous = make_stamp(), ResultIndex(glob(escape(folder.locate(RESULTS))))
    keyed, read = [(place, _identify(place)) for place in places], set[RepositoryPlace]()
    while True:
        parts = ResultIndex(_list_parts(folder))
        known = [
            parts.of_place[place.key]
            if place in read
            else parts.find(identity, stamp) or previous.find(identity, stamp)
            for place, identity in keyed
        ]
        missing = [each for each, found in zip(keyed, known, strict=True) if found is None]
        if not missing:
            results = [(place, found) for place, found in zip(places, known, strict=True) if found is not None]
            audited = sum(each.row.status != "error" for place, each in results if place in read)
            return AuditRun(results, previous, audited)
        # Of several clones at the same commit, the first is read; another one where that fails.
        waiting = [*{identity or place.path: place for place, identity in reversed(missing)}.values()][::-1]
        _audit_all(folder, waiting, stamp, processes, engine)
        read.update(waiting)


def _audit_all(
    folder: OutputFolder, places: Sequence[RepositoryPlace], stamp: str, processes: int | None, engine: str
) -> None:
    chunks = [(at, places[at : at + CHUNK_SIZE]) for at in range(0, len(places), CHUNK_SIZE)]
    rate, number = Rate("repository", len(places)), len(_list_parts(folder))
    texts = folder.locate(f"texts-{stamp}.sqlite")
    for path in {*glob(escape(folder.locate("texts-")) + "*")} - {texts}:
        os.unlink(path)  # of other code, or of a run that was killed
    with share_results(texts):
        begin = partial(begin_audit, texts)
        for _, (count, data) in run_chunks(partial(audit_chunk, stamp), begin, chunks, processes, engine):
            folder.write(f"{PARTS}/{number:08}.jsonl", data)
            number += 1
            rate.add(count)
    rate.report()


def begin_audit(texts: str) -> Auditor:
    """Prepare a process. What is there by then stays: no search for garbage looks at it again."""
    auditor = make_auditor(texts)
    gc.freeze()
    return auditor


def make_stamp() -> str:
    """What changes when the same files would give other rows: our code, and the tokenizer."""
    return hashlib.sha256(stamp_code() + find_counter().about.encode()).hexdigest()[:16]


def audit_chunk(stamp: str, auditor: Auditor, places: Sequence[RepositoryPlace]) -> tuple[int, bytes]:
    """The lines of some repositories."""
    return len(places), b"".join(encode_json(audit_place(auditor, place, stamp)) + b"\n" for place in places)


def _identify(place: RepositoryPlace) -> str | None:
    return None if place.kind == "missing" else find_identity(place.path, place.kind, place.revision)


def _list_parts(folder: OutputFolder) -> list[str]:
    return sorted(glob(f"{escape(folder.locate(PARTS))}/[0-9]*.jsonl"))

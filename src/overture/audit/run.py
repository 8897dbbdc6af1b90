"""Runs an audit: reads the repositories of which nothing is known at their commit, and stores each result at once."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO

import msgspec
from msgspec.structs import replace

from ..discovery.write_file import open_growing, take_lock
from ..errors import ConfigError, explain_write_errors
from ..jobs import run_chunks
from ..terminal.job_options_and_rate import Rate
from ..text.path_printer import readable_path
from ..tokens.load_tokenizer import find_counter
from ..version import __version__
from .repositories import Repository, find_commit
from .rows import RepositoryAudit, audit_chunk

CHUNK_SIZE = 8
"""Repositories that are lost at the most where a process is killed."""
Line = tuple[int, int]
"""Where a line begins, and its length."""


class StoredResults:
    """A file of JSON Lines with the results of repositories, which grows while an audit runs."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.known: dict[tuple[str, str], Line] = {}
        """By commit, and the stamp of the code that read it: an audit would give the same again."""
        self.decode = msgspec.json.Decoder(RepositoryAudit).decode
        start = file.seek(0)
        for line in file:
            self._note(line, start)
            start += len(line)
        file.write(b"\n")  # a run that was killed may have left half a line

    def _note(self, line: bytes, start: int) -> Line:
        try:
            result = self.decode(line)
        except msgspec.DecodeError:
            return start, len(line)
        if result.status == "ok":
            self.known[result.commit, result.stamp] = start, len(line)
        return start, len(line)

    def add(self, line: bytes) -> Line:
        start = self.file.seek(0, 2)
        self.file.write(line)
        self.file.flush()
        return self._note(line, start)

    def read(self, place: Repository, line: Line) -> RepositoryAudit:
        """A result, under the name of this clone."""
        self.file.seek(line[0])
        result = self.decode(self.file.read(line[1]))
        return replace(result, repository=place.name, place=readable_path(place.path), kind=place.kind)


@contextmanager
def open_results(path: str, *, resume: bool) -> Iterator[StoredResults]:
    """The stored results, for one audit at a time; without `resume` none are known."""
    with explain_write_errors(path):
        file = open_growing(path)
    try:
        if not take_lock(file.fileno(), wait=False):
            raise ConfigError(f"{path!r} is in use by another run.", hint="Wait until it has finished.")
        if not resume:
            file.truncate(0)
        yield StoredResults(file)
    finally:
        with explain_write_errors(path, "Fix that, then run the same command again with `--resume`."):
            file.close()  # what could not be written is an error here, too


def run_audit(
    results: StoredResults, places: Sequence[Repository], processes: int | None, engine: str
) -> tuple[dict[Repository, Line], int]:
    """Where the result of each repository is, and how many were read now; clones at one commit are read once."""
    stamp = f"{__version__} {find_counter().about}"  # another release or tokenizer makes other rows of the same files
    with ThreadPoolExecutor() as pool:  # they wait for git
        commits = dict(zip(places, pool.map(find_commit, places), strict=True))
    stored: dict[Repository, Line] = {}
    rate = Rate("repository")
    while True:
        for place in places:
            if line := results.known.get((commits[place], stamp)):
                stored.setdefault(place, line)
        # Of several clones the first is read; if that fails, another one.
        missing = {commits[place] or place.path: place for place in reversed(places) if place not in stored}
        if not missing:
            rate.report()
            return {place: stored[place] for place in places}, rate.done
        waiting = [*missing.values()][::-1]
        chunks = [(at, waiting[at : at + CHUNK_SIZE]) for at in range(0, len(waiting), CHUNK_SIZE)]
        for at, lines in run_chunks(partial(audit_chunk, stamp), find_counter, chunks, processes, engine):
            stored |= {place: results.add(line) for place, line in zip(waiting[at:], lines, strict=False)}
            rate.add(len(lines))

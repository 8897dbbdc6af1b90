"""Where parts are made: in processes here, or as tasks of an engine that somebody runs already."""

import gc
import os
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any

import msgspec

from ..jobs.ray_tasks import run_on_ray
from ..jobs.run_chunks import run_chunks
from ..model.recipe.recipe import Recipe
from .build_rows import BatchSetup, RowBuilder
from .parts import PartFolder, PartRecord, begin_parts, make_part, write_part
from .read_rows import Chunk

ENGINES = ("ray", "daft")
DAFT_WINDOW = 32
"""Chunks in one frame: memory stays the same however many there are."""
Done = tuple[int, tuple[int, float]]
"""The number of a part, how many rows it has, and how far the input is read with it."""


def run_parts(
    engine: str | None, setup: BatchSetup, parts: PartFolder, processes: int, chunks: Iterable[tuple[int, Chunk]]
) -> Iterator[Done]:
    """Make a part of each chunk."""
    if engine is None:
        numbered = ((number, (number, chunk)) for number, chunk in chunks)
        try:
            yield from run_chunks(write_part, partial(begin_parts, setup, parts), numbered, processes)
        finally:
            gc.unfreeze()  # in this process: DuckDB prints what it finds frozen when Python ends
        return
    remote = RemoteBuilder(setup, setup.load_recipe())
    for (number, chunk), (data, record) in (_run_ray if engine == "ray" else _run_daft)(remote, parts, iter(chunks)):
        parts.write(number, data, record)  # workers elsewhere may not see this disk
        yield number, (record.row_count, chunk.part)


class RemoteBuilder:
    """Builds rows in a process of an engine. It travels with the recipe; the base prompt is built there, once."""

    def __init__(self, setup: BatchSetup, recipe: Recipe) -> None:
        self.setup, self.recipe, self.token = setup, recipe, os.urandom(8).hex()

    def load(self) -> RowBuilder:
        """The builder of this process."""
        if self.token not in _builders:
            _builders[self.token] = RowBuilder(self.setup._replace(load_recipe=lambda: self.recipe))
        return _builders[self.token]

    def make(self, parts: PartFolder, chunk: Chunk) -> tuple[bytes, PartRecord]:
        """The part of a chunk."""
        return make_part(self.load(), parts, chunk)


_builders: dict[str, RowBuilder] = {}


def _run_ray(remote: RemoteBuilder, parts: PartFolder, chunks: Iterator[tuple[int, Chunk]]) -> Iterator[Any]:
    running: dict[int, Chunk] = {}

    def note_chunks() -> Iterator[tuple[int, Chunk]]:
        for number, chunk in chunks:
            running[number] = chunk
            yield number, chunk

    for number, made in run_on_ray(partial(_make_part_in, parts), remote.load, note_chunks()):
        yield (number, running.pop(number)), made


def _make_part_in(parts: PartFolder, builder: RowBuilder, chunk: Chunk) -> tuple[bytes, PartRecord]:
    return make_part(builder, parts, chunk)


def _run_daft(remote: RemoteBuilder, parts: PartFolder, chunks: Iterator[tuple[int, Chunk]]) -> Iterator[Any]:
    """A frame of a few chunks at a time, a row for each, on whichever runner Daft is set to."""
    import daft

    @daft.func(return_dtype=daft.DataType.binary())  # type: ignore[untyped-decorator]
    def make(first: int, data: bytes) -> bytes:
        return msgspec.msgpack.encode(remote.make(parts, Chunk(first, data, 0.0)))

    while window := list(islice(chunks, DAFT_WINDOW)):
        columns = {name: [getattr(chunk, name) for _, chunk in window] for name in ("first", "data")}
        frame = daft.from_pydict(columns).select(make(daft.col("first"), daft.col("data")).alias("part"))
        for chunk, part in zip(window, frame.to_pydict()["part"], strict=True):
            yield chunk, msgspec.msgpack.decode(part, type=tuple[bytes, PartRecord])

"""Where parts are made: in processes here, or as tasks of an engine that somebody runs already."""

import gc
import os
from collections.abc import Iterable, Iterator
from functools import partial

from ..jobs.engines import LOCAL, run_on_engine
from ..jobs.run_chunks import run_chunks
from ..model.recipe.recipe import Recipe
from .build_rows import BatchSetup, RowBuilder
from .parts import PartFolder, PartRecord, begin_parts, make_part, write_part
from .read_rows import Chunk

Done = tuple[int, tuple[int, float]]
"""The number of a part, how many rows it has, and how far the input is read with it."""


def run_parts(
    engine: str, setup: BatchSetup, parts: PartFolder, processes: int, chunks: Iterable[tuple[int, Chunk]]
) -> Iterator[Done]:
    """Make a part of each chunk."""
    if engine == LOCAL:
        numbered = ((number, (number, chunk)) for number, chunk in chunks)
        try:
            yield from run_chunks(write_part, partial(begin_parts, setup, parts), numbered, processes)
        finally:
            gc.unfreeze()  # in this process: DuckDB prints what it finds frozen when Python ends
        return
    remote, running = RemoteBuilder(setup, setup.load_recipe()), dict[int, float]()

    def note_chunks() -> Iterator[tuple[int, Chunk]]:
        for number, chunk in chunks:
            running[number] = chunk.part
            yield number, chunk

    for number, (data, record) in run_on_engine(engine, partial(_make_part_in, parts), remote.load, note_chunks()):
        parts.write(number, data, record)  # workers elsewhere may not see this disk
        yield number, (record.row_count, running.pop(number))


class RemoteBuilder:
    """Builds rows in a process of an engine. It travels with the recipe; the base prompt is built there, once."""

    def __init__(self, setup: BatchSetup, recipe: Recipe) -> None:
        self.setup, self.recipe, self.token = setup, recipe, os.urandom(8).hex()

    def load(self) -> RowBuilder:
        """The builder of this process."""
        if self.token not in _builders:
            _builders[self.token] = RowBuilder(self.setup._replace(load_recipe=lambda: self.recipe))
        return _builders[self.token]


_builders: dict[str, RowBuilder] = {}


def _make_part_in(parts: PartFolder, builder: RowBuilder, chunk: Chunk) -> tuple[bytes, PartRecord]:
    return make_part(builder, parts, chunk)

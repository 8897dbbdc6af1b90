"""The nearest memories.json, from the working directory up to the root of the walk."""

from ...model.recipe.wants.wanted_files import MemoriesFile
from ...model.state.files import Origin
from ..disk.project_root import Roots
from ..disk.reader import Reader
from ..disk.walk import at_or_above
from ..formats.json_values import Sieve, load_sifted, sifting
from ..formats.json_with_lines import Spot
from .context_files import exists


def find_memories(
    reader: Reader, wants: MemoriesFile, walk: list[str], roots: Roots
) -> tuple[tuple[str, ...], dict[str, Origin]]:
    """The memories, and where each came from. The nearest file counts even if it can't be used."""
    within = wants.within
    nearest_first = [each for each in reversed(walk) if within is None or at_or_above(within, reader.real_or(each))]
    for index, folder in enumerate(nearest_first):
        sighting = reader.sight(folder, wants.name, roots.of(folder), "memories")
        if sighting is None and reader.looked[-1].outcome == "absent":
            continue
        _note_shadowed(reader, wants, nearest_first[index + 1 :], folder)
        sifted = load_sifted(reader, sighting, "memories", read_memories) if sighting else None
        return (sifted.values, sifted.origins(sighting.path)) if sighting and sifted else ((), {})
    return (), {}


def _note_shadowed(reader: Reader, wants: MemoriesFile, above: list[str], taken: str) -> None:
    for folder in above:
        path = f"{folder.rstrip('/')}/{wants.name}"
        there = exists(reader, path)
        detail = f"by {taken.rstrip('/')}/{wants.name}" if there else ""
        reader.note(path, "memories", "shadowed" if there else "absent", detail)


def _sift(root: Spot, sieve: Sieve) -> tuple[str, ...]:
    return sieve.texts(root, "", "memories")


read_memories = sifting("memories", list, 1, _sift)
"""A memories.json -> the texts that it lists, and the line of each."""

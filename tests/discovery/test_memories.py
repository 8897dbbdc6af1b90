"""memories.json: the nearest one counts, the good entries load, the bad ones are reported."""

import json

import pytest

import overture
from overture.model.state.discovery import Discovery
from overture.testing import FakeWorld


def found_in(files: dict[str, str], cwd: str = "/p/a/b", root: str | None = None) -> Discovery:
    """What discovery makes of these files."""
    return overture.discover("nova", world=FakeWorld(files, cwd=cwd), root=root)


def outcomes(found: Discovery) -> dict[str, str]:
    """What came of each memories.json."""
    return {look.path: look.outcome for look in found.looked_at if look.what == "memories"}


def test_the_nearest_file_counts() -> None:
    """From the working directory up, the first memories.json is taken and the others are shadowed."""
    found = found_in({"/p/memories.json": '["far"]', "/p/a/memories.json": '["near"]'})
    assert found.state.memories == ("near",)
    assert outcomes(found) == {
        "/p/a/b/memories.json": "absent",
        "/p/a/memories.json": "loaded",
        "/p/memories.json": "hidden",
        "/memories.json": "absent",
    }


def test_good_memories_load_beside_bad_ones() -> None:
    """Each bad entry is reported with its index and line; the good ones keep their order and their lines."""
    text = '[\n"one",\n 2,\n"two", null,\n" ",\n["x"],\n"three"]'
    found = found_in({"/p/a/b/memories.json": text})
    assert found.state.memories == ("one", "two", "three")
    assert [found.state.origins[f"memories[{index}]"].line for index in range(3)] == [2, 4, 7]
    assert [(note.line, note.message) for note in found.diagnostics] == [
        (3, "[1] is skipped: expected text, got a whole number (2)"),
        (4, "[3] is skipped: expected text, got null"),
        (5, "[4] is skipped: it must not be blank"),
        (6, "[5] is skipped: expected text, got a list"),
    ]


def test_a_flood_of_bad_entries_is_summed_up() -> None:
    """Beyond twenty, the rest of a file's faults are one diagnostic."""
    found = found_in({"/p/a/b/memories.json": json.dumps([*range(1000), "good"])})
    assert found.state.memories == ("good",)
    assert len(found.diagnostics) == 21
    assert found.diagnostics[-1].message == "980 more values are invalid and skipped"


@pytest.mark.slow
def test_five_megabytes_load_with_a_warning() -> None:
    """A huge file is loaded in full, and the user is told."""
    texts = [f"memory {index} {'x' * 90}" for index in range(50_000)]
    found = found_in({"/p/a/b/memories.json": json.dumps(texts, indent=0)})
    assert found.state.memories == tuple(texts)
    assert found.state.origins["memories[49999]"].line == 50_001
    assert [note.code for note in found.diagnostics] == ["file-large"]

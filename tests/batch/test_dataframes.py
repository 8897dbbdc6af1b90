"""`overture.batch.map` gives back the kind of dataset that it takes, with the columns of prompts."""

import polars
import pytest

import overture
import overture.batch
from overture import State

FRAME = polars.DataFrame({"id": [1, 2, 3], "notes": [["tea"], ["coffee"], None], "now": [None, "nonsense", None]})


@pytest.mark.parametrize("frame", [FRAME, FRAME.lazy()], ids=["eager", "lazy"])
def test_polars(frame: polars.DataFrame | polars.LazyFrame) -> None:
    """An eager frame and a lazy one; a row that fails says why, and the others go on."""
    mapped = overture.batch.map(frame, "house", columns={"memories": "notes"}, state=State())
    assert type(mapped) is type(frame)
    assert mapped.collect_schema().names() == ["id", "notes", "now", "text", "tokens", "fingerprint", "diagnostics"]
    found = mapped.lazy().collect().to_dicts()
    prompt = overture.build("house", {"memories": ["tea"]})
    assert found[0] == {
        "id": 1, "notes": ["tea"], "now": None, "text": prompt.text, "tokens": prompt.tokens,
        "fingerprint": prompt.fingerprint, "diagnostics": [str(note) for note in prompt.diagnostics],
    }  # fmt: skip
    assert found[1]["text"] is None and found[1]["tokens"] is None
    assert found[1]["diagnostics"][0].startswith("error: bad-value: now: ")
    assert found[2]["text"] == overture.build("house", {}).text


def test_a_budget_is_kept() -> None:
    """As `build` keeps it."""
    frame = polars.DataFrame({"memories": [["tide " * 400], ["tea"]]})
    mapped = overture.batch.map(frame, "house", state={}, budget=150)
    assert max(mapped["tokens"]) <= 150

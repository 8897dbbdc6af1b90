"""PySpark in local mode: a frame stays a frame."""

import os
import sys

import pytest

import overture.batch
from overture import State

sql = pytest.importorskip("pyspark.sql")
os.environ["PYSPARK_PYTHON"] = sys.executable  # or its workers are those of the first Python on the path


def test_a_frame_stays_a_frame() -> None:
    """Every row is there once, with the prompt that `build` gives."""
    builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    for name in ("bindAddress", "host"):
        builder = builder.config(f"spark.driver.{name}", "127.0.0.1")
    session = builder.getOrCreate()
    try:
        frame = session.createDataFrame([(n, [f"note {n}"]) for n in range(500)], "id int, notes array<string>")
        mapped = overture.batch.map(frame, "house", columns={"memories": "notes"}, state=State())
        assert type(mapped) is type(frame)
        found = {row["id"]: row for row in mapped.collect()}
    finally:
        session.stop()
    assert sorted(found) == list(range(500))
    prompt = overture.build("house", {"memories": ["note 7"]})
    row = found[7]
    assert (row["text"], row["tokens"], row["fingerprint"]) == (prompt.text, prompt.tokens, prompt.fingerprint)
    assert row["diagnostics"] == [str(note) for note in prompt.diagnostics]

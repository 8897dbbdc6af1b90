"""Daft's own runner: a frame stays a frame, and the command gives the bytes that processes here give."""

import json
from pathlib import Path

import pytest

import overture.batch
from overture import State

from ..audit.fleet import make_repository

daft = pytest.importorskip("daft")


def test_a_frame_stays_a_frame() -> None:
    """Lazy as it was; a row that fails says why, and the others go on."""
    frame = daft.from_pydict({"id": [1, 2, 3], "notes": [["tea"], ["coffee"], None], "now": [None, "nonsense", None]})
    mapped = overture.batch.map(frame, "house", columns={"memories": "notes"}, state=State())
    assert type(mapped) is type(frame)
    found = mapped.to_pylist()
    assert [row["id"] for row in found] == [1, 2, 3]
    assert found[0]["text"] == overture.build("house", {"memories": ["tea"]}).text
    assert found[0]["tokens"] == overture.build("house", {"memories": ["tea"]}).tokens
    assert found[1]["text"] is None and "bad-value" in found[1]["diagnostics"][0]
    assert found[2]["fingerprint"] == overture.build("house", {}).fingerprint


def test_the_command_on_daft(tmp_path: Path) -> None:
    """`--engine daft` writes the same files."""
    from overture.batch.command import command

    path = tmp_path / "rows.jsonl"
    rows = [{"id": n, "memories": [f"{n}"], "message": f"m{n}"} for n in range(5_000)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    given = ["house", str(path), "--no-discover", "--now", "2026-03-07T08:55:05-06:00", "--format", "gemini"]
    assert command.main([*given, "--out", str(tmp_path / "daft"), "--engine", "daft"], standalone_mode=False) == 0
    assert command.main([*given, "--out", str(tmp_path / "here")], standalone_mode=False) == 0
    ours, theirs = (tmp_path / name / "requests-0001.jsonl" for name in ("here", "daft"))
    assert ours.read_bytes() == theirs.read_bytes()
    assert len(ours.read_bytes().splitlines()) == 5_000


def test_an_audit_on_daft_has_the_same_rows(tmp_path: Path) -> None:
    """Every repository once."""
    from overture.audit.command import command

    for number in range(20):
        make_repository(tmp_path / f"fleet/{number}", {"AGENTS.md": f"Use {number} tabs.\n"})
    for name, words in {"here": ["--processes", "1"], "there": ["--engine", "daft"]}.items():
        out = str(tmp_path / f"{name}.jsonl")
        assert command.main([str(tmp_path / "fleet"), "--out", out, *words], standalone_mode=False) == 0
    assert (tmp_path / "here.jsonl").read_bytes() == (tmp_path / "there.jsonl").read_bytes()

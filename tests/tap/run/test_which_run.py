"""Every report says which run it is about: its program, its start, its id, and how many have begun since."""

import json
from pathlib import Path

import pytest

from overture.tap.store.store import open_store
from tests.contract.cli.run import read_stdout
from tests.tap.store.made_calls import make_call, make_run

pytestmark = pytest.mark.slow


def recorded(folder: Path, *runs: str) -> Path:
    """A store with these runs; those whose names end with `+` have a call."""
    path = folder / "calls.db"
    with open_store(path) as store:
        for number, name in enumerate(runs):
            id, began = name.rstrip("+"), f"2026-03-07T0{number}:00:00+00:00"
            store.add_run(make_run(id, started=began, program=f"agent-{id}", ended=began if "+" in name else ""))
            if "+" in name:
                store.add(make_call(f"c{id}", "Hello.", run=id, at=began))
    return path


def test_the_run_is_named(tmp_path: Path) -> None:
    """`report`, `list` and `show` name it before all else, in a terminal, in Markdown and in JSON."""
    path = recorded(tmp_path, "r1+", "r2+")
    for words, line in ((("report",), 0), (("list",), 0), (("show",), 0), (("report", "--markdown"), 2)):
        said = read_stdout("tap", *words, "--store", path).splitlines()[line]
        assert said.startswith("Run r2: agent-r2, started 2026-03-0"), words
    first = read_stdout("tap", "report", "--since", "r1", "--store", path).splitlines()[0]
    assert first.startswith("Run r1: agent-r1, ") and first.endswith("; 1 newer run.")
    data = json.loads(read_stdout("tap", "report", "--json", "--store", path))
    assert ([run["id"] for run in data["runs"]], data["runs_since"], data["last_run_without_call"]) == (["r2"], 0, None)

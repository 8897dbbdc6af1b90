"""`tap list` and `tap report` name the same numbers of a call, whatever its provider counted."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from overture.tap.recorded_call import CallUsage
from overture.tap.store.store import open_store
from tests.contract.cli.run import run
from tests.tap.store.made_calls import make_call, make_run


@pytest.mark.parametrize(
    "counted",
    [None, CallUsage(), CallUsage(output=3_000), CallUsage(input=5_000), CallUsage(input=5_000, output=3_000)],
    ids=["no counts", "empty", "output alone", "input alone", "both"],
)
def test_list_and_report_agree(tmp_path: Path, counted: CallUsage | None) -> None:
    """What is not reported is counted here, and marked; an output is what the provider reports."""
    path = tmp_path / "calls.sqlite"
    with open_store(path) as store:
        store.add_run(make_run())
        store.add(replace(make_call("c0", "Hoist."), model="claude-opus-5", usage=counted))
    row = run("tap", "list", "--store", str(path)).stdout.splitlines()[-1].split()
    report = run("tap", "report", "--store", str(path)).stdout
    (found,) = re.findall(r"  c0  claude-opus-5  (\S+) in, .* (\S+) out, ", report)
    assert [each.replace("-", "?") for each in (row[5], row[7])] == [*found]

"""`overture tap --store postgresql://…`: the whole way through a real server, as a team uses it."""

import json
from pathlib import Path

import pytest

from tests.contract.tap.provider import KEY, LIGHT, SAID, written

from ..run.test_command import Place, place

pytestmark = pytest.mark.slow


__all__ = ["place"]


def test_a_team_keeps_its_calls_in_postgresql(postgres: str, place: Place) -> None:
    """Run, report, list, show, diff, export and retain; no file is made, and no key is kept."""
    kept = ("--store", postgres)
    for turns in ("1", "2"):
        program = written(place.folder, LIGHT)
        done = place.run("tap", *kept, "--upstream", place.there.url, "--", *program, turns)
        assert (done.returncode, done.stdout) == (0, "All is well.\n" * int(turns))
        assert f"{turns} call" in done.stderr
        assert "recorded in postgresql://ada@/" in done.stderr
    assert not place.data.exists()
    calls = json.loads(place.read_stdout("list", *kept, "--since", "all", "--json"))["calls"]
    assert [call["status"] for call in calls] == [200] * 3
    ids = [call["id"] for call in calls]
    assert "\nThis session cost" in place.read_stdout("report", *kept)
    assert json.loads(place.read_stdout("report", *kept, "--since", "all", "--json"))["calls"] == 3
    assert place.read_stdout("list", *kept, "--grep", "you are ada").count("system: You are Ada.") == 3
    assert "All is well." in place.read_stdout("show", *kept, ids[0])
    assert place.read_stdout("diff", *kept, ids[1], ids[2])
    exported = place.read_stdout("export", *kept, "--since", "all")
    assert [next(iter(json.loads(line))) for line in exported.splitlines()].count("call") == 3
    assert KEY not in exported
    assert SAID not in exported
    assert place.read_stdout("retain", *kept, "--days", "0").startswith("Removed 3 calls")
    assert json.loads(place.read_stdout("list", *kept, "--since", "all", "--json"))["calls"] == []


def test_a_server_that_is_not_there_is_one_line(place: Place, tmp_path: Path) -> None:
    """The program runs all the same, and what is asked of the record is an error; both without the password."""
    address = f"postgresql://ada:hush@/team?host={tmp_path}"
    for words, code in ((("--store", address, "--", "touch", "started"), 0), (("report", "--store", address), 2)):
        done = place.run_tap(*words)
        assert (done.returncode, done.stdout, done.stderr.count("error: ")) == (code, "", code // 2), done.stderr
        assert done.stderr.startswith("error: " if code else "overture tap: ")
        assert "postgresql://ada@/team" in done.stderr
        assert "hush" not in done.stderr
    assert (place.folder / "started").exists()

"""`tap.days` and `tap.megabytes`: a project's own store stays as small as its owner says."""

import os
from pathlib import Path as File

import pytest

from tests.contract.tap.provider import PROGRAM, written

from ..run.test_command import Place, place

pytestmark = pytest.mark.slow


__all__ = ["place"]


def _set(place: Place, days: float) -> None:
    own = File(place.environ["HOME"], ".config", "overture", "overture.toml")
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(f"[tap]\ndays = {days}\n")


def test_old_calls_go_when_a_run_has_ended(place: Place) -> None:
    """What is older than the days goes, and that is said; what is younger stays, and nothing is said."""
    program = written(place.folder, PROGRAM)
    _set(place, 30)
    assert "removed" not in place.run("tap", "--dry-run", "--", *program, "2").stderr
    assert len(place.calls()) == 2
    _set(place, 0)
    assert "  tap.days = 0: 3 older calls removed.\n" in place.run("tap", "--dry-run", "--", *program, "1").stderr
    assert not place.calls()


def test_another_store_is_left_alone(place: Place, tmp_path: File) -> None:
    """A store that is named may be others' too: only `tap retain` removes what is in it."""
    _set(place, 0)
    store = str(tmp_path / "team.sqlite")
    done = place.run("tap", "--dry-run", "--store", store, "--", *written(place.folder, PROGRAM), "2")
    assert "removed" not in done.stderr and os.path.getsize(store) > 0
    assert place.read_stdout("list", "--store", store).count("\n") >= 2


def test_a_project_may_not_say_so(place: Place) -> None:
    """A repository's own file removes nobody's record."""
    (place.folder / "overture.toml").write_text("[tap]\ndays = 0\n")
    assert "removed" not in place.run("tap", "--dry-run", "--", *written(place.folder, PROGRAM), "2").stderr
    assert len(place.calls()) == 2

"""Places as people have them: what can't be read has a row with the reason, and no traceback is ever shown."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from overture.audit.find_repositories import find_repositories
from overture.audit.run_audit import audit_place, make_auditor
from tests.contract.cli.run import OVERTURE
from tests.contract.discovery.disk import link, put

from .fleet import audit, make_repository, read_table

pytestmark = pytest.mark.slow


def test_a_circle_of_links(tmp_path: Path) -> None:
    """In a repository and beside it: each repository is found once."""
    repo = make_repository(tmp_path / "fleet/good")
    link(repo.folder / "loop", Path())
    link(repo.folder / "CLAUDE.md", Path("other.md"))
    link(repo.folder / "other.md", Path("CLAUDE.md"))
    repo.commit("Links")
    link(tmp_path / "fleet/up", Path(".."))
    summary = audit(tmp_path / "fleet", out=tmp_path / "out")
    assert (summary["repositories"], summary["failed"]) == (1, [])
    assert [row["path"] for row in read_table(tmp_path / "out", "texts")] == ["AGENTS.md"]


def test_a_repository_that_disappears(tmp_path: Path) -> None:
    """It was found, and is gone when it is read: its row says so."""
    make_repository(tmp_path / "fleet/gone")
    put(tmp_path / "plain/AGENTS.md", "Use tabs.")
    places = find_repositories((str(tmp_path / "fleet"), str(tmp_path / "plain")))
    shutil.rmtree(tmp_path / "fleet")
    shutil.rmtree(tmp_path / "plain")
    rows = [audit_place(make_auditor(), place) for place in places]
    assert [row.status for row in rows] == ["error", "error"]
    assert "No such file or directory" in rows[0].error
    assert rows[1].error == f"No such file: '{tmp_path}/plain'"


def test_a_folder_that_may_not_be_read(tmp_path: Path) -> None:
    """Whatever is in it is not passed over in silence."""
    make_repository(tmp_path / "fleet/good")
    make_repository(tmp_path / "fleet/team/secret")
    summary = audit_locked(tmp_path / "fleet", "team")
    failed = {each["repository"]: each["note"] for each in summary["failed"]}
    assert failed == {"team": "the folder can't be read: permission denied"}


@pytest.mark.parametrize("locked", ["logs", "a/b/c/d/e/f/g/logs", ".claude"])
def test_a_folder_without_git_is_read_but_for_what_may_not_be_read(tmp_path: Path, locked: str) -> None:
    """A folder in it that can't be read is named; the rest is audited."""
    put(tmp_path / "plain/AGENTS.md", "Use tabs.")
    (tmp_path / "plain" / locked).mkdir(parents=True)
    summary = audit_locked(tmp_path / "plain", locked)
    note = f"{locked}: the folder can't be read: permission denied"
    assert (summary["audited"], summary["failed"]) == (1, [{"repository": "plain", "note": note}])


def audit_locked(place: Path, locked: str) -> dict[str, Any]:
    """The summary of an audit by somebody who may not read one of the folders."""
    line: list[str | Path] = [OVERTURE, "audit", place, "--out", place.parent / "out", "--json"]
    if os.getuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root reads everything, and there is no setpriv to change that")
        line = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", *line]
    (place / locked).chmod(0)
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    (place / locked).chmod(0o700)
    assert done.returncode == 0, done.stderr
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary

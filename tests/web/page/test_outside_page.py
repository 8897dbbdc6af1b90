"""The page shows no text of a file outside the project, whatever its settings, links and imports name."""

from pathlib import Path

import pytest

from overture.report.sheet.make_sheet import file_id
from tests.contract.cli.test_outside import CANARY, make_project

from .shown import paged

VIEWS = ("sheet", "sheet?budget=200", "turns", "diff", "files", "check", "agents", "agents?all=1")


@pytest.mark.slow(unless=("house",))
@pytest.mark.parametrize("recipe", ["house", "claude-code", "gemini-cli"])
def test_no_answer_of_the_page_holds_a_text_from_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: str
) -> None:
    """Neither a view over HTTP, nor a file asked for by its id."""
    project, home = make_project(tmp_path), tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    with paged(project, recipe, home=str(home)) as page:
        bodies = [page.client.get("/").text, *(page.client.get(f"/page/{view}").text for view in VIEWS)]
        outside = [path for path in (*home.rglob("*"), *project.rglob("*")) if path.is_file()]
        paths = [*map(str, outside), *(row["path"] for row in page.get("/page/files")["files"])]
        bodies += [page.client.get(f"/page/file/{file_id(path)}").text for path in dict.fromkeys(paths)]
    assert "home/.netrc" in "".join(bodies)  # it is named
    assert not [body for body in bodies if CANARY in body]

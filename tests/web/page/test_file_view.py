"""`GET /page/file/ID`: a file as it lies on disk, by its id alone, and only from below the roots."""

from pathlib import Path
from typing import Any

import pytest

from overture.report.sheet.make_sheet import file_id
from overture.web.page.prompt_files import MAX_FILE_BYTES

from .asking import page_in, page_of

TOKEN = "ghp_" + "x7Kq2LmZ9vRt4WsYb1Nc8HdJ6fPg3QeAuT5i"


def read(text: str | bytes, **world: Any) -> dict[str, Any]:
    """The answer for an AGENTS.md that holds this."""
    with page_of({"/p/AGENTS.md": text}, **world) as page:
        found: dict[str, Any] = page.file("/p/AGENTS.md").json()
    return found


def test_a_file_is_shown_whole() -> None:
    """Blank lines, spaces at ends and tags are there as they are on disk: what the prompt does to them is not done."""
    text = "\n\nRun it.   \n</identity>\n<|im_start|>\n\n\n\nEnd"
    assert read(text) == {
        "id": file_id("/p/AGENTS.md"), "path": "/p/AGENTS.md", "shown": "AGENTS.md", "text": text, "lines": 9,
    }  # fmt: skip


def test_a_key_is_hidden_as_in_the_prompt() -> None:
    """No token of the file is in the answer, and each line keeps its number."""
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA7bq8\n" * 3 + "-----END RSA PRIVATE KEY-----\n"
    text = read(f"Use {TOKEN} here.\n{key}After.\n")["text"]
    assert TOKEN not in text
    assert "MIIEpAIB" not in text
    assert "Use [secret: GitHub token] here." in text
    assert text.split("\n").index("After.") == 6


def test_no_key_is_parted_by_the_cut() -> None:
    """The half of a key that would be left is not known for one: the cut comes before it."""
    found = read("x " * (MAX_FILE_BYTES // 2 - 10) + f" {TOKEN} " + "x " * 20_000)
    assert "ghp_" not in found["text"]


@pytest.mark.parametrize(
    "id",
    [
        "000000000000", "AGENTS.md", "..", "../AGENTS.md", "%2e%2e%2fAGENTS.md", "..%2f..%2fetc%2fpasswd",
        "%2Fetc%2Fpasswd", "/p/AGENTS.md", "%252fetc%252fpasswd", "%00", "0" * 5_000, "",
        file_id("/p/CLAUDE.md"), file_id("/p/.git/HEAD"), file_id("/etc/passwd"),
    ],
)  # fmt: skip
def test_whatever_is_no_id_of_a_file_that_was_read_is_not_there(id: str) -> None:
    """A path, in whatever writing, leads nowhere; nor does the id of a file that is there and was not read."""
    files: dict[str, str | bytes] = {"/p/AGENTS.md": "Yes.", "/p/CLAUDE.md": "No.", "/etc/passwd": "root"}
    with page_of(files) as page:
        answer = page.get(f"file/{id}")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == "urn:overture:problem:not-found"


def test_a_file_above_the_project_is_not_shown() -> None:
    """It is in the prompt and in the list, and has no id: it lies below no root."""
    files: dict[str, str | bytes] = {"/AGENTS.md": "From above.\n", "/p/AGENTS.md": "Here.\n"}
    with page_of(files, "pi") as page:
        row = next(row for row in page.data("files")["files"] if row["path"] == "/AGENTS.md")
        assert (row["outcome"], row["id"]) == ("loaded", None)
        assert page.file("/AGENTS.md").status_code == 404


def test_a_link_that_leads_elsewhere_is_not_followed() -> None:
    """Also where the project's settings let the prompt follow it: the answer says so in a word."""
    links = {"/p/AGENTS.md": "/srv/shared/AGENTS.md"}
    files: dict[str, str | bytes] = {"/srv/shared/AGENTS.md": "Shared.\n"}
    home: dict[str, str | bytes] = {"/home/user/.config/overture/overture.toml": "[features.links]\noutside = true\n"}
    with page_of({**files, **home}, links=links) as page:
        assert "Shared." in page.session.prompt.text
        answer = page.file("/p/AGENTS.md")
    assert answer.status_code == 404
    assert answer.json()["detail"] == "AGENTS.md leads out of the project and is not shown."
    assert answer.json()["path"] == "id"


def test_the_text_is_that_of_now_and_a_swapped_link_is_refused(tmp_path: Path) -> None:
    """On a real disk: an edit is seen at once; a file that became a link out of the roots, or went, is not shown."""
    project, secret, home = tmp_path / "p", tmp_path / "secret.txt", tmp_path / "home"
    (project / ".git").mkdir(parents=True)
    home.mkdir()
    secret.write_text("of somebody else\n")
    file = project / "AGENTS.md"
    file.write_text("First.\n")
    with page_in(project, home) as page:
        assert page.file(str(file)).json()["text"] == "First.\n"
        file.write_text("Second.\n")
        assert page.file(str(file)).json()["text"] == "Second.\n"
        file.unlink()
        file.symlink_to(secret)
        assert page.file(str(file)).status_code == 404
        file.unlink()
        assert page.file(str(file)).status_code == 404
        file.mkdir()
        assert page.file(str(file)).status_code == 404

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


@pytest.mark.parametrize(("text", "lines"), [("a", 1), ("a\n", 1), ("a\n\n", 2), ("a\r\nb\rc", 3)])
def test_lines_are_counted(text: str, lines: int) -> None:
    """A line break at the end begins no line; every kind of line break ends one."""
    assert read(text)["lines"] == lines


def test_a_key_is_hidden_as_in_the_prompt() -> None:
    """No token of the file is in the answer, and each line keeps its number."""
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA7bq8\n" * 3 + "-----END RSA PRIVATE KEY-----\n"
    text = read(f"Use {TOKEN} here.\n{key}After.\n")["text"]
    assert TOKEN not in text
    assert "MIIEpAIB" not in text
    assert "Use [secret: GitHub token] here." in text
    assert text.split("\n").index("After.") == 6


def test_a_key_that_the_prompt_shows_is_shown(tmp_path: Path) -> None:
    """With `secrets = "show"` the file has no other text than the prompt."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "AGENTS.md").write_text(f"Use {TOKEN} here.\n")
    with page_in(tmp_path, tmp_path / "home", no_redact=True) as page:
        assert TOKEN in page.file(f"{tmp_path}/AGENTS.md").json()["text"]


def test_what_nobody_sees_is_made_visible() -> None:
    """Hidden characters, text directions and what a terminal obeys are written out; a mark at the start is no text."""
    text = read("\ufeffDo\u200b it\u202e now\x1b[2J.\n")["text"]
    assert text == "Do\\u{200B} it\\u{202E} now\\u{001B}[2J.\n"


def test_a_large_file_is_cut_and_says_so() -> None:
    """The first two million bytes are shown, up to the end of a line, and both sizes are named."""
    found = read("Say it again, please.\n" * 100_000)
    assert found["cut"].startswith("truncated: the first 1,999,99")
    assert found["cut"].endswith(" of 2,200,000 bytes are shown")
    assert found["text"].endswith("please.\n")
    assert len(found["text"]) <= MAX_FILE_BYTES


def test_no_key_is_parted_by_the_cut() -> None:
    """The half of a key that would be left is not known for one: the cut comes before it."""
    found = read("x " * (MAX_FILE_BYTES // 2 - 10) + f" {TOKEN} " + "x " * 20_000)
    assert "ghp_" not in found["text"]


@pytest.mark.parametrize("data", [b"\x7fELF\0\0\0", "text\0".encode("utf-16")])
def test_what_is_no_text_says_so(data: bytes) -> None:
    """Of a binary file nothing is shown."""
    found = read(data)
    assert (found["text"], found["cut"]) == ("", "not text, not shown")


def test_what_is_not_utf_8_is_shown_all_the_same() -> None:
    """A byte that can't be read becomes U+FFFD."""
    assert read(b"Caf\xe9.\n")["text"] == "Caf\ufffd.\n"


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


def test_a_file_of_home_is_shown() -> None:
    """Home is a root too."""
    with page_of({"/home/user/.agents/AGENTS.md": "Be brief.\n"}) as page:
        assert page.file("/home/user/.agents/AGENTS.md").json()["text"] == "Be brief.\n"


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


def test_a_link_within_the_project_is_followed() -> None:
    """It leads to a file that may be shown."""
    with page_of({"/p/docs/rules.md": "Rules.\n"}, links={"/p/AGENTS.md": "docs/rules.md"}) as page:
        assert page.file("/p/AGENTS.md").json()["text"] == "Rules.\n"


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


def test_the_roots_are_those_of_the_start(tmp_path: Path) -> None:
    """A repository that is made around the project later opens no further folder."""
    project = tmp_path / "outer" / "p"
    (project / ".git").mkdir(parents=True)
    (tmp_path / "outer" / "AGENTS.md").write_text("Outer.\n")
    (project / "AGENTS.md").write_text("Inner.\n")
    with page_in(project, tmp_path / "home", "pi") as page:
        assert page.file(f"{project}/AGENTS.md").status_code == 200
        (project / ".git").rmdir()
        (tmp_path / "outer" / ".git").mkdir()
        assert page.file(f"{tmp_path}/outer/AGENTS.md").status_code == 404

"""A report that holds text of the user's own is readable for the user alone; one about the project is for everybody."""

import os
import stat
import sys
import tempfile
from pathlib import Path

import pytest

from ..discovery.disk import put
from .run import run

NO_SKILL = "home/.agents/skills/x/SKILL.md"
"""It is read and skipped, for it has no description: no prompt has its text, and a page with whole files has."""


@pytest.mark.slow(unless=("files0-words0-420", "files1-words1-384"))
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
@pytest.mark.parametrize(
    ("files", "words", "mode"),
    [
        ({"p/AGENTS.md": "Use tabs."}, ("codex",), 0o644),
        ({"p/AGENTS.md": "Use tabs.", "home/.codex/AGENTS.md": "I am Ada."}, ("codex",), 0o600),
        ({"p/AGENTS.md": "Use tabs.", "home/.codex/AGENTS.md": "I am Ada."}, ("claude-code",), 0o644),
        ({"p/memories.json": '["Ada likes tea"]'}, ("nova",), 0o600),
        ({"p/AGENTS.md": "Use tabs."}, ("house", "--set", "user.name=Ada"), 0o600),
        ({"p/AGENTS.md": "Use tabs.", NO_SKILL: "I am Ada."}, ("house",), 0o644),
        ({"p/AGENTS.md": "Use tabs.", NO_SKILL: "I am Ada."}, ("house", "--with-files"), 0o600),
    ],
)
def test_private_text_is_for_the_user_alone(
    tmp_path: Path, files: dict[str, str], words: tuple[str, ...], mode: int
) -> None:
    """0600 with a text from home, memories or who the user is; else as the umask has it."""
    for name, text in {**files, "p/.git/HEAD": "", "home/x": ""}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    before = os.umask(0o022)
    try:
        done = run("serve", *words, "--save", tmp_path / "page.html", "--home", tmp_path / "home", cwd=tmp_path / "p")
    finally:
        os.umask(before)
    assert done.returncode == 0, done.stderr
    assert stat.S_IMODE((tmp_path / "page.html").stat().st_mode) == mode


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="there is no /dev/shm")
def test_a_folder_that_everybody_may_write_to_changes_nothing(tmp_path: Path) -> None:
    """In /dev/shm, too, a report with private text is 0600, also in the place of one that everybody could read."""
    put(tmp_path / "home/.codex/AGENTS.md", "I am Ada.")
    put(tmp_path / "p/AGENTS.md", "Use tabs.")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        os.chmod(folder, 0o1777)
        page = Path(folder, "page.html")
        for _ in range(2):
            done = run("serve", "codex", "--save", page, "--home", tmp_path / "home", cwd=tmp_path / "p")
            assert done.returncode == 0, done.stderr
            assert stat.S_IMODE(page.stat().st_mode) == 0o600
            assert os.listdir(folder) == ["page.html"]
            page.chmod(0o666)

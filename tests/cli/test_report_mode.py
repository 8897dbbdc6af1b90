"""A report that holds text of the user's own is readable for the user alone; one about the project is for everybody."""

import os
import stat
import sys
from pathlib import Path

import pytest

from .run import run


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
@pytest.mark.parametrize(
    ("files", "words", "mode"),
    [
        ({"p/AGENTS.md": "Use tabs."}, ("codex",), 0o644),
        ({"p/AGENTS.md": "Use tabs.", "home/.codex/AGENTS.md": "I am Ada."}, ("codex",), 0o600),
        ({"p/AGENTS.md": "Use tabs.", "home/.codex/AGENTS.md": "I am Ada."}, ("claude-code",), 0o644),
        ({"p/memories.json": '["Ada likes tea"]'}, ("nova",), 0o600),
        ({"p/AGENTS.md": "Use tabs."}, ("house", "--set", "user.name=Ada"), 0o600),
    ],
)
def test_private_text_is_for_the_user_alone(
    tmp_path: Path, files: dict[str, str], words: tuple[str, ...], mode: int
) -> None:
    """0600 with a file from home, memories or who the user is; else as the umask has it."""
    for name, text in {**files, "p/.git/HEAD": "", "home/x": ""}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    before = os.umask(0o022)
    try:
        done = run("report", *words, "-o", tmp_path / "page.html", "--home", tmp_path / "home", cwd=tmp_path / "p")
    finally:
        os.umask(before)
    assert done.returncode == 0, done.stderr
    assert stat.S_IMODE((tmp_path / "page.html").stat().st_mode) == mode

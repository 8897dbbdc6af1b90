"""Every screen fits its terminal, and stands conditions that people have: read-only folders, a home that is locked."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .on_a_terminal import on_a_terminal, plain, width

COLUMNS = (40, 60, 80, 100, 120, 200)
SCREENS = [
    (), ("agents",), ("agents", "claude-code"), ("agents", "--files"), ("agents", "--why", "AGENTS.md"), ("check",),
    ("explain",), ("context",), ("agents", "--skills"), ("tap", "list"), ("check", "--list"),
]  # fmt: skip
LONG = "Always tell the harbor master of the tide at [berth](docs/a-page-that-is-not-there-any-more.md) before noon."

WIDE = "船が港に入る前に、必ず潮の高さと風の強さを調べて[係留所](docs/無い頁.md)に知らせること。"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with long lines, wide letters, a long description and rules with long names."""
    files = {
        "AGENTS.md": f"Use tabs.\n{LONG}\n{WIDE}\n",
        "CLAUDE.md": "Read @.cursor/rules/a-rule-with-quite-a-long-name-about-moorings.mdc first.\n",
        ".cursor/rules/a-rule-with-quite-a-long-name-about-moorings.mdc": "---\nalwaysApply: true\n---\nMoor.\n",
        ".claude/skills/tides/SKILL.md": f"---\nname: tides\ndescription: {'Looks up the tide. ' * 12}\n---\nBody.\n",
    }
    for name, text in files.items():
        path = tmp_path / "p" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "p/.git").mkdir()
    (tmp_path / "home").mkdir()
    return tmp_path / "p"


@pytest.mark.slow
@pytest.mark.parametrize("words", SCREENS, ids=" ".join)
def test_no_line_is_wider_than_the_terminal(
    project: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From 40 columns on, in letters of one and two columns; the mark below a line is where its fault is shown."""
    monkeypatch.chdir(project)
    monkeypatch.setenv("HOME", str(project.parent / "home"))
    for columns in COLUMNS:
        said = plain(on_a_terminal(*words, columns=columns))
        assert said and "Traceback" not in said
        assert not [line for line in said.split("\n") if width(line) > columns], (columns, said)
        if words == ("check",):
            lines = said.split("\n")
            for at, line in enumerate(lines):
                if line.endswith("| " + " " * (len(line.partition("| ")[2]) - 1) + "^"):
                    assert width(lines[at - 1]) >= width(line)


MAY_ALL = "dac_override,-dac_read_search"
SETPRIV = ["setpriv", f"--bounding-set=-{MAY_ALL}", f"--inh-caps=-{MAY_ALL}"] if os.geteuid() == 0 else []
"""Root may read and write everywhere, unless that is taken away."""


@pytest.mark.slow(unless=("", "agents", "check", "build"))
@pytest.mark.skipif(bool(SETPRIV) and not shutil.which("setpriv"), reason="root writes to every folder")
@pytest.mark.parametrize(
    "words", [(), ("agents",), ("check",), ("agents", "--skills"), ("tap", "list"), ("build",)], ids=" ".join
)
def test_a_read_only_project_and_a_locked_home_stop_no_screen(project: Path, words: tuple[str, ...]) -> None:
    """What can't be written is not needed, a home that may not be entered is passed over; `check` finds the links."""
    home = project.parent / "home"
    (home / ".config").mkdir()
    folders = [project, *(path for path in project.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    home.chmod(0o000)
    try:
        command = [*SETPRIV, sys.executable, "-m", "overture", *words]
        environment = {**os.environ, "HOME": str(home)}
        done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=120)
        assert (done.returncode, "Traceback" in done.stderr) == (int(words == ("check",)), False), done.stderr
        assert done.stdout
    finally:
        for path in (*folders, home):
            path.chmod(0o755)

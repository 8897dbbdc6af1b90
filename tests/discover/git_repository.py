"""Real git repositories for tests: made without anybody's settings, on a fixed day."""

import os
import subprocess
from pathlib import Path

QUIET = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2026-01-01T12:00:00Z",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_COMMITTER_DATE": "2026-01-01T12:00:00Z",
}


def git(folder: Path, *words: str) -> str:
    """Run git there, as somebody without settings of their own."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | QUIET
    done = subprocess.run(["git", *words], cwd=folder, env=environment, check=True, capture_output=True)
    return done.stdout.decode()


def repository(folder: Path, *subjects: str) -> Path:
    """A repository on branch main with a commit for each subject, each of which changes `a.txt`."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    for number, subject in enumerate(subjects):
        (folder / "a.txt").write_text(f"{number}\n")
        git(folder, "add", "a.txt")
        git(folder, "commit", "-q", "--allow-empty-message", "--cleanup=verbatim", "-m", subject)
    return folder

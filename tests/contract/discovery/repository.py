"""Real repositories of git in a temporary folder, made by nobody in particular and always at the same time."""

import os
import subprocess
from pathlib import Path

from .disk import put

WHO = {
    **{f"GIT_{who}_{what}": "Ada" if what == "NAME" else "ada@example.com" for who in ("AUTHOR", "COMMITTER")
       for what in ("NAME", "EMAIL")},
    "GIT_AUTHOR_DATE": "2026-01-01T12:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T12:00:00Z",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}  # fmt: skip


def git(folder: Path, *words: str | Path) -> str:
    """What git says in a folder, to somebody without settings of their own."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-c", "protocol.file.allow=always", *words]
    done = subprocess.run(command, cwd=folder, env={**others, **WHO}, capture_output=True, text=True, check=True)
    return done.stdout.strip()


class Repo:
    """A repository in a folder: `Repo(tmp_path).commit("First", {"AGENTS.md": "Use tabs."})`."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", *words)

    def git(self, *words: str | Path) -> str:
        """What git says."""
        return git(self.folder, *words)

    def write(self, files: dict[str, str | bytes | None]) -> None:
        """Files by their paths; None takes one away."""
        for path, text in files.items():
            if text is None:
                (self.folder / path).unlink()
            else:
                put(self.folder / path, text)

    def commit(self, subject: str, files: dict[str, str | bytes | None] | None = None) -> str:
        """Commit everything that is there; its hash."""
        self.write(files or {})
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", subject)
        return self.git("rev-parse", "HEAD")

"""Repositories of a world, made by git itself before there is any file: a worktree wants an empty folder."""

import os
import subprocess
from pathlib import Path
from typing import Literal, NamedTuple

AUTHOR = {"NAME": "lab", "EMAIL": "lab@example.invalid", "DATE": "2025-01-01T00:00:00Z"}
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
Kind = Literal["plain", "bare", "worktree", "submodule"]


class Repository(NamedTuple):
    """A repository at a path; a worktree and a submodule belong to another."""

    kind: Kind
    path: str
    of: str = ""


def make_repository(folder: Path, repository: Repository) -> None:
    """Make it, with one empty commit: some agents know a project by its first commit."""
    top, owner = folder / repository.path, folder / repository.of
    if repository.kind == "worktree":
        run_git(owner, f"worktree add --quiet -b {repository.path.replace('/', '-')} {top}")
        return
    top.mkdir(parents=True, exist_ok=True)
    run_git(top, "init --quiet --template=" + (" --bare" if repository.kind == "bare" else ""))
    if repository.kind == "bare":
        run_git(top, "hash-object -w -t tree /dev/null")
        run_git(top, f"update-ref refs/heads/main {run_git(top, f'commit-tree -m lab {EMPTY_TREE}')}")
        return
    run_git(top, "commit --quiet --allow-empty --message=lab")
    if repository.kind == "submodule":
        name = os.path.relpath(top, owner)
        for line in (f"submodule --quiet add ./{name} {name}", f"submodule --quiet absorbgitdirs {name}"):
            run_git(owner, line)
        run_git(owner, "commit --quiet --message=lab")


def run_git(top: Path, line: str) -> str:
    """Run git as nobody in particular, at a fixed time."""
    env = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in AUTHOR.items()}
    env |= {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-c", "init.defaultBranch=main", "-c", "gc.auto=0", *line.split()]
    return subprocess.run(command, cwd=top, env=env, check=True, capture_output=True, text=True).stdout.strip()

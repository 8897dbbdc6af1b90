"""The tests of what is changed here and not committed, for `make quick`: `tests/` mirrors the tree by names."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

PROJECT = Path(__file__).parents[1]


def affected(changed: Iterable[str], tests: Iterable[str]) -> list[str]:
    """Those of `tests` that are changed themselves, or that are named after a file that is."""
    changed = set(changed)
    named = {f"test_{PurePosixPath(path).stem}.py" for path in changed if path.startswith("src/")}
    return sorted(path for path in tests if path in changed or PurePosixPath(path).name in named)


def changed_files() -> list[str]:
    """The files that differ from the last commit, and those that git does not know yet; none where there is no git."""
    command = ["git", "status", "--porcelain", "--untracked-files=all", "--no-renames"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    return [line[3:] for line in done.stdout.splitlines()]


def main() -> None:
    """Print them on one line."""
    tests = [path.relative_to(PROJECT).as_posix() for path in (PROJECT / "tests").rglob("test_*.py")]
    sys.stdout.write(" ".join(affected(changed_files(), tests)) + "\n")


if __name__ == "__main__":
    main()

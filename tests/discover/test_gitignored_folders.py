"""A folder is ignored if git ignores it."""

import subprocess
from pathlib import Path

import pytest

from overture.discover.disk.file_reader import FileReader
from overture.discover.disk.real_world import RealWorld
from overture.discover.disk.search_scope import SearchScope
from overture.discover.instructions.list_step_paths import is_folder_gitignored

FOLDERS = ("a", "a/b", "a/b/c", "a/keep", "a/keep/c", "pkg", "pkg/a", "pkg/a/b", "pkg/a/keep", "pkg/docs/c")
TREES = (
    {"": "b/\n"},
    {"": "/a\n"},
    {"": "pkg/a/\n"},
    {"": "a/\n!a/keep/\n"},
    {"": "a/*\n!a/keep/\n"},
    {"": "a/**\n!a/keep\n"},
    {"": "!a/\na/\n"},
    {"": "a/\n!a/\n"},
    {"": "*\n!pkg\n!pkg/a/\n"},
    {"": "a/\n", "pkg": "!a/\n"},
    {"": "a\n", "pkg": "!a\nb/\n"},
    {"": "!b\n", "a": "b\n"},
    {"": "c/\n", "a/b": "!c\n"},
    {"a": "/c\nkeep/c/\n", "pkg": "/a/b\n**/c\n"},
    {"": "pkg/\n", "pkg": "!a\n"},
)


@pytest.mark.parametrize("ignored", TREES)
@pytest.mark.parametrize("cwd", ["", "pkg"])
def test_a_folder_is_ignored_as_git_says(tmp_path: Path, ignored: dict[str, str], cwd: str) -> None:
    """A deeper file overrides, the last line counts, and nothing below an ignored folder comes back."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for folder in FOLDERS:
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    for folder, lines in ignored.items():
        (tmp_path / folder / ".gitignore").write_text(lines)
    below = [folder for folder in FOLDERS if folder.startswith(cwd) and folder != cwd]
    command = ["git", "-C", str(tmp_path), "check-ignore", *below]
    expected = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    above = [str(tmp_path), *([str(tmp_path / cwd)] if cwd else [])]
    reader, scope = FileReader(RealWorld(), False, (), {}), SearchScope(above, str(tmp_path), "/")
    assert [each for each in below if is_folder_gitignored(reader, scope, f"{tmp_path}/{each}")] == expected

"""What is not installed is said in one line, before anything is started or recorded."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..cli.run import assert_refused

BLOCKER = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocked())
"""


def without(folder: Path, names: tuple[str, ...], *words: str) -> "subprocess.CompletedProcess[str]":
    """A command in an environment that has none of these packages."""
    code = f"{BLOCKER.format(names=names)}\nfrom overture.cli.main import main\nsys.argv[0] = 'overture'\nmain()"
    environ = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder / "data")}
    line = [sys.executable, "-c", code, "tap", *words]
    return subprocess.run(line, cwd=folder, env=environ, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("h11", ("--", "touch", "started"), "needs h11: pip install 'overture[tap]'"),
        ("h11", ("--listen",), "needs h11: pip install 'overture[tap]'"),
        ("cryptography", ("--forward", "--", "touch", "started"), "cryptography: pip install 'overture[tap]'"),
        ("cryptography", ("--listen", "--forward"), "cryptography: pip install 'overture[tap]'"),
        ("psycopg", ("--store", "postgresql://ada@db/team", "--", "touch", "started"), "'overture[postgres]'"),
        ("psycopg", ("report", "--store", "postgresql://ada@db/team"), "pip install 'overture[postgres]'"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, name: str, words: tuple[str, ...], said: str) -> None:
    """Exit code 2, one line that names what to install; the program is not started, and no record is begun."""
    assert_refused(without(tmp_path, (name,), *words), name, said)
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_needed_is_not_asked_for(tmp_path: Path) -> None:
    """By its base URL a program is tapped without a certificate; bodies that can't be unpacked need nothing."""
    done = without(tmp_path, ("cryptography", "psycopg", "brotli", "backports"), "--", "touch", "started")
    assert (done.returncode, (tmp_path / "started").exists()) == (0, True)

"""What is not installed is said in one line; the program runs with what there is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ...cli.run import assert_refused

pytestmark = pytest.mark.slow


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
        ("h11", ("--dry-run", "--", "touch", "started"), "hint: pip install 'overture[tap]'"),
        (
            "h11",
            ("--upstream", "http://localhost:1", "--", "touch", "started"),
            "needs a package that is not installed: h11",
        ),
        ("h11", ("--listen",), "hint: pip install 'overture[tap]'"),
        ("cryptography", ("--listen", "--forward"), "not installed: cryptography\nhint: pip install 'overture[tap]'"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, name: str, words: tuple[str, ...], said: str) -> None:
    """Exit code 2, one line that names what to install. What was to ask elsewhere does not ask its provider."""
    assert_refused(without(tmp_path, (name,), *words), name, said)
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("h11", (), "runs without the tap, and nothing is recorded: The tap needs h11: pip install 'overture[tap]'"),
        ("wsproto", (), "runs without the tap, and nothing is recorded: The tap needs wsproto"),
        ("cryptography", ("--forward",), "pip install 'overture[tap]'. Continuing at port"),
    ],
)
def test_the_program_runs_without_what_is_missing(tmp_path: Path, name: str, words: tuple[str, ...], said: str) -> None:
    """A line names what to install, and the exit code is the program's."""
    done = without(tmp_path, (name,), *words, "--", "sh", "-c", "touch started; exit 7")
    assert (done.returncode, (tmp_path / "started").exists()) == (7, True)
    assert sum(said in line for line in done.stderr.splitlines()) == 1


def test_what_is_not_needed_is_not_asked_for(tmp_path: Path) -> None:
    """By its base URL a program is tapped without a certificate; bodies that can't be unpacked need nothing."""
    done = without(tmp_path, ("cryptography", "brotli", "backports"), "--", "touch", "started")
    assert (done.returncode, (tmp_path / "started").exists()) == (0, True)

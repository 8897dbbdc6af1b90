"""Compiled patterns are stored beside the bytecode, and whatever is stored there, a command prints the same."""

import json
import marshal
import os
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

from overture.cli import stored_patterns
from overture.cli.stored_patterns import find_pattern_file, read_patterns, write_patterns
from overture.text import lazy_pattern
from overture.text.lazy_pattern import write_program

HARBOR = Path(__file__).parents[2] / "examples" / "harbor"
KEY = (r"(?P<stored>stor(?:ed|able))", 2)
COUNT = """
import json, re._compiler, sys
compiled, compile = [], re._compiler.compile
re._compiler.compile = lambda pattern, *more: compiled.append(pattern) or compile(pattern, *more)
sys.argv = ["overture", "check", "--json"]
from overture.cli.main import main
try:
    main()
finally:
    print(json.dumps(len(compiled)), file=sys.stderr)
"""


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> dict[object, object]:
    """An empty table of programs, for this test alone."""
    table: dict[object, object] = {}
    for module in (lazy_pattern, stored_patterns):
        monkeypatch.setattr(module, "PROGRAMS", table)
        monkeypatch.setattr(module, "COMPILED", [KEY])
    return table


def check_harbor(bytecode: Path, **environment: str) -> tuple[str, int]:
    """What `check` prints with its bytecode in that folder, and how many patterns it compiled."""
    done = subprocess.run(
        [sys.executable, "-c", COUNT],
        cwd=HARBOR,
        env={**os.environ, "PYTHONPYCACHEPREFIX": str(bytecode), "PYTHONDONTWRITEBYTECODE": "", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout, json.loads(done.stderr.splitlines()[-1])


def test_a_second_command_compiles_none_of_ours(tmp_path: Path) -> None:
    """It prints the same; with the cache switched off, nothing is stored, and all are compiled."""
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": "", "XDG_STATE_HOME": ""}
    plain, all_patterns = check_harbor(tmp_path / "pyc", **home, OVERTURE_CACHE="off")
    assert not list(tmp_path.rglob("*.patterns"))
    first, _ = check_harbor(tmp_path / "pyc", **home, OVERTURE_CACHE="")
    (file,) = tmp_path.rglob("*.patterns")
    # On a terminal of another width the command runs, and does not print its output of before.
    second, compiled = check_harbor(tmp_path / "pyc", **home, OVERTURE_CACHE="", COLUMNS="99")
    assert plain == first == second
    assert compiled < all_patterns / 2
    file.write_bytes(b"no patterns")
    broken, compiled = check_harbor(tmp_path / "pyc", **home, OVERTURE_CACHE="", COLUMNS="98")
    assert broken == plain and compiled > all_patterns / 2


def test_what_is_written_is_read(tmp_path: Path, programs: dict[object, object]) -> None:
    """The program of each pattern that was compiled, and those that were there."""
    path = str(tmp_path / "file.patterns")
    write_patterns(path)
    read_patterns(path)
    assert programs == {KEY: write_program(*KEY)}
    assert Path(path).stat().st_mode & 0o777 == 0o644
    programs["other", 0] = write_program("other", 0)
    write_patterns(path)
    programs.clear()
    read_patterns(path)
    assert programs.keys() == {KEY, ("other", 0)}


def make_file(version: str, programs: Any) -> bytes:
    """A file with a checksum that is right."""
    data = marshal.dumps((version, programs))
    return zlib.crc32(data).to_bytes(4, "big") + data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 4,
        b"no checksum at all",
        make_file("2.7", [(KEY, tuple(write_program(*KEY)))]),
        make_file(sys.version, [(KEY, (1, 2))]),
        make_file(sys.version, 7),
        zlib.crc32(b"x").to_bytes(4, "big") + b"x",
    ],
)
def test_a_file_that_is_none_of_ours_has_no_programs(
    data: bytes, tmp_path: Path, programs: dict[object, object]
) -> None:
    """Broken, of another Python, or nonsense."""
    path = tmp_path / "file.patterns"
    path.write_bytes(data)
    read_patterns(str(path))
    assert programs == {}


def test_a_folder_that_cannot_be_written_is_left_alone(tmp_path: Path, programs: dict[object, object]) -> None:
    """Nothing raises where bytecode can't lie, or where there is no folder."""
    (tmp_path / "file").write_text("")
    write_patterns(str(tmp_path / "file" / "x.patterns"))
    read_patterns(str(tmp_path / "file" / "x.patterns"))
    assert programs == {} and [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_python_that_compiles_in_another_way_stores_nothing(
    tmp_path: Path, programs: dict[object, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The functions of `re` that write a program are private, and may go."""
    monkeypatch.delattr("re._compiler._code")
    write_patterns(str(tmp_path / "x"))
    assert not list(tmp_path.iterdir()) and programs == {}


def test_programs_of_earlier_versions_do_not_pile_up(
    tmp_path: Path, programs: dict[object, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over a limit, only what this command compiled is kept."""
    monkeypatch.setattr(stored_patterns, "MAX_PROGRAMS", 2)
    programs.update({(name, 0): write_program(name, 0) for name in "ab"})
    write_patterns(str(tmp_path / "x"))
    programs.clear()
    read_patterns(str(tmp_path / "x"))
    assert programs.keys() == {KEY}


def test_nothing_is_stored_where_the_cache_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """As all else that is kept between runs."""
    monkeypatch.setenv("OVERTURE_CACHE", "off")
    assert find_pattern_file() is None
    monkeypatch.setenv("OVERTURE_CACHE", "on")
    path = find_pattern_file()
    assert path is not None and path.endswith(".patterns") and "__pycache__" in path

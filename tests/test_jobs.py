"""Chunks run in several processes: each once, few at a time, and a process that dies costs one more try."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from overture.errors import OvertureError
from overture.jobs import run_chunks


def begin(factor: int) -> int:
    return factor


def multiply(factor: int, chunk: int) -> int:
    return factor * chunk


def die_once(folder: str, chunk: int) -> int:
    """Chunk 3 ends its process by force, the first time."""
    if chunk == 3 and not os.path.exists(f"{folder}/died"):
        Path(f"{folder}/died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return chunk


def die(folder: str, chunk: int) -> int:
    if chunk == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return chunk


def report_process(folder: str, chunk: int) -> int:
    """The id of its process, which goes on for as long as the file is missing."""
    Path(f"{folder}/{os.getpid()}").touch()
    while not os.path.exists(f"{folder}/end"):
        time.sleep(0.01)
    return os.getpid()


def folder_name(path: str) -> str:
    return path


@pytest.mark.parametrize("processes", [1, 2, None])
def test_each_chunk_is_done_once(processes: int | None) -> None:
    """Whatever the number of processes, the results are the same; by default there is one per core."""
    results = dict(run_chunks(multiply, partial(begin, 10), ((n, n) for n in range(9)), processes))
    assert results == {n: 10 * n for n in range(9)}


def test_a_chunk_whose_process_dies_is_tried_again(tmp_path: Path) -> None:
    """Every chunk is there exactly once."""
    found = list(run_chunks(die_once, partial(folder_name, str(tmp_path)), ((n, n) for n in range(8)), 2))
    assert sorted(found) == [(n, n) for n in range(8)]
    assert (tmp_path / "died").exists()


@pytest.mark.slow
def test_a_chunk_that_ends_its_process_twice_is_named(tmp_path: Path) -> None:
    """The error says which one, and how to go on."""
    with pytest.raises(OvertureError, match=r"Chunk 3 ended its process twice.*--resume"):
        list(run_chunks(die, partial(folder_name, str(tmp_path)), ((n, n) for n in range(8)), 2))


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_for(folder: Path, count: int) -> list[int]:
    while len(list(folder.iterdir())) < count:
        time.sleep(0.01)
    return [int(path.name) for path in folder.iterdir()]


KILLED = """
import sys
from functools import partial
from tests.test_jobs import folder_name, report_process
from overture.jobs import run_chunks
if __name__ == "__main__":
    list(run_chunks(report_process, partial(folder_name, sys.argv[1]), [(0, 0), (1, 1)], 2))
"""


@pytest.mark.slow
def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    """After kill -9 nobody goes on writing."""
    script = tmp_path / "script.py"
    script.write_text(KILLED)
    folder = tmp_path / "folder"
    folder.mkdir()
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join((os.getcwd(), os.environ.get("PYTHONPATH", "")))}
    with subprocess.Popen([sys.executable, str(script), str(folder)], env=environ) as process:
        workers = wait_for(folder, 2)
        process.kill()
    while any(map(is_running, workers)):
        time.sleep(0.01)

"""One run at a time writes an output folder, and another one goes on where it stopped."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from overture.discover.job_folder import Job, open_output, read_job, replace_output
from overture.errors import ConfigError

JOB = Job("batch", {"rows": "rows.jsonl", "provider": "openai"})


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_a_folder_is_made_and_names_its_job(tmp_path: Path) -> None:
    """Missing folders are made; job.json is there from the start, and says when all is done."""
    path = str(tmp_path / "a" / "b")
    with open_output(path, JOB, resume=False) as folder:
        assert read_job(path) == JOB
        folder.write("results.txt", b"x")
        folder.finish()
    assert names(tmp_path / "a" / "b") == ["job.json", "results.txt"]
    found = read_job(path)
    assert found is not None and found.finished and found.facts == JOB.facts


def test_other_content_is_refused(tmp_path: Path) -> None:
    """A folder that holds anything else stays as it is; what a killed process left in a draft is no content."""
    (tmp_path / ".overture-0-0.tmp").write_text("")
    with open_output(str(tmp_path), JOB, resume=False):
        pass
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("mine")
    with pytest.raises(ConfigError, match=r"has other content: thesis\.txt.* another folder"):
        open_output(str(other), JOB, resume=True).__enter__()
    assert names(other) == ["thesis.txt"]


def test_a_foreign_job_file_is_refused(tmp_path: Path) -> None:
    """A job.json that somebody else wrote is other content, whatever it holds."""
    (tmp_path / "job.json").write_text("[1]")
    with pytest.raises(ConfigError, match="is not a file of Overture"):
        open_output(str(tmp_path), JOB, resume=True).__enter__()


def test_a_second_run_on_the_same_folder_fails(tmp_path: Path) -> None:
    """While a run holds the folder, another fails at once and names it; when it has ended, the folder is free."""
    path = str(tmp_path / "out")
    with open_output(path, JOB, resume=False), pytest.raises(ConfigError, match="out' is in use by another run"):
        open_output(path, JOB, resume=True).__enter__()
    with open_output(path, JOB, resume=True):
        pass


def test_an_unfinished_job_needs_resume(tmp_path: Path) -> None:
    """Without it the error says so; with it, and the same job, the folder is open again."""
    path = str(tmp_path)
    with open_output(path, JOB, resume=False):
        pass
    with pytest.raises(ConfigError, match=r"unfinished run of `overture batch`.*--resume"):
        open_output(path, JOB, resume=False).__enter__()
    with open_output(path, JOB, resume=True) as folder:
        assert not folder.job.finished


def test_another_job_cannot_resume(tmp_path: Path) -> None:
    """The error names what differs, before and now."""
    path = str(tmp_path)
    with open_output(path, JOB, resume=False):
        pass
    other = Job("batch", {"rows": "rows.jsonl", "provider": "gemini"}, version="0")
    with pytest.raises(ConfigError, match=r"provider: 'openai' before, 'gemini' now; version: '.*' before, '0' now"):
        open_output(path, other, resume=True).__enter__()


def test_a_finished_job_is_replaced_only_where_that_is_asked_for(tmp_path: Path) -> None:
    """`rerun` takes the folder of a finished job of the same command over, and of no other."""
    path = str(tmp_path)
    with open_output(path, JOB, resume=False) as folder:
        (tmp_path / "parts").mkdir()
        folder.finish()
    assert names(tmp_path) == ["job.json"]
    with open_output(path, JOB, resume=True) as folder:
        assert folder.job.finished
    with pytest.raises(ConfigError, match="has other content"):
        open_output(path, JOB, resume=False).__enter__()
    with pytest.raises(ConfigError, match="has other content"):
        open_output(path, Job("audit", {}), resume=False, rerun=True).__enter__()
    with open_output(path, Job("batch", {}), resume=False, rerun=True) as folder:
        assert not folder.job.finished
    assert read_job(path) == Job("batch", {})


def test_a_file_in_place_of_a_folder_is_an_error(tmp_path: Path) -> None:
    """It can't hold results."""
    (tmp_path / "out").write_text("")
    with pytest.raises(ConfigError, match="can't be written: not a directory"):
        open_output(str(tmp_path / "out"), JOB, resume=False).__enter__()


FULL = """
import os, sys
from overture.errors import ConfigError
from overture.discover.job_folder import Job, open_output
with open_output(sys.argv[1] + "/out", Job("batch", {}), resume=False) as folder:
    folder.write("first", b"whole")
    try:
        folder.write("second", b"x" * 1_000_000)
    except ConfigError as problem:
        print(problem.message, problem.hint, sorted(os.listdir(sys.argv[1] + "/out")))
"""


def test_a_full_disk_is_an_error_and_leaves_whole_files(tmp_path: Path) -> None:
    """On a disk of 64 kB: the error says what to do, what was written stays, and nothing half has a final name."""
    mount = 'mount -t tmpfs -o size=64k none "$1" && exec "$2" -c "$3" "$1"'
    line = ["unshare", "-rm", "sh", "-c", mount, "sh", str(tmp_path), sys.executable, FULL]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    if "Traceback" not in done.stderr and done.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    assert "can't be written: no space left on device. Fix that" in done.stdout, done.stderr
    assert "['first', 'job.json']" in done.stdout


def test_a_block_that_fails_leaves_no_file(tmp_path: Path) -> None:
    """What is written piece by piece appears whole or not at all."""
    with pytest.raises(RuntimeError), replace_output(str(tmp_path / "parts" / "file")) as file:
        file.write(b"half")
        raise RuntimeError
    assert names(tmp_path / "parts") == []


def test_a_job_file_that_is_a_pipe(tmp_path: Path) -> None:
    """Nobody waits for a writer."""
    os.mkfifo(tmp_path / "job.json")
    with pytest.raises(ConfigError, match="is not a file of Overture: it is not a regular file"):
        read_job(str(tmp_path))

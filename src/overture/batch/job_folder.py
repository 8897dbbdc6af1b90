"""The folder that one run of a long job writes: claimed while it runs, resumed after an interruption.

`job.json` names the folder's job. A job that was killed leaves whole files and a `job.json` that is not
finished; the same job goes on there with `--resume`.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO

import msgspec
from msgspec.structs import asdict, replace

from ..discovery.files import MAX_FILE_BYTES, read_file
from ..discovery.write_file import make_folders, open_replacement, take_lock
from ..errors import ConfigError, explain_write_errors, show_value
from ..model.struct import Frozen
from ..version import __version__

JOB_FILE = "job.json"
PARTS = "parts"
"""The folder in it that only an unfinished job needs."""
DRAFT_PREFIX = ".overture-"
"""How a file is called while it is written; one of a killed process may still be there."""
WRITE_HINT = "Fix that, then run the same command again; with `--resume` if it had begun to write to `--out`."


class Job(Frozen, frozen=True):
    """The inputs of a folder's results: two runs of equal jobs write the same files."""

    command: str
    facts: dict[str, Any]
    """Inputs and options that change the result, by name. The number of processes does not."""
    version: str = __version__
    finished: bool = False

    def encode(self) -> bytes:
        """The job as JSON; the standard library writes and reads also paths that are not UTF-8."""
        return json.dumps(asdict(self), indent=1, default=msgspec.to_builtins).encode() + b"\n"


class OutputFolder:
    """A folder that this process alone writes, for as long as the block of `open_output` lasts."""

    def __init__(self, path: str, job: Job) -> None:
        self.path, self.job = path, job

    def locate(self, name: str) -> str:
        """The path of a file in the job's folder."""
        return os.path.join(self.path, name)

    def write(self, name: str, data: bytes) -> None:
        """Write a file into the job's folder, whole or not at all."""
        with replace_output(self.locate(name)) as file:
            file.write(data)

    def read(self, name: str) -> bytes:
        """The content of a file in the job's folder."""
        with open(self.locate(name), "rb") as file:  # noqa: PTH123
            return file.read()

    def note_job(self, job: Job) -> None:
        """Write down which job the folder belongs to."""
        self.job = job
        self.write(JOB_FILE, job.encode())

    def finish(self) -> None:
        """Note that the job is done, then remove its parts."""
        self.note_job(replace(self.job, finished=True))
        shutil.rmtree(self.locate(PARTS), ignore_errors=True)


@contextmanager
def open_output(path: str, job: Job, *, resume: bool) -> Iterator[OutputFolder]:
    """Claim a folder for a job; one that is missing is made. What an earlier run has finished is in its `job`.

    A second run on it, other content, an unfinished job without `resume` and another job with it are each a
    ConfigError.
    """
    with explain_write_errors(path, WRITE_HINT):
        make_folders(path, 0o777)
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):  # a disk without locks
            if not take_lock(handle, wait=False):
                hint = "Wait until it has finished, or use another folder."
                raise ConfigError(f"{path!r} is in use by another run.", hint=hint)
        earlier = read_job(path)
        folder = OutputFolder(path, earlier or job)
        if earlier is None or not resume:
            _refuse_content(earlier, path)
            folder.note_job(job)
        else:
            _refuse_other_job(earlier, job, path)
        yield folder
    finally:
        os.close(handle)


def read_job(path: str) -> Job | None:
    """The job that a folder belongs to; None if it has none."""
    name = os.path.join(path, JOB_FILE)
    try:
        return msgspec.convert(json.loads(read_file(name, MAX_FILE_BYTES)), Job)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, RecursionError) as problem:
        raise ConfigError(f"{name!r} is not a file of Overture: {problem}.", hint="Use another folder.") from None


@contextmanager
def replace_output(path: str, *, durable: bool = True) -> Iterator[BinaryIO]:
    """A file that exists when the block ends, whole or not at all; missing folders are created."""
    with explain_write_errors(path, WRITE_HINT), open_replacement(path, folders=0o777, durable=durable) as file:
        yield file


def _refuse_content(earlier: Job | None, path: str) -> None:
    """A new job needs an empty folder: results are never mixed with anything else."""
    if earlier is not None and not earlier.finished:
        what, hint = f"an unfinished run of `overture {earlier.command}`", "Go on with `--resume`, or use"
    else:
        names = sorted(name for name in os.listdir(path) if not name.startswith(DRAFT_PREFIX))
        if not names:
            return
        what, hint = f"other content: {', '.join(names[:5])}", "Use"
    raise ConfigError(f"{path!r} has {what}.", hint=f"{hint} another folder.")


def _refuse_other_job(earlier: Job, job: Job, path: str) -> None:
    """Only the same job goes on; the error names each value that differs, as JSON has it."""
    jobs = (earlier, msgspec.convert(json.loads(job.encode()), Job))
    before, now = ({**each.facts, "command": each.command, "version": each.version} for each in jobs)
    names = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
    values = [f"{name}: {show_value(before.get(name))} before, {show_value(now.get(name))} now" for name in names]
    if values:
        hint = "Run the command that began it, or use another folder."
        raise ConfigError(f"{path!r} belongs to another job.", cause=f"{'; '.join(values)}.", hint=hint)

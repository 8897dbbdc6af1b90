"""Only regular files are read, and none beyond its limit."""

import os
import sys
from pathlib import Path

import pytest

from overture.discover.disk.open_file import TooLargeError
from overture.discover.disk.real_world import RealWorld
from overture.discover.disk.world import MAX_FILE_BYTES


@pytest.mark.parametrize("kind", ["fifo", "folder", "device"])
def test_what_is_no_regular_file_is_refused_at_once(kind: str, tmp_path: Path) -> None:
    """A FIFO does not hang, a folder and a device are not read."""
    path = Path(os.path.realpath(tmp_path)) / "x"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path = Path("/dev/null")
    with pytest.raises(OSError, match=r"regular file|directory"):
        RealWorld().read_most(str(path), MAX_FILE_BYTES)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc")
def test_a_file_that_hides_its_size_is_read_no_further_than_its_limit() -> None:
    """/proc says 0 bytes of each file: the limit counts what comes."""
    with pytest.raises(TooLargeError):
        RealWorld().read_most("/proc/cpuinfo", 10)

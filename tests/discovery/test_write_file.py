"""Files are written whole or not at all, into the real folder, and through no link."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from overture.discovery.files import OutsideError
from overture.discovery.write_file import open_replacement, remove_file, write_file, write_link


def names(folder: Path) -> list[str]:
    """What is left in a folder."""
    return sorted(os.listdir(folder))


def test_a_link_is_replaced_and_never_followed(tmp_path: Path) -> None:
    """The file that it leads to stays as it is."""
    (tmp_path / "out").write_text("theirs")
    (tmp_path / "file").symlink_to("out")
    write_file(str(tmp_path / "file"), b"ours")
    assert (tmp_path / "out").read_text() == "theirs"
    assert not (tmp_path / "file").is_symlink()
    assert (tmp_path / "file").read_text() == "ours"


@pytest.mark.parametrize("kind", ["file", "link", "nothing"])
def test_a_new_file_takes_the_place_of_nothing(tmp_path: Path, kind: str) -> None:
    """A file, and a link even to nothing, is there already."""
    path = tmp_path / "file"
    if kind == "file":
        path.write_text("theirs")
    else:
        path.symlink_to("missing" if kind == "nothing" else "/etc/hostname")
    with pytest.raises(FileExistsError):
        write_file(str(path), b"ours", new=True)
    assert names(tmp_path) == ["file"]


def test_a_folder_that_is_a_link_out_is_not_written_into(tmp_path: Path) -> None:
    """Neither a file, nor a link, nor a removal goes through it."""
    for name in ("project", "out"):
        (tmp_path / name).mkdir()
    (tmp_path / "out/kept").write_text("theirs")
    (tmp_path / "project/docs").symlink_to("../out")
    inside = str(tmp_path / "project")
    with pytest.raises(OutsideError):
        write_file(f"{inside}/docs/new", b"ours", within=inside)
    with pytest.raises(OutsideError):
        write_link(f"{inside}/docs/new", "x", within=inside)
    with pytest.raises(OutsideError):
        remove_file(f"{inside}/docs/kept", within=inside)
    assert names(tmp_path / "out") == ["kept"]


def test_nobody_can_read_a_private_file_while_it_is_written(tmp_path: Path) -> None:
    """Also where the mode is that of the old file."""
    path = tmp_path / "AGENTS.md"
    path.write_bytes(b"old")
    path.chmod(0o600)
    with open_replacement(str(path)) as file:
        assert os.fstat(file.fileno()).st_mode & 0o777 == 0o600


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    """The old text stays, and no draft."""
    path = tmp_path / "file"
    path.write_text("old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            write_file(str(path), b"x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file"]


FULL = """
import os, sys
from overture.discovery.write_file import write_file
path = sys.argv[1] + "/file"
write_file(path, b"old")
for data, new in ((b"x" * 100_000, False), (b"x" * 100_000, True)):
    try:
        write_file(path + "2" * new, data, new=new)
    except OSError as problem:
        print(problem.errno, os.listdir(sys.argv[1]), open(path).read())
"""


def test_a_pipe_is_written_to_as_it_is(tmp_path: Path) -> None:
    """Nothing takes the place of what others read from."""
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE) as reader:
        write_file(str(tmp_path / "pipe"), b"text")
        assert reader.stdout is not None
        assert reader.stdout.read() == b"text"
    assert names(tmp_path) == ["pipe"]


@pytest.mark.slow
def test_many_processes_that_trust_at_once_lose_no_approval(tmp_path: Path) -> None:
    """Each approves a project of its own, and all of them are remembered."""
    home = tmp_path / "home"
    home.mkdir()
    projects = [tmp_path / f"p{number}" for number in range(6)]
    for project in projects:
        project.mkdir()
        (project / "overture.toml").write_text("features.git.enabled = true\n")
    words = ["-m", "overture", "trust", "--yes", "--json", "--home", str(home)]
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    running = [
        subprocess.Popen([sys.executable, *words, str(each)], env=environment, stdout=subprocess.DEVNULL)
        for each in projects
    ]
    started = time.monotonic()
    assert [each.wait(max(1, 300 - (time.monotonic() - started))) for each in running] == [0] * len(projects)
    kept = json.loads((tmp_path / "state/overture/trust.json").read_text())
    assert sorted(kept["settings"]) == sorted(str(project / "overture.toml") for project in projects)

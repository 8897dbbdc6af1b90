"""A batch that is stopped leaves whole files, and goes on without doing a row twice."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from overture import Recipe, Section, State, load_models
from overture.batch.batch_files_and_manifest import finish_batch, order_parts
from overture.batch.build_rows import BatchSetup, PartFolder, RowBuilder, make_part
from overture.batch.columns_to_state import ColumnMap
from overture.batch.job_folder import Job, open_output
from overture.batch.row_files import Chunk
from tests.contract.batch.test_batch_command import OPENAI, batch, read_lines, requests, write_rows
from tests.contract.cli.forked import OVERTURE

ROWS = [{"id": f"{n}", "memories": [f"note {n}"], "message": f"m{n}"} for n in range(6_000)]
WORDS = ("batch", "house", "rows.jsonl", "--no-discover", *OPENAI, "--out", "out")


def start(folder: Path, *words: str, stderr: int = subprocess.PIPE) -> "subprocess.Popen[str]":
    line: list[str | Path] = [OVERTURE, *WORDS, *words]
    return subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=stderr, text=True, start_new_session=True)


def resume(folder: Path) -> "subprocess.CompletedProcess[str]":
    line: list[str | Path] = [OVERTURE, *WORDS, "--resume", "--processes", "1"]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)


def wait_for_parts(folder: Path, count: int, process: "subprocess.Popen[str]") -> None:
    while len(list(folder.glob("out/parts/*.part"))) < count:
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)


def assert_whole(folder: Path) -> None:
    """Every row is there exactly once, in order, and nothing else is."""
    assert [line["custom_id"] for line in requests(folder)] == [row["id"] for row in ROWS]
    assert json.loads((folder / "out/manifest.json").read_text())["built"] == len(ROWS)
    names = ["errors.jsonl", "job.json", "manifest.json", "requests-0001.jsonl"]
    assert sorted(path.name for path in (folder / "out").iterdir()) == names


@pytest.mark.slow
@pytest.mark.parametrize("processes", ["1", "2"])
def test_kill_9_and_resume(tmp_path: Path, processes: str) -> None:
    """What was done stays; the rest is made; the time is that of the first run."""
    write_rows(tmp_path, ROWS)
    with start(tmp_path, "--processes", processes) as process:
        wait_for_parts(tmp_path, 2, process)
        process.kill()
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.glob("out/parts/*.part")}
    assert not list(tmp_path.glob("out/requests-*")) and not (tmp_path / "out/manifest.json").exists()
    shutil.copytree(tmp_path / "out/parts", tmp_path / "before")
    refused = batch(tmp_path, "rows.jsonl", *OPENAI)
    assert refused.code == 2 and "--resume" in refused.err
    terminal, its_end = os.openpty()
    with start(tmp_path, "--processes", processes, "--resume", stderr=its_end) as process:
        process.communicate()
    os.close(its_end)
    told = os.read(terminal, 100_000).decode()
    os.close(terminal)
    assert process.returncode == 0, told
    assert_whole(tmp_path)
    done = int(told.partition("processed ")[2].partition(" rows")[0].replace(",", ""))
    assert done == len(ROWS) - 1_000 * len(kept)
    again = resume(tmp_path)
    assert (again.returncode, again.stderr) == (0, "note: out: all rows are done\n") and "6,000 prompts" in again.stdout


@pytest.mark.slow
def test_ctrl_c_says_how_to_go_on(tmp_path: Path) -> None:
    """Exit 130, one line on standard error, and no process is left."""
    write_rows(tmp_path, ROWS)
    with start(tmp_path, "--processes", "2") as process:
        wait_for_parts(tmp_path, 1, process)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
        _, told = process.communicate()
    assert process.returncode == 130
    line = f"go on with: overture {' '.join(WORDS)} --processes 2 --resume\n"
    assert told.startswith("note: Stopped after ") and told.endswith(line) and told.count("\n") == 1, told
    with pytest.raises(ProcessLookupError):
        while True:
            os.killpg(process.pid, 0)
            time.sleep(0.01)
    assert subprocess.run(
        [OVERTURE, *WORDS, "--resume", "--processes", "1"], cwd=tmp_path, capture_output=True, check=False
    ).returncode == 0  # fmt: skip
    assert_whole(tmp_path)


def test_parts_are_joined_while_others_are_made(tmp_path: Path) -> None:
    """Each is written once all before it are there; a run that stops in between leaves no file that is not whole."""
    columns = ColumnMap({"message": "message"}, "id")
    recipe = Recipe("one", (Section("hello", lambda: "Hello."),))
    builder = RowBuilder(
        BatchSetup(lambda: recipe, State(), columns, provider="openai", model="gpt-5.4", models=load_models())
    )
    parts, written = PartFolder(str(tmp_path)), list[int]()

    def make_parts(numbers: list[int]) -> Iterator[int]:
        for number in numbers:
            line = b'{"id": "%d", "message": "%s"}\n' % (number, b"x" * 100_000)
            parts.write(number, *make_part(builder, parts, Chunk(number + 1, line, 0.0)))
            yield number
            written.append(sum(path.stat().st_size for path in tmp_path.glob(".overture-*")) // 100_000)
        raise KeyboardInterrupt

    with open_output(str(tmp_path), Job("batch", {}), resume=False) as folder:
        with pytest.raises(KeyboardInterrupt):
            finish_batch(folder, parts, order_parts(make_parts([1, 0, 3, 2, 5]), set()), builder)
        assert written == [0, 2, 2, 4, 4]
        assert sorted(path.name for path in tmp_path.iterdir()) == ["job.json", "parts"]
        assert finish_batch(folder, parts, order_parts([], {0, 1, 2, 3, 5}), builder).built == 4


@pytest.mark.slow
def test_other_rows_cannot_resume(tmp_path: Path) -> None:
    """The input is told by its content, chunk by chunk, also where its size is the same."""
    write_rows(tmp_path, ROWS)
    with start(tmp_path, "--processes", "1") as process:
        wait_for_parts(tmp_path, 1, process)
        process.kill()
    write_rows(tmp_path, [{**ROWS[0], "message": "n0"}, *ROWS[1:]])
    changed = resume(tmp_path)
    assert changed.returncode == 2 and "are not those of the first run" in changed.stderr
    write_rows(tmp_path, ROWS[:-1])
    shorter = resume(tmp_path)
    assert shorter.returncode == 2 and "rows_bytes" in shorter.stderr


def test_two_runs_on_one_folder(tmp_path: Path) -> None:
    """The second fails at once and names the folder; the first has it for itself."""
    write_rows(tmp_path, ROWS[:1])
    with open_output(str(tmp_path / "out"), Job("batch", {}), resume=False):
        for words in ((), ("--resume",)):
            second = batch(tmp_path, "rows.jsonl", *OPENAI, *words)
            assert second.code == 2 and "`out` is in use by another run" in second.err
        assert [path.name for path in (tmp_path / "out").iterdir()] == ["job.json"]


def test_a_folder_with_other_content(tmp_path: Path) -> None:
    """It is refused, and stays as it is."""
    write_rows(tmp_path, ROWS[:1])
    (tmp_path / "out").mkdir()
    (tmp_path / "out/thesis.txt").write_text("mine")
    for words in ((), ("--resume",)):
        done = batch(tmp_path, "rows.jsonl", *OPENAI, *words)
        assert done.code == 2 and "`out` has other content: thesis.txt" in done.err
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["thesis.txt"]


def test_a_finished_folder_is_not_written_again(tmp_path: Path) -> None:
    """With `--resume` there is nothing to do; without it, the error says to use another."""
    write_rows(tmp_path, ROWS[:2])
    assert batch(tmp_path, "rows.jsonl", *OPENAI).code == 0
    before = (tmp_path / "out/manifest.json").stat().st_mtime_ns
    again, resumed = batch(tmp_path, "rows.jsonl", *OPENAI), batch(tmp_path, "rows.jsonl", *OPENAI, "--resume")
    assert again.code == 2 and "another folder" in again.err
    assert (resumed.code, resumed.err) == (0, "note: out: all rows are done\n")
    assert (tmp_path / "out/manifest.json").stat().st_mtime_ns == before


@pytest.mark.slow(unless=("removed-manifest",))
@pytest.mark.parametrize("name", ["requests-0001.jsonl", "manifest.json"])
@pytest.mark.parametrize("how", ["removed", "cut"])
def test_a_finished_folder_that_lost_a_file_is_not_called_done(tmp_path: Path, name: str, how: str) -> None:
    """`--resume` looks for what the manifest promises, and names what is not there."""
    write_rows(tmp_path, ROWS[:2])
    assert batch(tmp_path, "rows.jsonl", *OPENAI).code == 0
    path = tmp_path / "out" / name
    path.unlink() if how == "removed" else path.write_bytes(path.read_bytes()[:-30])
    resumed = batch(tmp_path, "rows.jsonl", *OPENAI, "--resume")
    assert resumed.code == 2 and f"error: `out` was finished, and `{name}` was removed or changed since" in resumed.err


def run_with_room(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run it with `out` on a disk of 3 MB, and list what is there then."""
    script = 'mount -t tmpfs -o size=3m none "$1" && shift && "$@"; code=$?; find out -type f; exit $code'
    (folder / "out").mkdir(exist_ok=True)
    line = ["unshare", "-rm", "sh", "-c", script, "sh", "out", str(OVERTURE), *WORDS, *words]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_full_disk(tmp_path: Path, processes: str) -> None:
    """Exit 2 with the reason; what has a final name is whole."""
    write_rows(tmp_path, ROWS)
    done = run_with_room(tmp_path, "--processes", processes)
    if "unshare" in done.stderr or "mount" in done.stderr:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    assert done.returncode == 2, done.stderr
    assert "can't be written: no space left on device" in done.stderr and "--resume" in done.stderr
    assert "Traceback" not in done.stderr
    left = [Path(name).name for name in done.stdout.splitlines()]
    assert not [name for name in left if name.startswith(("requests", "manifest"))]


@pytest.mark.slow
def test_a_chunk_cut_short_by_a_crash_is_made_again(tmp_path: Path) -> None:
    """A part whose file is shorter than its record says, or whose record is broken, counts as missing."""
    write_rows(tmp_path, ROWS)
    with start(tmp_path, "--processes", "1") as process:
        wait_for_parts(tmp_path, 3, process)
        process.kill()
    (tmp_path / "out/parts/00000000.jsonl").write_bytes(b"")
    (tmp_path / "out/parts/00000001.part").write_bytes(b"\x00")
    done = resume(tmp_path)
    assert done.returncode == 0, done.stderr
    assert_whole(tmp_path)


@pytest.mark.slow
def test_rows_from_a_pipe_resume(tmp_path: Path) -> None:
    """Whoever pipes the same rows again goes on."""
    write_rows(tmp_path, ROWS)
    words: list[Any] = [OVERTURE, *[word if word != "rows.jsonl" else "-" for word in WORDS], "--processes", "1"]
    with (tmp_path / "rows.jsonl").open("rb") as file:
        process = subprocess.Popen(words, cwd=tmp_path, stdin=file, stderr=subprocess.PIPE, text=True)
        with process:
            wait_for_parts(tmp_path, 2, process)
            process.kill()
    with (tmp_path / "rows.jsonl").open("rb") as file:
        done = subprocess.run([*words, "--resume"], cwd=tmp_path, stdin=file, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert_whole(tmp_path)
    assert read_lines(tmp_path / "out/errors.jsonl") == []

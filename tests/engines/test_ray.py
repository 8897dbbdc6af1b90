"""A real Ray, started on this machine with two workers: the same results, each row exactly once."""

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import overture.batch
from overture import Recipe, Section, State

ray = pytest.importorskip("ray")

os.environ["RAY_AUTH_MODE"] = "disabled"  # or it writes a token into the home directory


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """Two workers, on loopback alone."""
    started = ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False)
    assert started
    yield
    ray.shutdown()


def remember(memories: tuple[str, ...]) -> str:
    """What the rows give; rows marked so take a while."""
    if memories and memories[0].startswith("slow"):
        time.sleep(0.002)
    return "\n".join(memories)


RECIPE = Recipe("made", (Section("identity", lambda: "You are Ada."), Section("memories", remember)))


def kill_worker(names: tuple[str, ...]) -> int:
    """End one worker that runs a task, by force."""
    while True:
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                title = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
            except (OSError, UnicodeDecodeError):
                continue
            if title.startswith("ray::") and any(name in title for name in names):
                os.kill(int(folder.name), signal.SIGKILL)
                return int(folder.name)
        time.sleep(0.01)


def rows(count: int) -> list[dict[str, Any]]:
    return [{"id": n, "memories": [f"slow {n}"]} for n in range(count)]


def test_a_dataset_stays_a_dataset_when_a_worker_is_killed() -> None:
    """Every row is there exactly once, with the prompt that `build` gives."""
    killed: list[int] = []
    dataset = ray.data.from_items(rows(4_000), override_num_blocks=16)
    mapped = overture.batch.map(dataset, RECIPE, state=State())
    killer = threading.Thread(target=lambda: killed.append(kill_worker(("MapBatches", "map"))))
    killer.start()
    found = mapped.take_all()
    killer.join()
    assert killed and isinstance(mapped, ray.data.Dataset)
    assert sorted(row["id"] for row in found) == list(range(4_000))
    for row in found[::997]:
        prompt = overture.build(RECIPE, {"memories": [f"slow {row['id']}"]})
        assert (row["text"], row["tokens"], row["fingerprint"]) == (prompt.text, prompt.tokens, prompt.fingerprint)
        assert list(row["diagnostics"]) == []


def test_the_command_on_ray_when_a_worker_is_killed(tmp_path: Path) -> None:
    """`--engine ray` gives the bytes that processes here give."""
    from overture.batch.command import command

    path = tmp_path / "rows.jsonl"
    given_rows = ({"id": n, "memories": [f"{n}"], "message": f"m{n}"} for n in range(30_000))
    path.write_text("".join(json.dumps(row) + "\n" for row in given_rows))
    given = ["house", str(path), "--no-discover", "--now", "2026-03-07T08:55:05-06:00", "--format", "openai"]
    given += ["--model", "gpt-5.4"]
    killed: list[int] = []
    killer = threading.Thread(target=lambda: killed.append(kill_worker(("_run_task",))))
    killer.start()
    assert command.main([*given, "--out", str(tmp_path / "ray"), "--engine", "ray"], standalone_mode=False) == 0
    killer.join()
    assert killed
    assert command.main([*given, "--out", str(tmp_path / "here")], standalone_mode=False) == 0
    ours, theirs = (tmp_path / name / "requests-0001.jsonl" for name in ("here", "ray"))
    assert ours.read_bytes() == theirs.read_bytes()
    assert len(ours.read_bytes().splitlines()) == 30_000

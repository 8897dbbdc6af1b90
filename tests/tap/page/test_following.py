"""The page follows a store that another process writes, and looks at it only while a browser is there."""

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from overture.tap.store.store import open_store

from ...web.page.shown import Paged, paged, wait_for
from ..judge.calls import call, said, system, usage

WRITER = """
import sys
from overture.tap.store.store import open_store
from overture.tap.recorded_call import CallPiece, RecordedCall
with open_store(sys.argv[1]) as store:
    print("ready", flush=True)
    for line in sys.stdin:
        id = line.strip()
        at = f"2026-11-15T11:00:{id[1:]:0>2}+00:00"
        piece = CallPiece("message", "user", "hello", message=0)
        path, model = "/v1/messages", "claude-sonnet-5"
        store.add(RecordedCall(id, at, "anthropic", "api.example", path, model, 200, (piece,), run="r2"))
        print(id, flush=True)
"""


def ids(page: Paged) -> list[str]:
    """The calls that are listed."""
    return [each["id"] for each in page.get("/page/calls")["calls"]]


def is_listed(page: Paged, id: str) -> bool:
    """Whether a call is in the list."""
    return id in ids(page)


def test_a_call_of_another_process_appears(tmp_path: Path) -> None:
    """Each is told to the browser at once, also the first of a store that was not there."""
    place = tmp_path / "calls.sqlite"
    line = [sys.executable, "-c", WRITER, str(place)]
    with paged(tmp_path, calls=str(place)) as page, page.listen() as stream:
        stream.until("turn")
        assert page.get("/page/calls")["problem"] is None
        with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdin and writer.stdout and writer.stdout.readline() == "ready\n"
            stream.until("calls")
            for number in range(3):
                writer.stdin.write(f"c{number}\n")
                writer.stdin.flush()
                writer.stdout.readline()
                stream.until("calls")
                wait_for(partial(is_listed, page, f"c{number}"))
            writer.stdin.close()




@pytest.mark.slow
def test_calls_that_were_removed_are_gone(tmp_path: Path) -> None:
    """What `overture tap retain` removes is not listed any more; what comes late finds its place in time."""
    place = tmp_path / "calls.sqlite"
    with open_store(place) as store, paged(tmp_path, calls=str(place)) as page:
        for at in (1, 3):
            store.add(call(system("Words."), *said("u"), minute=at, id=f"m{at}", usage=usage(5)))
        assert ids(page) == ["m3", "m1"]
        store.add(call(system("Words."), *said("u"), minute=2, id="m2", usage=usage(5)))
        assert ids(page) == ["m3", "m2", "m1"]
        store.database.run("DELETE FROM calls WHERE id = 'm1'")
        assert ids(page) == ["m3", "m2"]
        assert page.client.get("/page/call/m1").status_code == 404

"""`overture tap --page`: the page beside a tap, in a process of its own, which ends with it."""

import re
import signal
import subprocess
import time
from typing import IO

import httpx
import pytest

from tests.contract.cli.run import OVERTURE
from tests.contract.tap.provider import LIGHT, written

from .test_command import Place, place

pytestmark = pytest.mark.slow


__all__ = ["place"]

WAITS = f"{LIGHT}\nimport sys\nsys.stdin.readline()\n"


def run_of(said: str) -> tuple[str, str, str]:
    """Where the page is, its token, and which run it shows."""
    found = re.search(r"shown at (http://127\.0\.0\.1:\d+/)\?token=([\w-]+)#/calls/run%2F(\w+)", said)
    assert found is not None, said
    return found[1], found[2], found[3]


def is_there(address: str) -> bool:
    """Whether the page answers."""
    try:
        return httpx.get(f"{address}health", trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


def wait_until_gone(address: str) -> None:
    """It ends in a moment."""
    end = time.monotonic() + 15
    while is_there(address):
        assert time.monotonic() < end
        time.sleep(0.1)


def _until(stream: IO[str], words: str) -> str:
    """All that is said up to the line that holds these words."""
    said = ""
    while words not in said and (line := stream.readline()):
        said += line
    return said


def test_the_page_follows_the_run_and_stays_until_it_is_interrupted(place: Place) -> None:
    """Its address stands before the program; the calls are there until Ctrl-C; then it is gone."""
    words = ["tap", "--page", "--upstream", place.there.url, "--", *written(place.folder, WAITS)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [OVERTURE, *words], cwd=place.folder, env=place.environ, text=True, stdin=pipe, stdout=pipe, stderr=pipe
    ) as tap:
        assert tap.stdout and tap.stderr
        address, token, run = run_of(_until(tap.stderr, "shown at"))
        assert [tap.stdout.readline() for _ in range(2)] == ["All is well.\n"] * 2
        key = {"Authorization": f"Bearer {token}"}
        told = httpx.get(f"{address}page/calls?run={run}", headers=key, trust_env=False).json()
        assert (told["total"], told["run"], told["runs"][0]["ended"]) == (2, run, "")
        assert tap.stdin
        tap.stdin.write("\n")
        tap.stdin.flush()
        said = _until(tap.stderr, "until Ctrl-C")
        assert is_there(address) and "overture tap: 2 calls" in said
        tap.send_signal(signal.SIGINT)
        tap.wait(30)
    assert tap.returncode == 0
    assert not is_there(address)


def test_a_tap_that_is_killed_leaves_no_page(place: Place) -> None:
    """Whatever ends it, the page ends too; with --listen it is named where the addresses are."""
    tap = place.started("tap", "--listen", "--page", "--upstream", place.there.url)
    assert tap.stderr
    address, _, _ = run_of(_until(tap.stderr, "shown at"))
    assert is_there(address)
    tap.send_signal(signal.SIGKILL)
    tap.communicate(timeout=20)
    wait_until_gone(address)

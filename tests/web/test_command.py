"""`overture serve` says where it listens, ends when it is asked to, and refuses in one line what can't be."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest

from tests.contract.cli.run import assert_refused, run

from .running import started
from .test_limits import LONG

TOKEN = "correct-horse-battery-staple"


def test_the_address_is_printed_and_answers(tmp_path: Path) -> None:
    """One line on standard output, at once; Ctrl-C ends it with 0, and nothing else is said."""
    words = ("pi", "--cwd", tmp_path, "--home", tmp_path, "--root", tmp_path, "--port", "0")
    with started(*words) as (process, address):
        assert address.startswith("http://127.0.0.1:")
        with httpx.Client(base_url=address, trust_env=False) as client:
            assert client.post("/v1/build", json={"state": {}}).json()["recipe"] == "pi"
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=20)
        assert (process.returncode, out, errors) == (0, "", "")


@pytest.mark.slow
def test_it_ends_also_before_it_has_begun(tmp_path: Path) -> None:
    """A signal in the very moment in which the address is printed is not lost."""
    with started("--cwd", tmp_path, "--home", tmp_path, "--port", "0") as (process, _):
        process.terminate()
        assert process.wait(20) == 0


@pytest.mark.slow
def test_a_request_that_runs_is_answered_before_the_end(tmp_path: Path) -> None:
    """The end waits for it, and takes nothing new."""
    with started("--cwd", tmp_path, "--home", tmp_path, "--port", "0", "--log-json") as (process, address):
        with httpx.Client(base_url=address, trust_env=False, timeout=30) as client:
            client.post("/v1/check", json={"state": {}})  # all is imported
            answers: list[httpx.Response] = []
            asking = threading.Thread(target=lambda: answers.append(client.post("/v1/check", json={"state": LONG})))
            asking.start()
            time.sleep(0.15)
            process.terminate()
            asking.join()
        assert process.wait(20) == 0
        assert answers[0].status_code == 200
        assert answers[0].json()["recipe"] == "house"


@pytest.mark.slow
def test_a_port_that_is_taken(tmp_path: Path) -> None:
    """Exit code 2 and one line: which port, and what to do."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert_refused(run("serve", "--cwd", tmp_path, "--port", str(port)), f"Port {port}", "--port 0")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--host", "0.0.0.0", "--no-token"), ("0.0.0.0", "Omit --no-token")),
        (("--host", "no.such.host.invalid"), ("no.such.host.invalid", "--host")),
        (("--host", "a..b"), ("'a..b'", "not a host name", "--host")),
        (("--no-discover",), ("--no-discover", "--save")),
        (("--state", "-"), ("--state -", "Pass a file")),
        (("--port", "70000"), ("70000",)),
        (("--cwd", "nowhere"), ("nowhere",)),
        (("--home", "nowhere"), ("nowhere", "--home")),
        (("oppal",), ("oppal", "exists: `opal`")),
    ],
    ids=str,
)
def test_what_cant_be_served(tmp_path: Path, words: tuple[str, ...], said: tuple[str, ...]) -> None:
    """Exit code 2, one line, before anything listens."""
    assert_refused(run("serve", *words, "--port", "0", cwd=tmp_path) if "--port" not in words else
                   run("serve", *words, cwd=tmp_path), *said)  # fmt: skip


@pytest.mark.slow
def test_a_token_opens_it(tmp_path: Path) -> None:
    """The address ends with a random one, which nothing else prints. A request to terminate ends it with 0."""
    words = ("--cwd", tmp_path, "--home", tmp_path, "--port", "0", "--log-json")
    tokens = []
    for _ in range(2):
        with started(*words, token=True) as (process, link):
            address, _, token = link.partition("?token=")
            tokens.append(token)
            with httpx.Client(base_url=address, trust_env=False) as client:
                assert client.get("/v1/recipes").status_code == 401
                assert client.get("/v1/recipes", headers={"Authorization": f"Bearer {token}"}).status_code == 200
            process.terminate()
            out, errors = process.communicate(timeout=20)
            assert process.returncode == 0
            assert token not in out + errors
            assert [json.loads(line)["status"] for line in errors.splitlines()] == [401, 200]
    assert tokens[0] != tokens[1] and all(len(token) >= 32 for token in tokens)


def test_a_token_of_ones_own(tmp_path: Path) -> None:
    """The variable sets it; one that could not stand in an address is an error."""
    where = ("--cwd", tmp_path, "--home", tmp_path, "--port", "0")
    with started(*where, token=True, OVERTURE_TOKEN=TOKEN) as (_, link):
        assert link.endswith(f"/?token={TOKEN}")
    assert_refused(run("serve", *where, OVERTURE_TOKEN="two words"), "OVERTURE_TOKEN", "one word")


@pytest.mark.slow
def test_the_token_is_no_setting(tmp_path: Path) -> None:
    """Other commands do not complain of the variable."""
    done = run("build", "pi", "--cwd", tmp_path, "--home", tmp_path, OVERTURE_TOKEN=TOKEN)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_open_opens_the_browser(tmp_path: Path) -> None:
    """--open hands the address to the browser of whoever starts it."""
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}\n', encoding="utf-8")
    browser.chmod(0o755)
    words = ("--cwd", tmp_path, "--home", tmp_path, "--port", "0", "--open")
    with started(*words, BROWSER=str(browser)) as (_, address):
        deadline = time.monotonic() + 20
        while not (seen.exists() and seen.read_text()) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert seen.read_text().strip() == address


@pytest.mark.slow
def test_without_the_libraries_it_says_how_to_get_them(tmp_path: Path) -> None:
    """Exit code 2, one line; all other commands do without them."""
    code = (
        "import sys\nsys.modules['starlette'] = sys.modules['uvicorn'] = None\n"
        "from overture.cli.main import main\nsys.argv = ['overture', *sys.argv[1:]]\nmain()"
    )
    line = [sys.executable, "-c", code]
    done = subprocess.run([*line, "serve"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert_refused(done, "pip install 'overture[web]'")
    other = subprocess.run(
        [*line, "build", "pi", "--no-discover"],
        capture_output=True,
        check=False,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    assert other.returncode == 0

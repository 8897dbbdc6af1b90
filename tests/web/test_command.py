"""`overture serve` says where it listens, ends when it is asked to, and refuses in one line what can't be."""

import json
import signal
import socket
from pathlib import Path

import httpx
import pytest

from tests.contract.cli.run import assert_refused, run

from .running import started

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

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
        (("--host", "0.0.0.0"), ("0.0.0.0", "--token-file", "OVERTURE_TOKEN")),
        (("--host", "0.0.0.0", "--token-file", "none"), ("'none'", "can't be read")),
        (("--token-file", "empty"), ("'empty'", "one word")),
        (("--token-file", "."), ("'.'", "directory")),
        (("--host", "no.such.host.invalid", "--token-file", "token"), ("no.such.host.invalid", "--host")),
        (("--host", "a..b", "--token-file", "token"), ("'a..b'", "not a host name", "--host")),
        (("--port", "70000"), ("70000",)),
        (("--cwd", "nowhere"), ("nowhere",)),
        (("--home", "nowhere"), ("nowhere", "--home")),
        (("oppal",), ("oppal", "exists: `opal`")),
    ],
    ids=str,
)
def test_what_cant_be_served(tmp_path: Path, words: tuple[str, ...], said: tuple[str, ...]) -> None:
    """Exit code 2, one line, before anything listens."""
    (tmp_path / "empty").write_text("\n", encoding="utf-8")
    (tmp_path / "token").write_text(TOKEN, encoding="utf-8")
    (tmp_path / "token").chmod(0o600)
    assert_refused(run("serve", *words, "--port", "0", cwd=tmp_path) if "--port" not in words else
                   run("serve", *words, cwd=tmp_path), *said)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("from_file", [True, False])
def test_a_token_opens_it(tmp_path: Path, from_file: bool) -> None:
    """From a file or the environment; it is printed nowhere. A request to terminate ends it with 0."""
    (tmp_path / "token").write_text(f"{TOKEN}\n", encoding="utf-8")
    (tmp_path / "token").chmod(0o600)
    words = ("--cwd", tmp_path, "--home", tmp_path, "--port", "0", "--log-json")
    given: list[str | Path] = ["--token-file", tmp_path / "token"] if from_file else []
    with started(*words, *given, **({} if from_file else {"OVERTURE_TOKEN": TOKEN})) as (process, address):
        with httpx.Client(base_url=address, trust_env=False) as client:
            assert client.get("/v1/recipes").status_code == 401
            assert client.get("/v1/recipes", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
        process.terminate()
        out, errors = process.communicate(timeout=20)
        assert process.returncode == 0
        assert TOKEN not in address + out + errors
        assert [json.loads(line)["status"] for line in errors.splitlines()] == [401, 200]

"""A real Chromium as the app: it asks a made-up provider over TLS through the tap, and trusts nothing but this run."""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from overture.tap.certificate.authority import Authority
from overture.tap.programs.apps.chromium_words import chromium_words
from overture.tap.upstreams import upstreams_of

from ...cli.run import OVERTURE
from ..wire import Line, Upstream, tap_to, upstream
from .bundle import CHROMIUM, FLAGS, bundle

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="There is no Chromium here: `make browser` installs it.")

ASKED = '{"model": "gpt-5",  "instructions": "You keep the harbour.", "input": "Wie heißt das Schiff? ⚓"}'
SAID = {
    "id": "r1", "object": "response", "model": "gpt-5", "status": "completed",
    "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Möwe ⚓"}]}],
    "usage": {"input_tokens": 30, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 0}},
}  # fmt: skip
PAGE = f"""<!doctype html><meta charset=utf-8><title>app</title><pre id=said></pre><script>
var ask = new XMLHttpRequest();
ask.open("POST", "/v1/responses", false);
ask.setRequestHeader("Content-Type", "application/json");
ask.setRequestHeader("Authorization", "Bearer sk-app-1234567890abcdef");
ask.send({json.dumps(ASKED)});
document.getElementById("said").textContent = ask.responseText;
</script>"""
HOST = "https://api.openai.com/garden"


def _reply(line: Line) -> None:
    while True:
        asked = line.request()
        call = asked.startswith(b"POST")
        body = (json.dumps(SAID, ensure_ascii=False) if call else PAGE).encode()
        kind = "application/json" if call else "text/html"
        line.send(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)


@pytest.fixture
def there() -> Iterator[Upstream]:
    with upstream(_reply) as made:
        yield made


class Place:
    """A home, a temporary folder and an app of one test."""

    def __init__(self, folder: Path, there: Upstream) -> None:
        self.there, self.home, self.temporary = there, folder / "home", folder / "t"
        for each in (self.home, self.temporary):
            each.mkdir()
        self.app = bundle(folder)
        self.environ = {**os.environ, "HOME": str(self.home), "TMPDIR": str(self.temporary)}
        self.environ |= {"XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": ""}

    def tap(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """The app through the tap."""
        command = [str(OVERTURE), "tap", "--upstream", f"openai={self.there.url}/v1", *words]
        return subprocess.run(command, cwd=self.home, env=self.environ, capture_output=True, text=True, timeout=120)

    def shown(self) -> dict[str, object]:
        """The last call."""
        told = subprocess.run(
            [OVERTURE, "tap", "show", "--json"], cwd=self.home, env=self.environ, capture_output=True, check=True
        )
        found: dict[str, object] = json.loads(told.stdout)["call"]
        return found


@pytest.fixture
def place(there: Upstream) -> Iterator[Place]:
    # Chromium makes a socket below, whose path must be short.
    with tempfile.TemporaryDirectory(prefix="app-", ignore_cleanup_errors=True) as folder:
        yield Place(Path(folder), there)


def test_an_app_is_tapped_and_leaves_nothing_behind(place: Place) -> None:
    """What its page asks arrives byte for byte, is recorded without its key, and so does the answer."""
    done = place.tap("--new-profile", "--", str(place.app), HOST)
    assert done.returncode == 0, done.stderr
    assert "Rose is tapped as by a proxy" in done.stderr and "1 call in 1 conversation" in done.stderr
    assert json.dumps(SAID, ensure_ascii=False) in done.stdout
    received = b"".join(line.received for line in place.there.lines)
    assert received.count(b"POST ") == 1 and b"\r\n\r\n" + ASKED.encode() in received
    assert b"Bearer sk-app-1234567890abcdef" in received
    call = place.shown()
    assert (call["model"], call["reply"], call["program"]) == ("gpt-5", "Möwe ⚓", "Rose")
    assert "sk-app-1234567890abcdef" not in json.dumps(call)
    assert list(place.temporary.iterdir()) == [] and not (place.home / ".config" / "Rose").exists()


def test_without_the_digest_chromium_refuses_the_tap(place: Place) -> None:
    """The certificate of the run is trusted by nobody who was not told so: the provider is not asked."""
    ours, ways = Authority(), upstreams_of([f"openai={place.there.url}/v1"])
    with tap_to(f"openai={place.there.url}/v1", authority=ours, tokenless=True) as tap:
        way, digest = chromium_words(tap.port, ours.digest, ways.values(), {})
        for words, asked in (([way], 0), ([way, digest], 1)):
            profile = f"--user-data-dir={place.temporary / str(asked)}"
            flags = [str(CHROMIUM), *FLAGS.split(), profile, *words, "--dump-dom", HOST]
            subprocess.run(flags, env=place.environ, capture_output=True, timeout=60)
            assert len(tap.recorded(asked)) == asked
            assert any(line.received for line in place.there.lines) == bool(asked)
        assert any("did not take the certificate" in each for each in tap.tap.lost)


def test_only_ways_to_providers_are_open_without_a_token() -> None:
    """To all other places the tap is no proxy for whoever does not know the token of the run."""
    from ..wire import talk

    with upstream(_reply) as there, tap_to(f"openai={there.url}/v1", authority=Authority(), tokenless=True) as tap:
        for target, status in (("example.com:443", b"407"), ("api.openai.com:22", b"407"), ("nonsense", b"407")):
            asked = f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode()
            assert talk(tap.port, asked).startswith(b"HTTP/1.1 " + status)
        assert there.lines == []


def test_an_app_that_asks_no_model_is_told_what_to_try(place: Place) -> None:
    """Its page is no call, and what else it asks goes past the tap."""
    done = place.tap("--new-profile", "--", str(place.app), "about:blank")
    assert done.returncode == 0 and "no call of a model was seen: nothing asked the tap. An app " in done.stderr


def test_an_app_that_runs_already_is_not_started_again(place: Place) -> None:
    """A real one holds the lock of its profile: that is one line, and nothing is started."""
    profile = place.home / ".config" / "Rose"
    running = subprocess.Popen(
        [str(CHROMIUM), *FLAGS.split(), f"--user-data-dir={profile}", "--remote-debugging-port=0", "about:blank"],
        env=place.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        while not (profile / "SingletonLock").is_symlink():
            assert running.poll() is None
            time.sleep(0.05)
        done = place.tap("--", str(place.app), HOST)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert "Rose runs already (process " in done.stderr and place.there.lines == []
    finally:
        running.terminate()
        running.wait(20)
    done = place.tap("--", str(place.app), HOST)
    assert done.returncode == 0 and "1 call in 1 conversation" in done.stderr

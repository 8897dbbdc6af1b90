"""What `overture tap show` prints of a call as it was on the wire: the body, the heads, cURL."""

import json
import os
import subprocess

import pytest

from overture.tap.store.store import open_store
from tests.contract.tap.provider import KEY, SAID, written

from ..store.made_calls import make_call
from .test_command import Place, place

pytestmark = pytest.mark.slow


__all__ = ["place"]


def bodies(place: Place) -> list[str]:
    """The requests' bodies as the provider got them."""
    passed = b"".join(line.received for line in place.there.lines)
    return [each.partition(b"\r\n\r\n")[2].decode() for each in passed.split(b"POST /")[1:]]


def test_a_call_is_shown_as_it_was_sent(place: Place) -> None:
    """The body but for a token in it, both heads without keys, and the wire as data."""
    done = place.run("tap", "--upstream", place.there.url, "--", *written(place.folder))
    assert done.returncode == 0
    first, second = (str(call["id"]) for call in place.calls())
    sent = [body.replace(SAID, "[secret: GitHub token]") for body in bodies(place)]
    assert [place.read_stdout("show", id, "--request") for id in (first, second)] == sent

    heads = place.read_stdout("show", first, "--headers")
    assert heads.startswith("POST /v1/messages HTTP/1.1\n")
    assert "\nAuthorization: [hidden]\n" in heads
    assert "\n\nHTTP/1.1 200\nContent-Type: application/json\n" in heads

    wire = json.loads(place.read_stdout("show", second, "--json"))["wire"]
    assert (wire["url"], wire["request"]) == (f"{place.there.url}/v1/messages", sent[1])
    assert KEY.encode() not in place.bytes()


def test_the_command_sends_it_again(place: Place) -> None:
    """Run as it is printed, with the user's key, the provider gets the same request and answers it."""
    place.tap(*written(place.folder), "1")
    text = place.read_stdout("show", "--curl")
    assert text.startswith("# Not exactly as sent: [secret: GitHub token] replaces what was hidden in the body.\n")
    assert '-H "Authorization: Bearer ${ANTHROPIC_AUTH_TOKEN:-$ANTHROPIC_API_KEY}"' in text
    before = bodies(place)
    environ = {"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": "sk-of-mine"}
    done = subprocess.run(["bash"], input=text, capture_output=True, text=True, env=environ, check=True)
    assert json.loads(done.stdout)["content"][0]["text"] == "All is well."
    assert bodies(place) == [*before, before[0].replace(SAID, "[secret: GitHub token]")]
    assert b"Authorization: Bearer sk-of-mine\r\n" in b"".join(line.received for line in place.there.lines)


def test_what_is_not_there_is_one_line(place: Place) -> None:
    """A call without its wire, and two things at once."""
    place.tap(*written(place.folder), "1")
    (store,) = place.data.rglob("*.sqlite")
    with open_store(store) as opened:
        opened.add(make_call("old"))
    for option in ("--request", "--headers", "--curl"):
        done = place.run_tap("show", "old", option)
        assert (done.returncode, done.stdout, done.stderr.count("error: ")) == (2, "", 1)
        assert "The call old has no recorded bytes" in done.stderr
    assert json.loads(place.read_stdout("show", "old", "--json"))["wire"] is None
    done = place.run_tap("show", "--curl", "--text")
    assert (done.returncode, done.stderr.count("error: ")) == (2, 1)
    assert done.stderr == "error: --curl and --text can't be combined\nhint: Pass one of them\n"

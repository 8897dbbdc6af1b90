"""`--upstream URL` is for the provider it belongs to: everything else goes where it was going, with its own key."""

import ssl

import pytest

from overture.tap.proxy.certificate_authority import Authority
from tests.contract.tap.provider import provider, written

from ..raw_http import Line, answering, tap_to, upstream
from ..run.test_command import Place, place
from .test_forward import _open

pytestmark = pytest.mark.slow


__all__ = ["place"]
KEY = "Bearer sk-of-another-host-0123456789"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"


OTHERS = ("chatgpt.com", "openrouter.ai", "api.githubcopilot.com", "api.x.ai", "cloudcode-pa.googleapis.com")


@pytest.mark.parametrize(
    ("given", "host"),
    [*(("{url}", host) for host in OTHERS), *(("openai={url}/v1", host) for host in (*OTHERS, "api.anthropic.com"))],
)
def test_credentials_of_other_hosts_go_to_their_own(given: str, host: str) -> None:
    """Also those of hosts that speak the same form: another upstream stands for the provider's own API alone."""
    with upstream(answering(OK)) as there, upstream(_no_way) as proxy:
        answer = _asked(host, proxy.url, given.format(url=there.url))
        assert f"https://{host} can't be reached".encode() in answer
        assert proxy.lines[0].received.startswith(f"CONNECT {host}:443 ".encode())
        assert KEY.encode() not in proxy.lines[0].received
        assert there.lines == []


@pytest.mark.parametrize("given", ["{url}", "openai={url}/v1"])
def test_the_provider_s_own_api_goes_to_the_upstream(given: str) -> None:
    """With its key: that is what was asked for."""
    with upstream(answering(OK)) as there, upstream(_no_way) as proxy:
        assert _asked("api.openai.com", proxy.url, given.format(url=there.url)) == OK
        assert KEY.encode() in there.lines[0].received
        assert proxy.lines == []


def _no_way(line: Line) -> None:
    """A proxy that opens no way, so that no test asks anybody."""
    line.until(b"\r\n\r\n")
    line.send(b"HTTP/1.1 403 Forbidden\r\n\r\n")


def _asked(host: str, proxy: str, given: str) -> bytes:
    """What a program is answered that asks a host through the tap."""
    ours = Authority()
    with tap_to(given, authority=ours, environ={"HTTPS_PROXY": proxy}) as tap:
        trust = ssl.create_default_context(cadata=ours.pem.decode())
        with trust.wrap_socket(_open(tap, f"{host}:443"), server_hostname=host) as secured:
            secured.sendall(f"POST /v1/responses HTTP/1.1\r\nAuthorization: {KEY}\r\nHost: {host}\r\n".encode())
            secured.sendall(b"Content-Length: 2\r\n\r\n{}")
            answer = b""
            while not answer.endswith((b"ok", b"}\n")):
                answer += secured.recv(1 << 16)
    return answer


BOTH = """
import json, os
from urllib.request import Request, urlopen
for name, path in (("ANTHROPIC_BASE_URL", "/v1/messages"), ("OPENAI_BASE_URL", "/chat/completions")):
    asked = {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": name}]}
    headers = {"authorization": f"Bearer key-of-{name}", "content-type": "application/json"}
    urlopen(Request(os.environ[name] + path, json.dumps(asked).encode(), headers)).read()
"""


def test_each_key_arrives_at_its_own_provider(place: Place) -> None:
    """A program that asks two providers asks each of them, where one of them was given another upstream."""
    with provider() as other:
        place.environ["ANTHROPIC_BASE_URL"] = other.url
        words = ("tap", "--upstream", f"openai={place.there.url}/v1")
        done = place.run(*words, "--", *written(place.folder, BOTH))
        assert done.returncode == 0, done.stderr
        for there, mine, others in ((place.there, b"OPENAI", b"ANTHROPIC"), (other, b"ANTHROPIC", b"OPENAI")):
            received = b"".join(line.received for line in there.lines)
            assert b"key-of-" + mine in received
            assert b"key-of-" + others not in received

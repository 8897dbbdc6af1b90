"""The service answers those who ask for its own address, from no other site, with the token if there is one."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from overture.web.service.guard_requests import AccessRules

from .running import Running, running

TOKEN = "correct-horse-battery-staple"


@pytest.fixture(scope="module")
def here() -> Iterator[Running]:
    with running() as service:
        yield service


@pytest.fixture(scope="module")
def locked() -> Iterator[Running]:
    with running(token=TOKEN) as service:
        yield service


def ask(service: Running, method: str = "GET", path: str = "/v1/recipes", **headers: str) -> httpx.Response:
    body: dict[str, Any] = {"json": {"state": {}}} if method == "POST" else {}
    return service.client.request(method, path, headers=headers, **body)


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}",
     "127.0.0.1.nip.io:{port}", "localhost:{port}@evil.example", "", "0.0.0.0:{port}", "localhost:{port}:{port}"],
)  # fmt: skip
def test_a_foreign_host_is_refused(here: Running, host: str) -> None:
    """403 for every name that is not the service's, also where it leads to this machine (DNS rebinding)."""
    for method, path in (("GET", "/"), ("GET", "/health"), ("POST", "/v1/build")):
        answer = ask(here, method, path, Host=host.format(port=here.door.port))
        assert answer.status_code == 403
        assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("site", ["cross-site", "Cross-Site"])
@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("GET", "/v1/recipes"), ("GET", "/page/sheet"),
                                              ("POST", "/v1/build"), ("GET", "/static/app.js")])  # fmt: skip
def test_what_a_browser_calls_cross_site_is_refused(here: Running, method: str, path: str, site: str) -> None:
    """403, also where the browser sends no Origin, as for images, scripts and links."""
    assert ask(here, method, path, **{"Sec-Fetch-Site": site}).status_code == 403


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1", "http://127.0.0.1:{port}.evil.example",
     "http://localhost:{port}", "file://", ""],
)  # fmt: skip
def test_a_foreign_origin_is_refused(here: Running, origin: str) -> None:
    """403 for what a page of another site sends, whichever way it asks."""
    for method, path in (("GET", "/v1/recipes"), ("POST", "/v1/build"), ("OPTIONS", "/v1/build")):
        answer = ask(here, method, path, Origin=origin.format(port=here.door.port))
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "sent",
    [None, "", "Bearer", "Bearer wrong", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", TOKEN, f"Basic {TOKEN}",
     "Bearer \u00fc"],
)  # fmt: skip
def test_without_the_token_nothing_is_said(locked: Running, sent: str | None) -> None:
    """401, and what to send; a token in the address does not count."""
    headers = {} if sent is None else {"Authorization": sent.encode("latin-1")}
    for path in ("/v1/recipes", "/openapi.json", f"/v1/recipes?token={TOKEN}", "/nowhere"):
        answer = locked.client.get(path, headers=headers)  # type: ignore[arg-type]
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert TOKEN not in answer.text


def test_the_printed_address_is_exchanged_for_a_cookie(locked: Running) -> None:
    """The right token in the address of the page leads to the page without it; a wrong one to nothing."""
    for path in ("/", "/?token=", "/?token=wrong", f"/?token={TOKEN}x"):
        answer = locked.client.get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (401, "text/html; charset=utf-8")
        assert "`overture serve` printed" in answer.text and "<script" not in answer.text
    answer = locked.client.get(f"/?token={TOKEN}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    name, _, rest = answer.headers["set-cookie"].partition("=")
    assert name == f"overture-{locked.door.port}"
    assert {"HttpOnly", "SameSite=strict", "Path=/"} < set(rest.split("; "))
    with httpx.Client(base_url=locked.client.base_url, trust_env=False) as browser:
        assert browser.get("/v1/recipes", headers={"Cookie": f"{name}=wrong"}).status_code == 401
        assert browser.get("/v1/recipes", headers={"Cookie": f"{name}={TOKEN}"}).status_code == 200


def test_with_the_token_all_is_said(locked: Running) -> None:
    """The name of the scheme may be written anyhow; that the service runs is no secret."""
    for scheme in ("Bearer", "bearer"):
        assert ask(locked, Authorization=f"{scheme} {TOKEN}").status_code == 200
    assert ask(locked, "POST", "/v1/build", Authorization=f"Bearer {TOKEN}").status_code == 200
    assert ask(locked, path="/health").status_code == 200
    document = ask(locked, path="/openapi.json", Authorization=f"Bearer {TOKEN}").json()
    assert document["components"]["securitySchemes"] == {"token": {"type": "http", "scheme": "bearer"}}


@pytest.mark.parametrize("path", ["/", "/health", "/v1/recipes", "/nowhere", "/v1/build"])
def test_every_answer_is_guarded(here: Running, path: str) -> None:
    """No answer runs what is not ours, is taken for another kind, tells where one was, or is kept."""
    headers = here.client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert "server" not in headers


def test_a_service_for_other_machines_is_called_by_its_own_name() -> None:
    """Listening everywhere, it is called by a number, which nobody can rebind; else by the name that was given."""
    everywhere, named = AccessRules("0.0.0.0", 7788, TOKEN), AccessRules("berths.example", 7788, TOKEN)
    with running(host=everywhere.host, token=TOKEN) as service:
        key = {"Authorization": f"Bearer {TOKEN}"}
        assert ask(service, Host="10.1.2.3:7788", **key).status_code == 200
        assert ask(service, Host="evil.example:7788", **key).status_code == 403
    with running(host=named.host, token=TOKEN) as service:
        assert ask(service, Host=f"berths.example:{service.door.port}", **key).status_code == 200
        assert ask(service, Host=f"localhost:{service.door.port}", **key).status_code == 403

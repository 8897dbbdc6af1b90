"""Decides which requests are allowed; the outermost middleware refuses all others, logs, and sets security headers."""

import hmac
import sys
import time
from datetime import UTC, datetime
from html import escape
from ipaddress import ip_address
from secrets import token_hex
from traceback import extract_tb
from typing import Any, NamedTuple

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...errors import printable
from .problems import MEDIA, RefusedError, as_refusal, problem_of

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
OPEN_PATH = "/health"
"""It needs no token: that the service runs is no secret."""
NO_TOKEN = "The token is missing or wrong. Open the address that `overture serve` printed: it ends with the token."


class AccessRules(NamedTuple):
    """The address of the service, its host names, and its token.

    A page of another site can send a request to this machine, and can even give the machine a name of its own (DNS
    rebinding): `Origin` and `Sec-Fetch-Site` reveal the first, `Host` the second. Another user of the machine can
    connect, too: only the token keeps them out.
    """

    host: str
    port: int
    token: str | None = None

    def check(self, scope: Scope) -> None:
        """Refuses a request from a foreign host, origin or client."""
        called = _get_single_header(scope, b"host")
        if called is None or not self._is_ours(called.lower()):
            message = f"Host {called or ''!r:.80} is not the address of this service. Use {self.address}"
            raise RefusedError(problem_of("not-allowed", message))
        origin = [value for name, value in scope["headers"] if name == b"origin"]
        if any(value.decode("latin-1").lower() != f"http://{called.lower()}" for value in origin):
            raise RefusedError(problem_of("not-allowed", f"Origin {origin[0].decode('latin-1')!r:.80} is not allowed."))
        if any(
            name == b"sec-fetch-site" and value.strip().lower() == b"cross-site" for name, value in scope["headers"]
        ):
            # A browser sends it with every request, also with those without Origin: images, scripts, links.
            message = f"Other sites may not link here. To see this page, type its address: {self.address}"
            raise RefusedError(problem_of("not-allowed", message))
        if self.token is not None and scope["path"] != OPEN_PATH and not self._has_token(scope):
            message = f"{NO_TOKEN} Programs send it as a header: Authorization: Bearer …"
            raise RefusedError(problem_of("token", message), {"WWW-Authenticate": "Bearer"})

    @property
    def address(self) -> str:
        """`http://127.0.0.1:7788/`."""
        return f"http://{_bracket_ipv6_host(self.host)}:{self.port}/"

    @property
    def link(self) -> str:
        """The address with the token, which the browser exchanges for a cookie."""
        return f"{self.address}?token={self.token}" if self.token is not None else self.address

    @property
    def cookie(self) -> str:
        """The name of the cookie; all ports of a host share their cookies."""
        return f"overture-{self.port}"

    def exchange_token(self, scope: Scope) -> Response | None:
        """For the printed address: the page without the token in its address, and the token in a cookie."""
        if self.token is None or scope["path"] != "/" or scope["method"] != "GET":
            return None
        if not self._is_token(Request(scope).query_params.get("token", "")):
            return None
        response = RedirectResponse("/", 303)
        response.set_cookie(self.cookie, self.token, httponly=True, samesite="strict")
        return response

    def _has_token(self, scope: Scope) -> bool:
        """Whether the request carries the token, in a header of a program or in the cookie of a browser."""
        scheme, _, token = (_get_single_header(scope, b"authorization") or "").partition(" ")
        if scheme.lower() == "bearer":
            return self._is_token(token.strip())
        return self._is_token(Request(scope).cookies.get(self.cookie, ""))

    def _is_token(self, text: str) -> bool:
        # Compared in constant time: the duration reveals nothing.
        return hmac.compare_digest(text.encode("utf-8", "surrogateescape"), (self.token or "").encode())

    def _is_ours(self, called: str) -> bool:
        """Whether a `Host` names this service."""
        name, port = _split_host_port(called)
        if is_number(self.host) and ip_address(self.host.strip("[]")).is_unspecified:
            # A service on all interfaces is reached through forwarded ports too. A number can't be rebound.
            return name == "localhost" or is_number(name)
        own = _bracket_ipv6_host(self.host.lower())
        return port == self.port and (name == own or (is_loopback(self.host) and name in LOOPBACK_NAMES))


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches that address."""
    return host.lower() == "localhost" or (is_number(host) and ip_address(host.strip("[]")).is_loopback)


def is_number(host: str) -> bool:
    """Whether it is an address, and no name."""
    try:
        ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def _bracket_ipv6_host(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _split_host_port(called: str) -> tuple[str, int]:
    """`localhost:7788` as a name and a port; without one it is that of http."""
    name, colon, port = called.rpartition(":")
    if not colon or called.endswith("]"):
        return called, 80
    return name, int(port) if port.isascii() and port.isdecimal() and len(port) < 6 else -1


def _get_single_header(scope: Scope, name: bytes) -> str | None:
    """A header that is there exactly once."""
    found: list[bytes] = [value for key, value in scope["headers"] if key == name]
    return found[0].decode("latin-1") if len(found) == 1 else None


MAX_LOGGED_PATH = 200
"""Characters of a path: an untrusted one may be anything."""


class RequestLog(NamedTuple):
    """Writes to standard error."""

    as_json: bool = False

    def request(self, **facts: Any) -> None:
        """One request that was answered, or whose client went away."""
        if self.as_json:
            path = printable(str(facts["path"]))[:MAX_LOGGED_PATH]
            facts = {"at": datetime.now(UTC).isoformat(timespec="milliseconds"), **facts, "path": path}
            _write_log_line(msgspec.json.encode(facts).decode())

    def fault(self, id: str, error: BaseException) -> None:
        """Where the service failed, without its message: that may hold what was sent."""
        steps = [
            f"{step.filename.rpartition('overture/')[2]}:{step.lineno}" for step in extract_tb(error.__traceback__)
        ]
        facts = {"level": "error", "id": id, "error": type(error).__name__, "steps": steps}
        line = f"overture: fault {id}: {type(error).__name__} at {' > '.join(steps)}"
        _write_log_line(msgspec.json.encode(facts).decode() if self.as_json else line)


def _write_log_line(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
]
"""Headers of answers that do not set them: no guessed type, nothing runs from elsewhere, and no cache stores it."""
GONE = 499
"""The status that is noted of a client that went away before it was answered."""


class GuardedApp:
    """Wraps the service."""

    def __init__(self, app: ASGIApp, rules: AccessRules, log: RequestLog) -> None:
        """Guard an app by rules of access, and log its requests."""
        self.app, self.rules, self.log = app, rules, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request through, or answer what is wrong with it."""
        if scope["type"] != "http":
            return
        response = ResponseHeaders(send)
        scope["app"] = self  # so the router raises what it does not find
        try:
            await self._answer_request(scope, receive, response)
        finally:
            ms = round((time.perf_counter() - response.start) * 1000, 1)
            facts = {"method": scope["method"], "path": scope["path"], "status": response.status or GONE, "ms": ms}
            self.log.request(**facts, bytes=response.size, id=response.id)

    async def _answer_request(self, scope: Scope, receive: Receive, response: "ResponseHeaders") -> None:
        """Check the request by the rules, then let the app answer it."""
        try:
            exchanged = self.rules.exchange_token(scope)
            if exchanged is None:
                self.rules.check(scope)
            await (exchanged or self.app)(scope, receive, response)
        except ClientDisconnect:
            pass
        except Exception as error:
            refused = as_refusal(error, scope, response.id)
            if refused.problem.id:
                self.log.fault(response.id, error)
            if not response.status:
                await _make_refusal(refused, scope)(scope, receive, response)


def _make_refusal(refused: RefusedError, scope: Scope) -> Response:
    """The response to a request that is refused: a problem; for a browser that opens the page, a plain page."""
    # The unread rest of a body would be taken for the next request: this connection has to close.
    headers = {**refused.headers, **({} if scope["method"] in ("GET", "HEAD") else {"Connection": "close"})}
    problem = refused.problem
    if scope["path"] == "/" and problem.status == 401:
        page = f"<!doctype html><title>Overture</title><h1>{problem.title}</h1><p>{escape(NO_TOKEN)}</p>"
        return HTMLResponse(page, problem.status, headers)
    return Response(msgspec.json.encode(problem), problem.status, headers, MEDIA)


class ResponseHeaders:
    """Passes messages on, adds the headers, and counts."""

    def __init__(self, send: Send) -> None:
        """Pass on the answer to a guarded request, and note its id and start for the log of requests."""
        self.send, self.status, self.size = send, 0, 0
        self.start, self.id = time.perf_counter(), token_hex(8)

    async def __call__(self, message: Message) -> None:
        """Pass on one part of an answer, with the security headers."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = list(message.get("headers", ()))
            names = {name for name, _ in own}
            message = {**message, "headers": [*own, *(each for each in HEADERS if each[0] not in names)]}
        self.size += len(message.get("body", b""))
        await self.send(message)

"""Who may ask: whoever names the address that was printed, comes from no other site, and has the token if there is one.

A page of another site can send a request to this machine, and can even give the machine a name of its own (DNS
rebinding): `Origin` and `Sec-Fetch-Site` tell the first, `Host` the second.
"""

import hmac
from ipaddress import ip_address
from typing import NamedTuple

from starlette.types import Scope

from .problems import RefusedError, problem_of

HERE = ("127.0.0.1", "localhost", "[::1]")
OPEN = ("/", "/health")
PARTS = "/static/"
"""What needs no token: it is the same for everybody, and holds nothing of anybody's."""


class AccessRules(NamedTuple):
    """Where the service listens, by which names it may be called, and the token that opens it."""

    host: str
    port: int
    token: str | None = None

    def check(self, scope: Scope) -> None:
        """Refuse a request that does not come from whom it should."""
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
            # A browser says so of every request, also of those for which it sends no Origin: images, scripts, links.
            message = f"Other sites may not link here. To see this page, type its address: {self.address}"
            raise RefusedError(problem_of("not-allowed", message))
        is_open = scope["path"] in OPEN or scope["path"].startswith(PARTS)
        if self.token is not None and not is_open and not self._has_token(scope):
            message = "Send the token of this service: Authorization: Bearer …"
            raise RefusedError(problem_of("token", message), {"WWW-Authenticate": "Bearer"})

    @property
    def address(self) -> str:
        """`http://127.0.0.1:7788/`."""
        return f"http://{_bracket_ipv6_host(self.host)}:{self.port}/"

    def _is_ours(self, called: str) -> bool:
        name, port = _split_host_port(called)
        if _is_any(self.host):
            # Whoever listens everywhere is reached through forwarded ports too. A number can't be rebound.
            return name == "localhost" or is_number(name)
        names = {*HERE, self.host.lower()} if is_loopback(self.host) else {_bracket_ipv6_host(self.host.lower())}
        return name in names and port == self.port

    def _has_token(self, scope: Scope) -> bool:
        scheme, _, token = (_get_single_header(scope, b"authorization") or "").partition(" ")
        # Both are compared to the end, whatever differs: how long it takes tells nothing.
        same = hmac.compare_digest(token.strip().encode("latin-1"), (self.token or "").encode("latin-1"))
        return same and scheme.lower() == "bearer"


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine reaches that address."""
    return host.lower() == "localhost" or (is_number(host) and ip_address(host.strip("[]")).is_loopback)


def is_number(host: str) -> bool:
    """Whether it is an address, and no name."""
    try:
        ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def _is_any(host: str) -> bool:
    return is_number(host) and ip_address(host.strip("[]")).is_unspecified


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

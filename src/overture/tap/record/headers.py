"""What of a request's head may be kept: names of headers all, values but for keys and cookies."""

import re
from collections.abc import Iterable, Sequence
from urllib.parse import unquote_plus

from ...text.secrets.find import hide_secrets

SECRET = re.compile(rb"(?i)auth|key|token|secret|cookie|credential|password|signature|assertion|x-amz-|cert")
"""Names of headers whose values nobody keeps."""
HARMLESS_HEADERS = re.compile(rb"(?i)ratelimit|rate-limit|idempotency|content-|max-tokens")
"""Names that sound like it and are harmless."""
KEY_HEADERS = re.compile(rb"(?i)^(proxy-)?authorization$|(^|-)(api-?key|token|secret|cookie)$")
"""Names of headers whose very values are keys."""
WEBSOCKET_PROTOCOL = b"sec-websocket-protocol"
"""Pages in a browser can set no header but this one, so they say a key in it: `openai-insecure-api-key.ek_…`."""
WORD = re.compile(rb"([^\s,.]++)\.([^\s,]++)")
MIN_CREDENTIAL_LENGTH = 12
"""Characters of a credential that is looked for elsewhere; what is shorter would be found by chance."""

Headers = Sequence[tuple[bytes, bytes]]


HIDDEN = "[hidden]"

HARMLESS_QUERY = frozenset(
    ("alt", "$alt", "beta", "api-version", "client_version", "stream", "model", "limit", "pageSize")
)
"""Names in a query whose values may be kept."""


def hide_headers(headers: Headers) -> tuple[tuple[str, str], ...]:
    """The headers in their order and case; what may be a secret has no value."""
    return tuple((name.decode("latin-1"), _hide_value(name, value)) for name, value in headers)


def _hide_value(name: bytes, value: bytes) -> str:
    if name.lower() == WEBSOCKET_PROTOCOL:
        value = WORD.sub(_hide_word, value)
    return HIDDEN if is_secret(name) else hide_secrets(value.decode("latin-1"))


def _hide_word(found: re.Match[bytes]) -> bytes:
    return found[1] + b"." + HIDDEN.encode() if is_secret(found[1]) else found[0]


def is_secret(name: bytes) -> bool:
    """Whether a header's value may be a key."""
    return SECRET.search(name) is not None and HARMLESS_HEADERS.search(name) is None


def find_credentials(headers: Headers, target: bytes) -> tuple[bytes, ...]:
    """The values that were hidden, so that they can be hidden where an answer repeats them."""
    found = {word for name, value in headers if KEY_HEADERS.search(name) for word in value.split()}
    values = [value for name, value in headers if name.lower() == WEBSOCKET_PROTOCOL]
    found |= {key for value in values for name, key in WORD.findall(value) if is_secret(name)}
    query = target.partition(b"?")[2]
    pairs = [part.partition(b"=") for part in query.split(b"&")]
    found |= {value for name, _, value in pairs if name.decode("latin-1") not in HARMLESS_QUERY}
    return tuple(sorted((each for each in found if len(each) >= MIN_CREDENTIAL_LENGTH), key=len, reverse=True))


def remove_values(body: bytes, secrets: Iterable[bytes]) -> bytes:
    """A body in which these do not stand."""
    for secret in secrets:
        body = body.replace(secret, HIDDEN.encode())
    return body


def hide_path(target: bytes) -> str:
    """A path and its query, whose values are hidden unless they are known to be harmless."""
    path, mark, query = target.decode("latin-1").partition("?")
    parts = [_hide_part(part) for part in query.split("&")] if query else []
    return hide_secrets(path) + mark + "&".join(parts)


def _hide_part(part: str) -> str:
    name, equals, _ = part.partition("=")
    if not equals:
        return name if name in HARMLESS_QUERY else HIDDEN
    text = unquote_plus(part)  # with its escapes a secret may look like none
    harmless = unquote_plus(name) in HARMLESS_QUERY and hide_secrets(text) == text
    return hide_secrets(part) if harmless else f"{name}={HIDDEN}"

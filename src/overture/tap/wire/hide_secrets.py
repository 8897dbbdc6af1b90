"""Hides secrets in headers, queries, JSON and event streams, so that they stay valid."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from json import decoder
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import NamedTuple

from msgspec.structs import replace

from ...text.escape import unescape_percent
from ...text.secrets.cut_secrets import find_cut_secret
from ...text.secrets.find_and_hide import find_secrets, hide_secrets
from ...text.secrets.quick_check import Secret
from ..recorded_call import WireEvent

Hide = Callable[[str], str]
STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"', re.DOTALL)
BLOCK = "PRIVATE KEY"
MAX_NAME_CHARS = 256
"""Characters before a string among which its name is looked for."""
SECRET_NAME = re.compile(
    r'[\w-]{0,24}(?:passwor[dt]|passwd|passphrase|_pass|pwd|secret|token|key|credential|cookie|_auth)s?"\s{0,8}:'
    r'\s{0,8}(?:\[\s{0,8}(?:"[^"]{0,64}",\s{0,8}){0,2})?"\Z',
    re.IGNORECASE,
)
"""The end of what stands before a string that its name may make a secret."""
INSIDE = r'([^"\\]*+(?:\\.[^"\\]*+)*)'
NAMED_STRING = re.compile(rf'"{INSIDE}(?:"(?:\s*+:\s*+"{INSIDE}(?:"|\\?\Z))?|\\?\Z)', re.DOTALL)
"""A name, and the string behind it; or a string alone, so that none of its quotes is taken for the beginning of one."""
LANE = re.compile(r'"(?:index|output_index|content_index|item_id|contentBlockIndex)"\s*:\s*("?[\w-]+"?)')
"""The fields that identify which of several interleaved outputs an event continues."""
SECRET = re.compile(
    rb"(?i)auth|key|token|secret|cookie|credential|passw|-pass$|signature|assertion|x-amz-|cert|websocket-protocol"
)
"""Names of headers whose values are never stored. In the last, pages in a browser send a key."""
HARMLESS_HEADERS = re.compile(rb"(?i)ratelimit|rate-limit|idempotency|content-|max-tokens")
"""Names that match `SECRET` and are harmless."""
KEY_HEADERS = re.compile(rb"(?i)^(proxy-)?authorization$|(^|-)(api-?key|token|secret|cookie)$")
"""Names of headers whose whole values are keys."""
MIN_CREDENTIAL_LENGTH = 12
"""Characters of a credential that is looked for elsewhere; what is shorter would be found by chance."""
Headers = Sequence[tuple[bytes, bytes]]
HIDDEN = "[hidden]"
HARMLESS_QUERY = frozenset(
    ("alt", "$alt", "beta", "api-version", "client_version", "stream", "model", "limit", "pageSize")
)
"""Names in a query whose values may be kept."""

scanstring: Callable[[str, int, bool], tuple[str, int]] = vars(decoder)["scanstring"]
"""The decoded string that begins at a position, and its end; it is written in C."""
AS_IT_IS, ASCII = 1, 3


def find_writer(written: str, value: str) -> int | None:
    """How a string is written; None where in none of the usual ways."""
    if written == value:
        return AS_IT_IS
    return next((writer for writer in WRITERS if write_string(value, writer) == written), None)


def decode_string(written: str) -> str | None:
    """The decoded string; None if it is not one."""
    try:
        return str(scanstring(written + '"', 0, False)[0])
    except ValueError:
        return None


def write_string(text: str, writer: int) -> str:
    """A text as a string of JSON, without its quotes."""
    return WRITERS[writer](text)[1:-1] if writer > AS_IT_IS else text


def _encode_for_html(text: str) -> str:
    r"""As Go writes it: what has a meaning in HTML as \u003c and the like, and line ends that JavaScript knows."""
    return PAGES.sub(lambda found: f"\\u{ord(found[0]):04x}", encode_basestring(text))


PAGES = re.compile("[<>&\u2028\u2029]")
WRITERS = {2: encode_basestring, ASCII: encode_basestring_ascii, 4: _encode_for_html}
"""The usual ways to write a string: only what must be escaped; all that is no ASCII; what pages would obey."""


def hide_between(text: str, hide: Hide, first: bool) -> str:
    """What stands between long strings, with its short ones. `first`: it does not begin with the end of a string."""
    if hide(text) == text:
        return text
    secrets, at = find_secrets(text), 0
    parts = text.split('"')
    for number, part in enumerate(parts):
        if (number % 2 == 1) == first:
            parts[number] = _remove_secrets(part, secrets, at)
        at += len(part) + 1
    return '"'.join(parts)


def hide_across_strings(text: str) -> str:
    """JSON without key blocks that go over several strings, as the lines of a file in a list do."""
    secrets = [secret for secret in find_secrets(text) if '"' in text[secret.start : secret.end]]

    def hide_match(string: re.Match[str]) -> str:
        covered = _find_overlapping(secrets, *string.span())
        return f'"{covered[0].written}"' if covered else string[0]

    return STRING.sub(hide_match, text) if secrets else text


def hide_string(text: str, before: str, hide: Hide) -> str:
    """The decoded string, without secrets; `before` ends with its name, if it has one."""
    text = hide(text)
    name = SECRET_NAME.search(before[-MAX_NAME_CHARS:])
    if name is None:
        return text
    # As it would stand in one line with its name, which is how settings are known.
    return _remove_secrets(text, find_secrets(name[0] + text), len(name[0]))


def _find_overlapping(found: Sequence[Secret], start: int, end: int) -> Sequence[Secret]:
    """The secrets that overlap a span; they are in order, and none contains another."""
    first = bisect_right(found, start, key=lambda secret: secret.end)
    return found[first : bisect_left(found, end, first, key=lambda secret: secret.start)]


def _remove_secrets(part: str, secrets: Sequence[Secret], start: int) -> str:
    """The part of a text that starts there, with words in the place of the text's secrets, which may go beyond it."""
    pieces, at = list[str](), 0
    for secret in _find_overlapping(secrets, start, start + len(part)) if part else ():
        pieces += part[at : max(secret.start - start, 0)], secret.written
        at = secret.end - start
    return "".join([*pieces, part[at:]])


class EventString(NamedTuple):
    """A string of an event."""

    event: int
    start: int
    end: int
    writer: int
    value: str


def hide_events(events: Sequence[WireEvent], hide: Hide) -> tuple[WireEvent, ...]:
    """The same events; of a secret, the first has its name and the others nothing."""
    texts = [event.text for event in events]
    changes: list[tuple[EventString, str]] = []
    for lane in _group_lanes(texts).values():
        changes += _hide_in_lane(lane)
    for span, value in sorted(changes, key=lambda each: each[0][:2], reverse=True):
        text = texts[span.event]
        texts[span.event] = text[: span.start] + write_string(value, span.writer) + text[span.end :]
    return tuple(replace(event, text=hide(text)) for event, text in zip(events, texts, strict=True))


def _group_lanes(texts: Sequence[str]) -> dict[tuple[str, ...], list[EventString]]:
    """The strings of a name, in order, as a client of the stream joins them."""
    lanes: dict[tuple[str, ...], list[EventString]] = {}
    for number, text in enumerate(texts):
        lane = tuple(LANE.findall(text))
        for match in NAMED_STRING.finditer(text):
            event = None if match[2] is None else _read_event_string(number, match)
            if event is not None:
                lanes.setdefault((match[1], *lane), []).append(event)
    return lanes


def _read_event_string(number: int, match: re.Match[str]) -> EventString | None:
    """A string in an event that may contain secrets."""
    value = decode_string(match[2])
    if value is None:
        return None
    writer = find_writer(match[2], value)
    return EventString(number, match.start(2), match.end(2), ASCII if writer is None else writer, value)


def _hide_in_lane(lane: Sequence[EventString]) -> list[tuple[EventString, str]]:
    """The strings in which a part of a secret stands, without it."""
    joined_text = "".join(event.value for event in lane)
    ends = list(accumulate(len(event.value) for event in lane))
    changed: dict[int, str] = {}
    secrets = find_secrets(joined_text)
    cut = find_cut_secret(joined_text)
    if cut is not None and (not secrets or secrets[-1].end <= cut.start):
        secrets = (*secrets, cut)  # the stream broke off, or its limit was reached
    for secret in reversed(secrets):
        first, last = bisect_right(ends, secret.start), bisect_right(ends, secret.end - 1)
        for number in range(first, last + 1):
            begin = ends[number] - len(lane[number].value)
            value = changed.get(number, lane[number].value)
            start, end = max(secret.start - begin, 0), min(secret.end - begin, len(lane[number].value))
            changed[number] = value[:start] + (secret.written if number == first else "") + value[end:]
    return [(lane[number], value) for number, value in changed.items()]


def encode_headers(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    """Headers of a log as they are on the wire."""
    return [(name.encode("latin-1", "replace"), value.encode("latin-1", "replace")) for name, value in headers]


def hide_headers(headers: Headers, credentials: Sequence[bytes] = ()) -> tuple[tuple[str, str], ...]:
    """The headers in their order and case; what may be a secret has no value, nor is one repeated in another."""
    return tuple(
        (name.decode("latin-1"), _hide_value(name, remove_values(value, credentials))) for name, value in headers
    )


def _hide_value(name: bytes, value: bytes) -> str:
    """The value of a header without secrets."""
    return HIDDEN if is_secret(name) else hide_secrets(value.decode("latin-1"))


def is_secret(name: bytes) -> bool:
    """Whether a header's value may be a key."""
    return SECRET.search(name) is not None and HARMLESS_HEADERS.search(name) is None


def find_credentials(headers: Headers, target: bytes) -> tuple[bytes, ...]:
    """The values that were hidden, so that they can be hidden where an answer repeats them."""
    credentials = {word for name, value in headers if KEY_HEADERS.search(name) for word in value.split()}
    query = target.partition(b"?")[2]
    pairs = [part.partition(b"=") for part in query.split(b"&")]
    credentials |= {value for name, _, value in pairs if name.decode("latin-1") not in HARMLESS_QUERY}
    return tuple(sorted((each for each in credentials if len(each) >= MIN_CREDENTIAL_LENGTH), key=len, reverse=True))


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
    """A part of a query without its value, unless it is known to be harmless."""
    name, equals, _ = part.partition("=")
    if not equals:
        return name if name in HARMLESS_QUERY else HIDDEN
    plain_name, text = (unescape_percent(each.replace("+", " ")) for each in (name, part))
    harmless = (
        plain_name in HARMLESS_QUERY and hide_secrets(text) == text
    )  # with its escapes a secret may look like none
    return hide_secrets(part) if harmless else f"{name}={HIDDEN}"

"""Hides secrets in texts, headers, queries, JSON, command lines and calls, so that they stay valid and can be stored.

What a store can hold besides: no halves of characters, and numbers that fit.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from json import decoder
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any

from msgspec.structs import replace

from ...providers.parsed_call import MAX_COUNT
from ...providers.read.plain_data import MAX_WORD_LENGTH
from ...text.escape import unescape_percent
from ...text.normalize import replace_surrogates
from ...text.secrets.cut_secrets import hide_cut_secret
from ...text.secrets.find_and_hide import find_secrets, hide_secrets
from ...text.secrets.quick_check import Secret
from ...text.secrets.shapes import MAX_PRIVATE_KEY_CHARS
from ...text.truncate import move_out_of_secret
from ..recorded_call import CallPiece, RecordedCall

Hide = Callable[[str], str]
MAX_REMEMBERED_CHARS = 16_000_000


class TextMemo:
    """Makes something of texts; of a text that is sent again with the next call, only once."""

    def __init__(self, make: Hide) -> None:
        self._make = make
        self._made: dict[str, str] = {}
        self._chars = 0

    def __call__(self, text: str) -> str:
        """What is made of a text; the same object where that is equal to it."""
        made = self._made.get(text)
        if made is None:
            found = self._make(text)
            made = text if found == text else found
            if self._chars > MAX_REMEMBERED_CHARS:
                self._made, self._chars = {}, 0
            self._made[text] = made
            self._chars += len(text)
        return made


hide_text = TextMemo(hide_secrets)
clean = TextMemo(lambda text: hide_text(replace_surrogates(text)))
"""A text without secrets, and without halves of characters, which no store can keep."""


def truncate_text(text: str, limit: int) -> str:
    """The first characters of a text, so many that no key is cut in two: half of one would not be known for one."""
    return text if len(text) <= limit else text[: move_out_of_secret(text[: limit + MAX_PRIVATE_KEY_CHARS], limit)]


def clean_data(value: Any) -> Any:
    """What a provider counted, with texts that are clean and numbers that every JSON can hold."""
    if isinstance(value, str):
        return clean(truncate_text(value, MAX_WORD_LENGTH))
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return value if -MAX_COUNT < value < MAX_COUNT else None
    if isinstance(value, Mapping):
        return {clean(str(key)): clean_data(item) for key, item in value.items()}
    return [clean_data(item) for item in value] if isinstance(value, list) else None


# Headers, queries and JSON.


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
    name = _find_secret_name(before[-MAX_NAME_CHARS:])
    if not name:
        return text
    # As it would stand in one line with its name, which is how settings are known.
    return _remove_secrets(text, find_secrets(name + text), len(name))


@lru_cache(1024)  # what stands between the strings of a body is mostly the same
def _find_secret_name(before: str) -> str:
    """The end of a text that makes the string behind it a secret; empty: there is none."""
    name = SECRET_NAME.search(before)
    return name[0] if name else ""


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


# Command lines.


SECRET_OPTION = re.compile(r"(?i)(?:^|[-_.])(?:api[-_]?key|key|token|secret|password|passwd|auth|bearer|cookie)s?$")
SECRET_ASSIGNMENT = re.compile(
    r"(?i)((?:authorization|[\w-]*(?:key|token|secret|password|cookie))\s*[:=]\s*).+", re.DOTALL
)
URL_CREDENTIALS = re.compile(r"(?<=://)[^/?#\s]*:[^/?#\s]*@")
ELLIPSIS = "…"


def clean_command(words: Iterable[str]) -> Iterator[str]:
    """Each word; what an option such as --api-key is given, what stands in an address before @, and keys are hidden."""
    hide_next = False
    for word in words:
        option = word.startswith("-")
        if hide_next and not option:
            yield ELLIPSIS
        else:
            yield hide_secrets(URL_CREDENTIALS.sub(f"{ELLIPSIS}@", SECRET_ASSIGNMENT.sub(rf"\1{ELLIPSIS}", word)))
        hide_next = option and SECRET_OPTION.search(word) is not None


# Calls.


MAX_ERROR_LENGTH = 2_000


def clean_call(call: RecordedCall) -> RecordedCall:
    """The same call without secrets in its texts."""
    words = {
        name: clean(getattr(call, name))
        for name in ("path", "model", "stop", "key", "reply_id", "continues", "request_id")
    }
    return replace(
        call,
        pieces=tuple(map(clean_piece, call.pieces)),
        calls=tuple(map(clean, call.calls)),
        diagnosis=clean(call.diagnosis) if call.diagnosis else None,
        reply=clean(hide_cut_secret(call.reply)),
        error=clean(truncate_text(hide_cut_secret(call.error), MAX_ERROR_LENGTH)) if call.error else None,
        settings={name: clean(value) for name, value in call.settings.items()},
        others={clean(name): _clean_value(name, value) for name, value in call.others.items()},
        missing=tuple(map(clean, call.missing)),
        **words,
    )


def _clean_value(name: str, value: str) -> str:
    """A value as JSON, without secrets; its name may mark it as a secret."""
    if not value.startswith('"'):
        return clean(value)
    return '"' + hide_string(value[1:], f'"{name}":"', clean)


def clean_piece(piece: CallPiece) -> CallPiece:
    """A piece without secrets; the same object if it contains none."""
    name, text, ttl = clean(piece.name), clean(piece.text), clean(piece.ttl)
    same = name == piece.name and text is piece.text and ttl == piece.ttl
    return piece if same else replace(piece, name=name, text=text, ttl=ttl)

"""Whether what has the shape of a secret is likely to be one, or stands for one: `sk-xxxx`, `${TOKEN}`, a hash."""

import json
import re
from base64 import urlsafe_b64decode

STAND_IN = re.compile(
    r"(?i)example|placeholder|change[_-]?me|redacted|dummy|your[_-]|[_-]your|yourapi|yourtoken|insert[_-]|replace|not[_-]?real"
    r"|(.)\1{5}|x{4}|\*{3}|\.{3}|…|[<>{}]|\$|%\(|%s|\[secret"
)
"""What people write where a secret would stand, and the same character six times."""
COMMON = re.compile(
    r"(?i)(?:my|the|a|db|some|test)?[_-]?"
    r"(?:pass(?:word|wd|phrase|w)?|secret|pw|pwd|token|postgres(?:ql)?|root|admin|user(?:name)?|guest|test(?:ing)?|mysql"
    r"|changeit|hunter|letmein|foo|bar|foobar|redis|rabbitmq|mongo|minio|minioadmin|default|none|null|true|false)"
    r"[_-]?(?:here|word)?[0-9!]{0,4}"
)
"""Passwords that guard nothing."""
NO_PASSWORD = re.compile(
    r"(?i:(?:my|the|your|a|db|some|new|old|user)?[_-]?(?:pass(?:word|wd|phrase|w)?|secret|pw|pwd|token|changeit|none|null|true|false|file|stdin|here)"
    r"[_-]?(?:here|word|file|stdin)?[0-9!]{0,4})|[A-Z][A-Z_]*|-.*|/.*|%.*|@.*|\\.*|!.*|\(.*|\[.*|:.*|`.*|.*[)\]]"
)
"""What stands in the place of a password in manuals and programs: a word for it, a name in capitals, another option."""
HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}|[0-9A-F]{40}|[0-9A-F]{64}")
UUID = re.compile(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
DIGEST = re.compile(r"(?i)(?:sha\d{1,3}|md5|h1)[-:=]")
TURN = re.compile(r"[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])")
COUNTED = re.compile(r"0123456|1234567")
LETTERS = re.compile(r"[A-Za-z0-9+/=]{16,}")
"""What key blocks are made of."""
MAX_PASSWORD_CHARS = 128
"""Characters of a password."""
MIN_DISTINCT_CHARS = 8
"""A key has more different characters than this."""
MIN_DISTINCT_OF_FORTY = 24
"""Different characters among forty: of a random text nearly always more, of a path hardly ever."""
KIND_OF_NAME = {"pass": "password", "toke": "token", "secr": "secret", "pwd": "password", "cook": "cookie"}


def is_placeholder(text: str) -> bool:
    """Whether it says of itself that it is none."""
    return STAND_IN.search(text) is not None


def is_likely_key(text: str, least: int, *, mixed: bool = False) -> bool:
    """Whether a text is random enough for a key of at least so many characters.

    `mixed`, where only its neighbours tell that it may be one: letters and digits take turns in it, as in no word, path
    or version, and it is no hash and no UUID.
    """
    if len(text) < least or len(set(text)) <= MIN_DISTINCT_CHARS or is_placeholder(text):
        return False
    if not mixed:
        return any(char.isdigit() or char.isupper() for char in text)  # else it is a name made of words
    if HASH.fullmatch(text) or UUID.fullmatch(text) or DIGEST.match(text) or COUNTED.search(text):
        return False
    return len(TURN.findall(text)) >= max(3, len(text) // 12) and len(set(text)) >= min(12, len(text) * 5 // 8)


def is_likely_random(text: str) -> bool:
    """Whether forty characters are of more kinds than those of any path or word, also where digits are few."""
    return (
        len(set(text)) >= MIN_DISTINCT_OF_FORTY
        and not is_placeholder(text)
        and not text.isupper()
        and not text.islower()
    )


def is_likely_password(text: str) -> bool:
    """Whether it is a password that guards something: not `password`, not a name, not `$PASSWORD`."""
    if not 6 <= len(text) <= MAX_PASSWORD_CHARS or is_placeholder(text) or COMMON.fullmatch(text) or len(set(text)) < 5:
        return False
    kinds = sum(any(map(kind, text)) for kind in (str.islower, str.isupper, str.isdigit, _is_mark))
    return kinds >= 2 and (any(map(str.isdigit, text)) or kinds >= 3)


def is_given_password(text: str) -> bool:
    """Whether what stands in the place of a password is one: no word for it, no variable, no name in capitals."""
    if not 3 <= len(text) <= MAX_PASSWORD_CHARS or is_placeholder(text) or NO_PASSWORD.fullmatch(text):
        return False
    return len(set(text)) >= 3


def is_random_value(text: str) -> bool:
    """Whether it is long and random enough for a session: letters and digits take turns in it."""
    return (
        len(text) >= 16
        and not is_placeholder(text)
        and (is_likely_key(text, 16, mixed=True) or HASH.fullmatch(text) is not None)
    )


def _is_mark(char: str) -> bool:
    return not char.isalnum() and char not in "._-/"


def holds_key(block: str) -> bool:
    """Whether a key block holds more than dots and a word or two."""
    lines = "".join(LETTERS.findall(block))
    return len(lines) >= 40 and len(set(lines)) > MIN_DISTINCT_CHARS


def is_json_header(token: str) -> bool:
    """Whether the first part of a JWT says how it is signed."""
    head = token.partition(".")[0]
    try:
        return "alg" in json.loads(urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, TypeError, RecursionError):
        return False

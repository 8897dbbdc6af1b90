"""Whether a text with the shape of a secret is likely to be one, or a placeholder: `sk-xxxx`, `${TOKEN}`, a hash."""

import re
from base64 import b64decode, urlsafe_b64decode
from itertools import pairwise

STAND_IN = re.compile(
    r"(?i)example|placeholder|change[_-]?me|redacted|dummy|your[_-]|[_-]your|yourapi|yourtoken|insert[_-]|replace|not[_-]?(?:a[_-]?)?real"
    r"|exposed|sample|fake|deadbeef|foobar|this[_-]?is"
    r"|(.)\1{5}|x{4}|\*{3}|\.{3}|…|[<>{}^]|\$|%\(|%s|\[secret"
)
"""Placeholders that people write instead of a secret, and the same character six times."""
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
"""Placeholders of a password in manuals and programs: a word for it, a name in capitals, another option."""
HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}|[0-9A-F]{40}|[0-9A-F]{64}")
UUID = re.compile(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
DIGEST = re.compile(r"(?i)(?:sha\d{1,3}|md5|h1)[-:=]")
TURN = re.compile(r"[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])")
COUNTED = re.compile(r"0123456|1234567")
LETTERS = re.compile(r"[A-Za-z0-9+/=]{16,}")
"""What key blocks are made of."""
CODE = re.compile(r"\w(?:::|->)\w")
"""A name in a program, as in a rule for passwords: `Password::min(12)`."""
MAX_PASSWORD_CHARS = 128
"""Characters of a password."""
MIN_DISTINCT_CHARS = 8
"""A key has more different characters than this."""
MIN_DISTINCT_OF_FORTY = 24
"""Different characters among forty: of a random text nearly always more, of a path hardly ever."""
KIND_OF_NAME = {"pass": "password", "toke": "token", "secr": "secret", "pwd": "password", "cook": "cookie"}


PUBLISHED = ("4eC39HqLyjWDarjtT1zdp7dc", "uFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw")
"""The ends of keys that vendors print in their manuals: Stripe's examples, and Azure's storage emulator."""


def is_placeholder(text: str) -> bool:
    """Whether a value is visibly no secret: by a word, a row of letters or digits, or repetition."""
    return STAND_IN.search(text) is not None or is_sequence(text) or text.rstrip("=").endswith(PUBLISHED)


SEGMENTS = re.compile(r"[A-Za-z0-9]+")
SAME = re.compile(r"(.{3,8}?)\1{2,}.{0,7}")
"""One piece, three times or more."""
MIN_SEQUENCE = 6
"""Characters in a row, as in `123456`: one random key of some hundred thousand has that many."""


def is_sequence(text: str) -> bool:
    """Whether it was typed along the alphabet, as `abc123def456`, or repeats one piece several times."""
    text = max(SEGMENTS.findall(text), key=len, default="")  # of a key with parts, the longest is the random one
    runs = _list_sequences(text)
    return max(runs, default=0) >= MIN_SEQUENCE or sum(runs) * 2 > len(text) or SAME.fullmatch(text) is not None


def _list_sequences(text: str) -> list[int]:
    """The lengths of the runs of three and more characters in ascending or descending order."""
    lengths, length, step = list[int](), 1, 0
    for last, char in pairwise(text.lower()):
        here = ord(char) - ord(last)
        # Behind 9 comes 0.
        here = 1 if last == "9" and char == "0" else here
        here = here if here in (1, -1) else 0
        length = 1 if not here else length + 1 if here == step else 2
        step = here
        if length >= 3:
            lengths[-1:] = [length] if length > 3 else [*lengths[-1:], length]
    return lengths


LEET = str.maketrans("0134578@$!|", "oieastbasii")
VOCABULARY = (
    "pass passwd password passphrase passwort pwd word secret secure security strong weak wrong right correct "
    "good bad my your the an another super very welcome test testing tester sample demo fake dummy admin "
    "administrator root user username login default temp temporary change changed it me new old first last some "
    "any random example invalid valid attacker victim session regular normal staging prod production dev "
    "development local localhost db database api key token client server app service account here long generated "
    "value string not real only for in to is this that horse battery staple open sesame aladdin foo bar baz qux "
    "abc hello world let summer winter spring autumn company qwerty and or id auth"
)
WORDS = frozenset(VOCABULARY.split())
"""Words that pages use for passwords."""
MAX_WORD_CHARS = max(map(len, WORDS))


def is_made_of_words(text: str) -> bool:
    """Whether it is a password such as documentation is full of: `SecurePass123!`, `Test123!@#`, `P@ssw0rd`."""
    low = text.lower()
    forms = (low, low.translate(LEET), low.rstrip("0123456789!@#$%^&*?.").translate(LEET))
    return any(any(map(str.isalpha, form)) and _splits_into_words(form) for form in forms)


def _splits_into_words(text: str) -> bool:
    """Whether it is words with digits and marks between them. A pattern would try each of the many ways to split it."""
    ends = [True]
    for end in range(1, len(text) + 1):
        starts = range(max(0, end - MAX_WORD_CHARS), end)
        ends_word = any(ends[start] and text[start:end] in WORDS for start in starts)
        ends.append(ends_word or (ends[end - 1] and not text[end - 1].isalpha()))
    return ends[-1]


EXAMPLE_WORDS = re.compile(
    r"(?i)\b(?:examples?|e\.g\.|for instance|samples?|dummy|fake|placeholders?|mock(?:ed)?|vulnerable|insecure"
    r"|made[- ]up)\b"
    r"|@(?:[\w.-]*\.)?(?:example(?:\.\w+)?|company\.com|invalid|test)\b"
)
"""On the line of a value that only its position makes a secret."""


COMMENT = re.compile(r"\s*(?:#|//|--|\*|<!--)|[^\n]{0,300}:[ \t]*\n")
"""A line that describes the next one."""
MAX_LINE_CHARS = 300


def is_in_example(text: str, start: int, end: int) -> bool:
    """Whether the line of a value, or the words above it, call it an example; a reserved host name does, too."""
    first = max(text.rfind("\n", 0, start) + 1, start - MAX_LINE_CHARS)
    above = text.rfind("\n", max(0, first - MAX_LINE_CHARS), max(0, first - 1)) + 1
    last = text.find("\n", end, end + MAX_LINE_CHARS)
    begin = above if COMMENT.match(text, above) else first
    return EXAMPLE_WORDS.search(text, begin, last if last >= 0 else end + MAX_LINE_CHARS) is not None


def is_likely_key(text: str, least: int = 16, *, mixed: bool = False) -> bool:
    """Whether a text is random enough for a key of at least so many characters.

    `mixed` is for values that only their neighbours mark as keys: letters and digits take turns, as in no word, path
    or version, and it is no hash and no UUID.
    """
    if len(text) < least or len(set(text)) <= MIN_DISTINCT_CHARS or is_placeholder(text):
        return False
    if text.startswith("eyJ") and "." in text and not is_signed_token(text):
        return False
    if not mixed:
        return any(char.isdigit() or char.isupper() for char in text)  # else it is a name made of words
    if HASH.fullmatch(text) or UUID.fullmatch(text) or DIGEST.match(text) or COUNTED.search(text):
        return False
    return len(TURN.findall(text)) >= max(3, len(text) // 12) and len(set(text)) >= min(12, len(text) * 5 // 8)


def is_hex_key(text: str) -> bool:
    """Whether it is as long as a hash or is a UUID: behind the name of a variable for a key, that is one."""
    return (
        bool(HASH.fullmatch(text) or UUID.fullmatch(text))
        and len(set(text)) > MIN_DISTINCT_CHARS
        and not is_placeholder(text)
    )


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
    decoded = decode_words(text)
    if decoded is not None and not is_likely_password(decoded):
        return False
    if not 6 <= len(text) <= MAX_PASSWORD_CHARS or is_placeholder(text) or COMMON.fullmatch(text) or len(set(text)) < 5:
        return False
    if is_made_of_words(text) or CODE.search(text):
        return False
    kinds = sum(any(map(kind, text)) for kind in (str.islower, str.isupper, str.isdigit, _is_mark))
    return kinds >= 2 and (any(map(str.isdigit, text)) or kinds >= 3)


def is_given_password(text: str) -> bool:
    """Whether a value in the place of a password is one: no word for it, no variable, no name in capitals."""
    if not 3 <= len(text) <= MAX_PASSWORD_CHARS or is_placeholder(text) or NO_PASSWORD.fullmatch(text):
        return False
    return len(set(text)) >= 3 and not is_made_of_words(text)


def is_random_value(text: str) -> bool:
    """Whether it is long and random enough for a session: letters and digits take turns in it."""
    return (
        len(text) >= 16
        and not is_placeholder(text)
        and (is_likely_key(text, mixed=True) or HASH.fullmatch(text) is not None)
    )


def _is_mark(char: str) -> bool:
    return not char.isalnum() and char not in "._-/"


def is_own_hash(text: str) -> bool:
    """Whether the hash of a password has a random salt, which no person typed."""
    return not is_made_of_words(text.split("$")[-2] if text.count("$") > 2 else "")


def holds_key(block: str) -> bool:
    """Whether a key block holds more than dots and a word or two."""
    lines = "".join(LETTERS.findall(block))
    return len(lines) >= 40 and len(set(lines)) > MIN_DISTINCT_CHARS


def is_json_header(token: str) -> bool:
    """Whether the first part of a JWT names the algorithm of its signature."""
    import json

    head = token.partition(".")[0]
    try:
        return "alg" in json.loads(_decode_part(head))
    except (ValueError, TypeError, RecursionError):
        return False


SAMPLE_CLAIMS = re.compile(rb"(?i)1234567890|j(?:ohn|ane) doe|example\.|\"(?:test|foo|bar)\"")
MIN_SIGNATURE_CHARS = 22


def is_signed_token(token: str) -> bool:
    """Whether a JWT gives access to something: it is signed, and has no claims of the examples in manuals."""
    head, _, rest = token.partition(".")
    claims, _, signature = rest.partition(".")
    if not is_json_header(head) or len(signature) < MIN_SIGNATURE_CHARS:
        return False
    try:
        return SAMPLE_CLAIMS.search(_decode_part(claims)) is None
    except ValueError:
        return True


def _decode_part(part: str) -> bytes:
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))


def decode_words(text: str) -> str | None:
    """The text that a value encodes in Base64; None if it is no text. That text is the secret, or an example."""
    if len(text) < 8 or len(text.rstrip("=")) % 4 == 1:
        return None
    try:
        decoded = b64decode(text + "=" * (-len(text) % 4), validate=True).decode("utf-8")
    except (ValueError, UnicodeDecodeError):
        return None
    return decoded if decoded.isascii() and decoded.isprintable() else None

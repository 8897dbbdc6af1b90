"""Whether a text is worth searching for secrets: most texts hold no run of letters and digits as long as a key."""

import re
from binascii import a2b_base64
from codecs import utf_8_decode
from typing import NamedTuple

RUN = b"a" * 20
"""Letters, digits, `_` and `-` in a row in the shortest key that is known by its shape."""
CLASSES = bytes(97 if chr(i).isalnum() or chr(i) in "_-" else 32 for i in range(128)) + b" " * 128
LONG_RUN = b"a" * 24
BASE64_LETTERS = bytes(97 if code < 128 and (chr(code).isalnum() or chr(code) in "+/_-") else 32 for code in range(256))
"""Every letter of Base64 as `a`, and every other character as a blank."""
URL_SAFE = bytes.maketrans(b"-_", b"+/")
START = 8
"""Characters that show for nearly all paths that they are no Base64, and that many paths share."""
WORDS = ("pwd", "private key", "cookie", "basic ", "auth")
"""Words before secrets that may be short, in small letters."""
PASSWORDS = ("passw", "_pass", "pass:")
PORTS = ("3306:", "432:")
HASHES = ("$1$", "$2", "$5$", "$6$", "$y$", "$apr1$", "$argon2")
"""The same where `pass`, a `3` or a `$` is in the text at all: one character is found in a fifteenth of the time that a
word takes."""
OPTION_SIGN = re.compile(r"-(?<= -)[puawb-]")
ODD_LETTERS = ("\u0130", "\u212a")
"""The letters beyond ASCII that have one of ASCII among their small letters."""


class Secret(NamedTuple):
    """The position of a key or token, and its kind."""

    start: int
    end: int
    kind: str

    @property
    def written(self) -> str:
        """What hides the secret in a text: `[secret: GitHub token]`."""
        return f"[secret: {self.kind}]"


VAGUE = ("API key", "bearer token", "password", "password in a URL", "secret", "token")
"""Kinds that give way to a more specific one."""


def may_hold_secret(text: str) -> bool:
    """Whether it is worth looking closer: a run as long as a key, a URL with a name in it, a password, a key block."""
    data = text.encode("utf-8", "surrogatepass")
    return (
        data.translate(CLASSES).find(RUN) >= 0
        or ("@" in text and "://" in text)
        # As bytes, letters beyond ASCII are lowered in a quarter of the time; as a text, short words are found in one.
        or _names_secret(data.lower().decode("latin-1"))
        or (not text.isascii() and any([letter in text for letter in ODD_LETTERS]))
    )


def _names_secret(low: str) -> bool:
    """Whether a text has a word that often precedes a secret."""
    return (
        any([word in low for word in WORDS])
        or ("pass" in low and any([word in low for word in PASSWORDS]))
        or ("-" in low and OPTION_SIGN.search(low) is not None)
        or ("3" in low and any([word in low for word in PORTS]))
        or ("$" in low and any([word in low for word in HASHES]))
        or ("*" in low and ":*:" in low)
        or ("}" in low and "sha}" in low)
    )


def may_hold_base64(text: str) -> bool:
    """Whether a run in it is long enough, and begins as an encoded text does: few paths do."""
    written = text.encode("ascii", "replace")
    before, *further = written.translate(BASE64_LETTERS).split(LONG_RUN)
    at, starts = len(before), set[bytes]()
    for between in further:
        starts.add(written[at : at + START])
        at += len(LONG_RUN) + len(between)
    return any(map(may_begin_text, starts))


def may_begin_text(start: bytes) -> bool:
    """Whether this begins a text in Base64."""
    try:
        utf_8_decode(a2b_base64(start.translate(URL_SAFE)), "strict", False)
    except UnicodeDecodeError:
        return False
    return True

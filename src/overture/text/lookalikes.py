r"""Text as a reader takes it: letter case, look-alikes, marks on letters and what nobody sees do not count.

`<ｉｄｅｎｔｉｔｙ>`, `<іdentity>` with a Cyrillic letter and `<iden\u{200B}tity>` are all read as `<identity>`.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from .invisible import IGNORABLE
from .unicode_data.confusables import CONFUSABLES

OTHERS = {
    "a": "ᴀ", "b": "ʙᏏ", "c": "ᴄ", "d": "ᴅ", "e": "εᴇ", "f": "ғꜰ", "g": "ɢ", "h": "ʜ", "i": "ıɩꙇɪ", "j": "ᴊ",
    "k": "ᴋ", "l": "ʟ", "m": "мᴍ", "n": "пոɴη", "o": "ᴏσ", "p": "ᴘ", "r": "гʀᴦ", "s": "ꜱ", "t": "тτᴛ", "u": "υսᴜц",
    "v": "ᴠ", "w": "ωᴡ", "x": "хχ", "y": "уүγʏ", "z": "ᴢ", "-": "—", "_": "ˍ",
    "<": "\uff1c\ufe64\u2329\u3008\u27e8\u2770\u29fc", ">": "⟩❱⧽",
}  # fmt: skip
"""What Unicode's table does not have, and a reader still takes for the letter or sign."""
TABLE = {letter: "".join([chr(int(code, 16)) for code in codes.split()]) for letter, codes in CONFUSABLES.items()}
LIKE = {like: letter for table in (OTHERS, TABLE) for letter, likes in table.items() for like in likes}
LIKE.update(
    {like.lower(): letter for like, letter in LIKE.items() if len(like.lower()) == 1 and like.lower() not in LIKE}
)
ANGLES = "<" + "".join([like for like, letter in LIKE.items() if letter == "<"])
"""`<`, and what looks like it."""
ANGLE = re.compile(f"[{ANGLES}]")
SHOWN = re.compile(r"\\u\{[0-9A-F]{4,6}\}")
r"""A character that was made visible: `\u{200B}`."""
BLANKS = re.compile(r"\s+")


@lru_cache(maxsize=4096)
def folded(char: str) -> str:
    """One character as it is read; nothing, where nobody sees it."""
    if IGNORABLE.match(char):
        return ""
    like = LIKE.get(char)
    return merged(like or "".join(map(_letters, _decomposed(char))))


def _decomposed(text: str) -> Iterator[str]:
    return (c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def _letters(char: str) -> str:
    """A character as the letter it looks like in lower case, or else as it stands."""
    lower = char.casefold()
    return LIKE.get(lower) or LIKE.get(char) or lower


def as_letters(text: str) -> str:
    """A text in lower case with the letters that a reader takes it for: `i` and `l` are two."""
    seen = "".join([c for c in SHOWN.sub("", text) if not IGNORABLE.match(c)])
    return BLANKS.sub(" ", "".join(map(_letters, _decomposed(seen))))


def merged(text: str) -> str:
    """Letters in lower case, with `i` as `l`: I, l and a dozen signs of other scripts are one stroke."""
    return text.replace("i", "l")


def as_read(text: str) -> str:
    """A short text as it is read, with runs of blanks as one."""
    if not text.isascii() or "\\u{" in text:
        text = "".join(map(folded, SHOWN.sub("", text)))
    return " ".join(merged(text.lower()).split())


def beginning_as_read(text: str, most: int) -> str:
    """The first letters of a text as it is read. What nobody sees takes no room, so that a line can't be stretched."""
    if len(text) <= most:
        return as_read(text)
    text, out = SHOWN.sub("", text), ""
    for at in range(0, len(text), most):
        out = BLANKS.sub(" ", out + "".join(map(folded, text[at : at + most])))
        if len(out) > most:
            break
    return as_read(out)[:most]


def read_from(text: str, at: int, most: int) -> tuple[str, bool]:
    """What is read from `at` on, up to `>`, `<` or `most` letters; and whether the text ended before that.

    Blanks and slashes at its beginning do not count. What nobody sees takes no room, so that a tag can't be stretched.
    """
    out: list[str] = []
    end = len(text)
    while at < end:
        if text[at] == "\\" and (shown := SHOWN.match(text, at)):
            at = shown.end()
            continue
        for char in folded(text[at]):
            if char in "<>":
                return "".join(out).rstrip(), False
            if char.isspace():
                out += [" "] if out and out[-1] != " " else []
            elif out or char != "/":
                out.append(char)
        if len(out) >= most:
            return "".join(out).rstrip(), False
        at += 1
    return "".join(out).rstrip(), True

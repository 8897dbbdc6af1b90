"""Text is compared as a reader sees it: letter case, look-alikes, accents and invisible characters do not count."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from .confusables import CONFUSABLES
from .invisible import IGNORABLE

# Text as a reader takes it: letter case, look-alikes, marks on letters and invisible characters do not count.
# `<ｉｄｅｎｔｉｔｙ>`, `<іdentity>` with a Cyrillic letter and `<iden\u{200B}tity>` are all read as `<identity>`.


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
ESCAPED_CHAR = re.compile(r"\\u\{[0-9A-F]{4,6}\}")
r"""A character that was made visible: `\u{200B}`."""
BLANKS = re.compile(r"\s+")


@lru_cache(maxsize=4096)
def fold_char(char: str) -> str:
    """One character as it is read; empty if it is invisible."""
    if IGNORABLE.match(char):
        return ""
    like = LIKE.get(char)
    return merge_strokes(like or "".join(map(_replace_lookalike, _decompose(char))))


def _decompose(text: str) -> Iterator[str]:
    return (c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def _replace_lookalike(char: str) -> str:
    """A character as the letter it looks like in lower case, or else unchanged."""
    lower = char.casefold()
    return LIKE.get(lower) or LIKE.get(char) or lower


def fold_letters(text: str) -> str:
    """A text in lower case with the letters that a reader takes it for: `i` and `l` are two."""
    visible = "".join([c for c in ESCAPED_CHAR.sub("", text) if not IGNORABLE.match(c)])
    return BLANKS.sub(" ", "".join(map(_replace_lookalike, _decompose(visible))))


def merge_strokes(text: str) -> str:
    """Letters in lower case, with `i` as `l`: I, l and a dozen signs of other scripts are one stroke."""
    return text.replace("i", "l")


def fold_text(text: str) -> str:
    """A short text as it is read, with runs of blanks as one."""
    if not text.isascii() or "\\u{" in text:
        text = "".join(map(fold_char, ESCAPED_CHAR.sub("", text)))
    return " ".join(merge_strokes(text.lower()).split())


def fold_beginning(text: str, limit: int) -> str:
    """The first letters of a text as it is read. Invisible characters do not count, so they can't pad a line."""
    if len(text) <= limit:
        return fold_text(text)
    text, out = ESCAPED_CHAR.sub("", text), ""
    for at in range(0, len(text), limit):
        out = BLANKS.sub(" ", out + "".join(map(fold_char, text[at : at + limit])))
        if len(out) > limit:
            break
    return fold_text(out)[:limit]


def fold_from(text: str, at: int, limit: int) -> tuple[str, bool]:
    """The letters from `at` on as a reader sees them, up to `>`, `<` or `limit` letters; and whether the text ended.

    Blanks and slashes at its beginning do not count, nor do invisible characters: they can't pad a tag.
    """
    out: list[str] = []
    end = len(text)
    while at < end:
        if text[at] == "\\" and (shown := ESCAPED_CHAR.match(text, at)):
            at = shown.end()
            continue
        for char in fold_char(text[at]):
            if char in "<>":
                return "".join(out).rstrip(), False
            if char.isspace():
                out += [" "] if out and out[-1] != " " else []
            elif out or char != "/":
                out.append(char)
        if len(out) >= limit:
            return "".join(out).rstrip(), False
        at += 1
    return "".join(out).rstrip(), True

r"""Text as a reader takes it: letter case, look-alikes, marks on letters and what nobody sees do not count.

`<ｉｄｅｎｔｉｔｙ>`, `<іdentity>` with a Cyrillic letter and `<iden\u{200B}tity>` are all read as `<identity>`.
"""

import re
import unicodedata
from functools import lru_cache

from .invisible import IGNORABLE

ANGLES = "<\uff1c\ufe64\u2039\u2329\u3008\u27e8\u276e\u2770\u02c2\u1438\u16b2\u29fc"
"""`<`, and what looks like it."""
ANGLE = re.compile(f"[{ANGLES}]")
SHOWN = re.compile(r"\\u\{[0-9A-F]{4,6}\}")
r"""A character that was made visible: `\u{200B}`."""
BLANKS = re.compile(r"\s+")

LETTERS = {
    "a": "аαɑᴀ", "b": "ЬʙᏏ", "c": "сϲᴄ", "d": "ԁᴅ", "e": "еεҽᴇ", "f": "ғꜰ", "g": "ɡցɢ", "h": "һհʜ", "i": "іιıɩꙇɪ",
    "j": "јϳյᴊ", "k": "кκᴋ", "l": "ӏʟ", "m": "мᴍ", "n": "пոɴη", "o": "оοօᴏσ", "p": "рρᴘ", "q": "ԛ",
    "r": "гʀᴦ", "s": "ѕꜱ",
    "t": "тτᴛ", "u": "υսᴜц", "v": "ѵνᴠ", "w": "ԝωᴡ", "x": "хχ", "y": "уүγʏ", "z": "ᴢ", "/": "∕⁄⧸╱⟋",
    "-": "‐‑‒–—−﹘˗", "_": "ˍ", "<": ANGLES[1:], ">": "ᐳ›⟩❯❱˃⧽",
}  # fmt: skip
"""Letters of other scripts, by the Latin one that they are read as."""
LIKE = str.maketrans({like.lower(): letter for letter, likes in LETTERS.items() for like in likes})


@lru_cache(maxsize=4096)
def folded(char: str) -> str:
    """One character as it is read; nothing, where nobody sees it."""
    if IGNORABLE.match(char):
        return ""
    plain = "".join(c for c in unicodedata.normalize("NFKD", char) if not unicodedata.combining(c))
    return plain.casefold().translate(LIKE) if plain else ""


def as_read(text: str) -> str:
    """A short text as it is read, with runs of blanks as one."""
    if not text.isascii() or "\\u{" in text:
        text = "".join(map(folded, SHOWN.sub("", text)))
    return " ".join(text.lower().translate(LIKE).split())


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

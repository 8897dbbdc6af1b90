"""Text is compared as a reader sees it: letter case, look-alikes, accents and invisible characters do not count."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from .invisible import IGNORABLE
from .lazy_pattern import compile_on_use

CONFUSABLES = {
    "-": ("2D7 6D4 2010 2011 2012 2013 2043 2212 2796 2CBA FE58"),
    "/": ("1735 2041 2044 2215 2571 27CB 29F8 2CC6 2F03 3033 30CE 31D3 4E3F 1D23A"),
    "<": ("2C2 1438 16B2 2039 276E 1D236"),
    "=": ("1400 2E40 30A0 A4FF"),
    ">": ("2C3 1433 203A 276F 16F3F 1D237"),
    "_": ("7FA"),
    "a": (
        "251 391 3B1 410 430 13AA 15C5 237A A4EE 102A0 16F40 1D6A8 1D6C2 1D6E2 1D6FC 1D71C 1D736 1D756 1D770 "
        "1D790 1D7AA"
    ),
    "b": ("184 392 412 42C 13CF 13F4 1472 15AF 15F7 A4D0 A7B4 10282 102A1 10301 1D6A9 1D6E3 1D71D 1D757 1D791"),
    "c": ("3F2 3F9 421 441 13DF 1D04 2CA4 2CA5 A4DA ABAF 102A2 10302 10415 1043D 1051C 118E9 118F2 1F74C"),
    "d": ("501 13A0 13E7 146F 15DE 15EA A4D2 A4D3"),
    "e": ("395 415 435 4BD 13AC 212E 22FF 2D39 A4F0 AB32 10286 118A6 118AE 1D6AC 1D6E6 1D720 1D75A 1D794"),
    "f": ("17F 3DC 584 15B4 1E9D A4DD A798 A799 AB35 10287 102A5 10525 118A2 118C2 1D213 1D7CA"),
    "g": ("18D 261 50C 581 13C0 13F3 1D83 A4D6"),
    "h": ("397 41D 4BB 570 13BB 13C2 157C 2C8E A4E7 102CF 1D6AE 1D6E8 1D722 1D75C 1D796"),
    "i": ("131 269 26A 2DB 37A 3B9 456 4CF 13A5 1FBE 2373 A647 AB75 118C3 1D6A4 1D6CA 1D704 1D73E 1D778 1D7B2"),
    "j": ("37F 3F3 408 458 13AB 148D A4D9 A7B2"),
    "k": ("39A 41A 13E6 16D5 2C94 A4D7 10518 1D6B1 1D6EB 1D725 1D75F 1D799"),
    "l": (
        "196 1C0 399 406 4C0 5C0 5D5 5DF 627 661 6F1 7CA 13DE 14AA 16C1 2110 2111 2160 2223 23FD 2C92 2CD0 "
        "2D4F A4E1 A4F2 FE8D FE8E FF29 FFE8 1028A 10309 10320 1041B 10526 118A3 118B2 16F16 16F28 1D22A 1D408 "
        "1D43C 1D470 1D4D8 1D540 1D574 1D5A8 1D5DC 1D610 1D644 1D678 1D6B0 1D6EA 1D724 1D75E 1D798 1D7CF "
        "1D7D9 1D7E3 1D7ED 1D7F7 1E8C7 1EE00 1EE80 1FBF1"
    ),
    "m": ("39C 3FA 41C 13B7 15F0 16D6 2C98 A4DF 102B0 10311 11700 118E3 1D6B3 1D6ED 1D727 1D761 1D79B"),
    "n": ("39D 578 57C 2C9A A4E0 10513 1D6B4 1D6EE 1D728 1D762 1D79C"),
    "o": (
        "39F 3BF 3C3 41E 43E 555 585 5E1 647 665 6BE 6C1 6D5 6F5 7C0 966 9E6 A66 AE6 B20 B66 BE6 C02 C66 C82 "
        "CE6 D02 D20 D66 D82 E50 ED0 101D 1040 10FF 12D0 1D0F 1D11 2C9E 2C9F 2D54 3007 A4F3 AB3D FBA6 FBA7 "
        "FBA8 FBA9 FBAA FBAB FBAC FBAD FEE9 FEEA FEEB FEEC 10292 102AB 10404 1042C 104C2 104EA 10516 114D0 "
        "118B5 118C8 118D7 118E0 1D6B6 1D6D0 1D6D4 1D6F0 1D70A 1D70E 1D72A 1D744 1D748 1D764 1D77E 1D782 "
        "1D79E 1D7B8 1D7BC 1D7CE 1D7D8 1D7E2 1D7EC 1D7F6 1EE24 1EE64 1EE84 1FBF0"
    ),
    "p": (
        "3A1 3C1 3F1 420 440 13E2 146D 2374 2CA2 2CA3 A4D1 10295 1D6B8 1D6D2 1D6E0 1D6F2 1D70C 1D71A 1D72C "
        "1D746 1D754 1D766 1D780 1D78E 1D7A0 1D7BA 1D7C8"
    ),
    "q": ("51B 563 566 2D55"),
    "r": ("1A6 433 13A1 13D2 1587 1D26 2C85 A4E3 AB47 AB48 AB81 104B4 16F35 1D216"),
    "s": ("1BD 405 455 54F 13D5 13DA A4E2 A731 ABAA 10296 10420 10448 118C1 16F3A"),
    "t": ("3A4 422 13A2 22A4 27D9 2CA6 A4D4 10297 102B1 10315 118BC 16F0A 1D6BB 1D6F5 1D72F 1D769 1D7A3 1F768"),
    "u": (
        "28B 3C5 54D 57D 1200 144C 1D1C 222A 22C3 A4F4 A79F AB4E AB52 104CE 104F6 118B8 118D8 16F42 1D6D6 "
        "1D710 1D74A 1D784 1D7BE"
    ),
    "v": (
        "3BD 474 475 5D8 667 6F7 13D9 142F 1D20 2228 22C1 2D38 A4E6 A6DF ABA9 1051D 11706 118A0 118C0 16F08 "
        "1D20D 1D6CE 1D708 1D742 1D77C 1D7B6"
    ),
    "w": ("26F 461 51C 51D 561 13B3 13D4 1D21 A4EA AB83 1170A 1170E 1170F 118E6 118EF"),
    "x": (
        "D7 3A7 425 445 1541 157D 166D 166E 16B7 2573 292B 292C 2A2F 2CAC 2D5D A4EB A7B3 10290 102B4 10317 "
        "10322 10527 118EC 1D6BE 1D6F8 1D732 1D76C 1D7A6"
    ),
    "y": (
        "263 28F 3A5 3B3 3D2 423 443 4AE 4AF 10E7 13A9 13BD 1D8C 1EFF 213D 2CA8 A4EC AB5A 102B2 118A4 118DC "
        "16F43 1D6BC 1D6C4 1D6F6 1D6FE 1D730 1D738 1D76A 1D772 1D7A4 1D7AC"
    ),
    "z": ("396 13C3 1D22 A4DC AB93 102F5 118A9 118C4 118E5 1D6AD 1D6E7 1D721 1D75B 1D795"),
}
"""Each as code points in hexadecimal, with a blank between two."""


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
ANGLE = compile_on_use(f"[{ANGLES}]")
ESCAPED_CHAR = compile_on_use(r"\\u\{[0-9A-F]{4,6}\}")
r"""A character that was made visible: `\u{200B}`."""
BLANKS = compile_on_use(r"\s+")


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
    """The letters from `at` on, up to `>`, `<` or `limit` letters; and whether the text ended before that.

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

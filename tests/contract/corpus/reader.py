"""A reader who is not ours: what somebody who reads a prompt leniently takes for its frames.

It shares no table with the gate, so that a hole in the gate's is not a hole here. Letter case, marks, look-alikes,
blanks and what nobody sees do not count; a tag that is cut off by the end of the text is one.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate, pairwise

ALIKE = str.maketrans(
    "аеорсухіјѕһԁԛԝҽոսօհցοαεικρτυχγηᴀᴇɪᴏᴜᴛʀɴʟᴅᴄᴍʙɡıɑⅼ∕⁄‐‑‒–−",
    "aeopcyxijshdqwenuohgoaeikptuxynaeioutrnldcmbgial//-----",
)
OPENING = "<＜﹤‹〈〈⟨❮❰˂ᐸ"
CLOSING = ">＞﹥›〉⟩❯❱˃ᐳ"
LINE_ENDS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
SHOWN_END = re.compile(r"\\u\{(?:000[BC]|001[CDE]|0085)\}")
SHOWN = re.compile(r"\\u\{[0-9A-F]{4,6}\}")
LINE = re.compile(f"[{LINE_ENDS}]")
TYPE_GOES_ON = re.compile(
    r"""(?:\[[\w\s"'.,]*\]|[*&?!]|\.{3})*(?:\s*[<>]|\s*&(?:lt|#\w+);|\s*[,|&]\s*[\w"'?&*({\[]|\s+extends\s+\w)"""
)
"""What follows a name in a type: its end, another type in brackets, or a mark and the next one."""
FORMATS_SEEN = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd\U00013430-\U0001343f]")
"""Signs of numbers and verses: formats by their category, and yet they are drawn."""
HEADING = re.compile(r" {0,3}(#{1,6})\s*(.*?)(?:\s+#*)?\s*")


def seen(text: str) -> str:
    """The text as it is seen: nothing that is invisible, every letter as the plain one that it looks like."""
    return text.lower() if text.isascii() and text.isprintable() else "".join(map(_seen, text))


@lru_cache(maxsize=4096)
def _seen(char: str) -> str:
    if char in OPENING or char in CLOSING:
        return "<" if char in OPENING else ">"
    if _invisible(char) and not char.isspace():
        return ""
    plain = "".join(c for c in unicodedata.normalize("NFKD", char) if not unicodedata.combining(c))
    return plain.casefold().translate(ALIKE)


def _invisible(char: str) -> bool:
    kind = unicodedata.category(char)
    filler = (
        char in "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0" or "\ufe00" <= char <= "\ufe0f" or char >= "\U000e0000"
    )
    return (kind in ("Cf", "Cc") and not FORMATS_SEEN.match(char)) or filler


def tags_in(text: str, names: Iterable[str]) -> list[str]:
    """The tags of these names, in their order; one that closes begins with a slash."""
    capitals = {seen(name) for name in names if name[:1].isupper()}
    known = {seen(name): name for name in names}
    if not known:
        return []
    words = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in sorted(known, key=len, reverse=True))
    bare = SHOWN.sub("", text)
    plain = seen(bare)
    found = []
    for tag in re.finditer(rf"<([\s/]*)({words})(?![\w:-]|\.\w)", plain):
        name = re.sub(r"\s+", " ", tag[2])
        if name in capitals or not _is_type(bare, plain, tag):
            found.append(("/" if "/" in tag[1] else "") + known[name])
    return found


def _is_type(bare: str, plain: str, tag: re.Match[str]) -> bool:
    """`Promise<User>`, `Map<User[], Error>`: a word straight before, a capital behind, a type in the brackets."""
    word = f"<{tag[2][:1].upper()}"
    if tag[1] or word not in bare or not TYPE_GOES_ON.match(plain, tag.end()):
        return False
    at = tag.start() if bare.isascii() and len(bare) == len(plain) else _place(bare, tag.start())
    found = bare[at : at + 1 + len(tag[2])]
    return found.startswith(word) and found.lower() == tag[0] and bare[:at][-1:].isalnum()


def _place(text: str, at: int) -> int:
    """The character of a text that stands at a place of what is seen."""
    return bisect_left([*accumulate(len(_seen(char)) for char in text)], at + 1)


def headings_in(text: str, headings: Iterable[str]) -> list[str]:
    """The lines that equal one of these headings, in their order; words with a line below them count."""
    known = {_plain(heading): heading for heading in headings}
    lines = LINE.split(SHOWN_END.sub("\n", text))
    found = [known[_plain(line)] for line in lines if _plain(line) in known]
    for above, below in pairwise(lines):
        if re.fullmatch(r" {0,3}(=+|-+)\s*", below):
            heading = _plain(("# " if "=" in below else "## ") + above.strip())
            found += [known[heading]] if heading in known else []
    return found


def _plain(line: str) -> str:
    shown_first = seen(line).lstrip().startswith("\\u{")
    found = None if shown_first else HEADING.fullmatch(seen(SHOWN.sub("", line)))
    return f"{found[1]} {' '.join(found[2].split())}" if found and found[2] else ""

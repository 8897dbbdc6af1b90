"""Invisible characters: which there are, where a script or an emoji needs one, and what words they hide.

Hidden text is how instructions are smuggled into project files. Persian, Hindi and emoji need some of the same
characters, so each is judged by its neighbours, never by its code point alone. Of control characters only tab and
newline are text; a carriage return, alone or before a newline, is a line end.
"""

import re
import unicodedata

from .normalize import CONTROL, replace_spans, to_one_line
from .words import shorten_text

HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""All that Unicode calls default-ignorable, and marks of interlinear notes: soft hyphens, fillers, joiners, tags."""
IGNORABLE = re.compile(f"{HIDDEN.pattern}|{CONTROL.pattern}")
BREAKS = re.compile("[\t\n\u2028\u2029]")
"""What ends a line, or moves the rest of it, and is no control character to be shown everywhere."""
JOINERS = "\u200c\u200d"
JOINING = ((0x0600, 0x07FF), (0x0840, 0x0DFF), (0x1000, 0x109F), (0x1780, 0x18AF))
"""Arabic, Syriac, N'Ko; Mandaic and the Indic scripts; Burmese; Khmer and Mongolian."""
UNSPACED = (("\u0e01", "\u0eff"), ("\u1000", "\u109f"), ("\u1780", "\u17ff"))
BIDI_MARKS = "\u061c\u200e\u200f"
MARKS = " .,;:!?()-"
NEAR = 8
FLAGS = ("gbeng", "gbsct", "gbwls")
FLAG_TAGS = tuple("".join(chr(0xE0000 + ord(c)) for c in flag) + "\U000e007f" for flag in FLAGS)


def escape_char(char: str) -> str:
    r"""The visible form of a hidden character or a control character, e.g. `\u{200B}`."""
    return f"\\u{{{ord(char):04X}}}"


def escape_invisible(text: str) -> str:
    """`text` with its control characters and its needless invisible ones made visible."""
    if not text.isprintable():
        text = CONTROL.sub(lambda m: escape_char(m[0]), text)
    if text.isascii():
        return text
    return replace_spans(text, ((at, at + 1, escape_char(text[at])) for at in find_invisible(text)))


def escape_to_line(text: str) -> str:
    """Show invisible characters of a text that has to stay on one line, its line breaks and tabs among them."""
    return BREAKS.sub(lambda m: escape_char(m[0]), escape_invisible(text))


def find_invisible(text: str) -> tuple[int, ...]:
    """Positions of invisible characters that serve neither a script nor an emoji."""
    if text.isascii():
        return ()
    positions = [m.start() for m in HIDDEN.finditer(text)]
    if len(positions) > MAX_IDEOGRAPH_VARIANTS and _carry_bytes(text, positions):
        return tuple(at for at in positions if is_needless(text, at) or _is_on_ideograph(text, at))
    return tuple(at for at in positions if is_needless(text, at))


def is_needless(text: str, at: int) -> bool:
    """Whether the invisible character at `at` serves neither a script nor an emoji, judged by its neighbours."""
    char = text[at]
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    if char in JOINERS:
        return not (_is_joined_script(before, after) or _is_joined_emoji(text, at))
    if char == "\u200b":
        return not (_is_unspaced(before) and _is_unspaced(after))
    if char in BIDI_MARKS:
        return not (
            _is_right_to_left(_find_next_letter(text, at, -1)) or _is_right_to_left(_find_next_letter(text, at, 1))
        )
    if _is_selector(char):
        return not _has_variant(char, before) or (_is_ideograph(before) and _is_selector(after))
    if "\u180b" <= char <= "\u180f" and char != "\u180e":
        return not "\u1820" <= before <= "\u18aa"
    if "\U000e0000" <= char <= "\U000e007f":
        return not _is_in_flag(text, at)
    if char == "\u034f":
        return not (after and unicodedata.combining(after) and _is_visible(before) and not HIDDEN.match(after))
    if char in "\u115f\u1160":
        return not (_is_visible_jamo(before) or _is_visible_jamo(after))
    if char in "\u17b4\u17b5":
        return not "\u1780" <= before <= "\u17a2"
    return True


MAX_IDEOGRAPH_VARIANTS = 8


def _carry_bytes(text: str, found: list[int]) -> bool:
    """Whether variants of ideographs are too many to be names: one in eight characters carries one."""
    selected = sum(_is_on_ideograph(text, at) for at in found)
    return selected > MAX_IDEOGRAPH_VARIANTS and selected * 8 > sum(map(_is_ideograph, text))


def _is_on_ideograph(text: str, at: int) -> bool:
    char = text[at]
    return _is_selector(char) and at > 0 and _is_ideograph(text[at - 1])


def _is_selector(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def _is_ideograph(char: str) -> bool:
    return "\u3400" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or "\U00020000" <= char <= "\U0003ffff"


def _is_visible_jamo(char: str) -> bool:
    return "\u1100" <= char <= "\u11ff" and char not in "\u115f\u1160"


def _is_visible(char: str) -> bool:
    return bool(char) and HIDDEN.match(char) is None


def _is_joined_script(before: str, after: str) -> bool:
    """A joiner between two letters or marks of a script that has joining forms."""
    return _is_joining(before) and (_is_joining(after) or not after.isalnum())


def _is_unspaced(char: str) -> bool:
    """Thai, Lao, Burmese and Khmer have no blanks between words: a zero-width one marks where to break."""
    return _is_visible(char) and any(first <= char <= last for first, last in UNSPACED)


def _is_joining(char: str) -> bool:
    """A letter or a mark of such a script; a hidden character, as a Mongolian variation selector, is neither."""
    if not _is_visible(char) or unicodedata.category(char) == "Cf":
        return False
    return any(first <= ord(char) <= last for first, last in JOINING)


def _is_joined_emoji(text: str, at: int) -> bool:
    """A zero-width joiner between two pictures, e.g. in a family."""
    if text[at] != "\u200d" or at == 0 or at + 1 >= len(text):
        return False
    before = at - 1
    while before > 0 and (text[before] == "\ufe0f" or "\U0001f3fb" <= text[before] <= "\U0001f3ff"):
        before -= 1
    return _is_picture(text[before]) and _is_picture(text[at + 1])


def _is_picture(char: str) -> bool:
    wide = "\ufe50" <= char <= "\uffef"  # a wide `<` is no picture
    return char >= "\u2190" and not wide and unicodedata.category(char) in {"So", "Sm", "Sk", "Cn"}


def _find_next_letter(text: str, at: int, step: int) -> str:
    """The next character in that direction that is neither a blank nor a plain mark: those have no direction."""
    for far in range(1, NEAR):
        position = at + far * step
        if not 0 <= position < len(text):
            return ""
        if text[position] not in MARKS:
            return text[position]
    return ""


def _is_right_to_left(char: str) -> bool:
    return _is_visible(char) and unicodedata.bidirectional(char) in {"R", "AL", "AN"}


def _has_variant(selector: str, before: str) -> bool:
    """A variation selector straight after a character that has variants."""
    if not before:
        return False
    if selector in "\ufe0e\ufe0f":
        return (
            _is_picture(before) or before in "#*0123456789\u00a9\u00ae\u203c\u2049\u2122\u2139\u3030\u303d\u3297\u3299"
        )
    if selector >= "\U000e0100":
        return _is_ideograph(before)
    # Neither ASCII nor what looks like a bracket in Runic and Canadian syllabics has any.
    none = before.isascii() or "\u1400" <= before <= "\u16ff" or "\ufe50" <= before <= "\uffef"
    return not none and unicodedata.category(before) in {"Sm", "Lo"} and _is_visible(before)


def _is_in_flag(text: str, at: int) -> bool:
    """Inside one of the three flags that are spelt with tag characters: no other is in use."""
    start = at
    while start > 0 and "\U000e0000" <= text[start - 1] <= "\U000e007f" and at - start < len(FLAG_TAGS[0]):
        start -= 1
    return start > 0 and text[start - 1] == "\U0001f3f4" and text.startswith(FLAG_TAGS, start) and at - start < 6


SELECTORS = {chr(0xFE00 + n): n for n in range(16)} | {chr(0xE0100 + n): 16 + n for n in range(240)}
BITS = ("\u200b", "\u200c"), ("\u200c", "\u200d"), ("\u200b", "\u200d"), ("\u2060", "\u200b")
MAX_HIDDEN_CHARS = 80
"""Tag characters spell letters, variation selectors bytes, two joiners bits."""


def decode_hidden_words(hidden: str) -> str:
    """The words that a run of invisible characters spells, on one line; empty if they spell none."""
    for decoded in (_decode_tags(hidden), _decode_selectors(hidden), *(_decode_bits(hidden, *pair) for pair in BITS)):
        words = to_one_line("".join(char if char.isprintable() else " " for char in decoded))
        if sum(map(str.isalnum, words)) > 2:
            return shorten_text(words, MAX_HIDDEN_CHARS)
    return ""


def _decode_tags(hidden: str) -> str:
    return "".join(chr(ord(char) - 0xE0000) for char in hidden if "\U000e0020" <= char <= "\U000e007e")


def _decode_selectors(hidden: str) -> str:
    return _decode(bytes(SELECTORS[char] for char in hidden if char in SELECTORS))


def _decode_bits(hidden: str, zero: str, one: str) -> str:
    bits = "".join("01"[char == one] for char in hidden if char in (zero, one))
    return _decode(bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8)))


def _decode(data: bytes) -> str:
    """The hidden words that bytes spell; empty if they are no text."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return ""

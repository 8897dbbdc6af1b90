"""What invisible characters say: tag characters spell letters, variation selectors bytes, two joiners bits."""

from .normalize import shorten_text, to_one_line

SELECTORS = {chr(0xFE00 + n): n for n in range(16)} | {chr(0xE0100 + n): 16 + n for n in range(240)}
BITS = ("\u200b", "\u200c"), ("\u200c", "\u200d"), ("\u200b", "\u200d"), ("\u2060", "\u200b")
MAX_HIDDEN_CHARS = 80


def decode_hidden_words(hidden: str) -> str:
    """The words that a run of invisible characters spells, on one line; nothing, where they spell none."""
    for decoded in (_tags(hidden), _bytes(hidden), *(_bits(hidden, *pair) for pair in BITS)):
        words = to_one_line("".join(char if char.isprintable() else " " for char in decoded))
        if sum(map(str.isalnum, words)) > 2:
            return shorten_text(words, MAX_HIDDEN_CHARS)
    return ""


def _tags(hidden: str) -> str:
    return "".join(chr(ord(char) - 0xE0000) for char in hidden if "\U000e0020" <= char <= "\U000e007e")


def _bytes(hidden: str) -> str:
    return _text(bytes(SELECTORS[char] for char in hidden if char in SELECTORS))


def _bits(hidden: str, zero: str, one: str) -> str:
    bits = "".join("01"[char == one] for char in hidden if char in (zero, one))
    return _text(bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8)))


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return ""

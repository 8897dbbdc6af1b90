"""What is said of a mark: which character it was and what it does, which secret, why something was neutralised."""

import unicodedata
from functools import lru_cache

from ...assemble.sanitize.contain import MESSAGES, Containment
from ...text.invisible import decode_hidden_words
from ...text.secrets.find import hide_secrets
from ...text.words import count_noun

LINE_END = "a newline after the end of a code block, so that following text can't reopen it"
MAX_NAMED_CHARS = 3
"""So many characters of a row are named."""
CONTROLS = {
    "\x00": ("null", "ends the text for some programs"),
    "\x07": ("bell", "rings a terminal's bell, or ends a command to it"),
    "\x08": ("backspace", "makes a terminal overwrite the character before it"),
    "\t": ("tab", "shifts the text after it"),
    "\n": ("line feed", "begins a line"),
    "\x0b": ("vertical tab", "begins a line"),
    "\x0c": ("form feed", "begins a page"),
    "\r": ("carriage return", "makes a terminal overwrite the line"),
    "\x1b": ("escape", "begins a command to a terminal"),
    "\x7f": ("delete", "is executed and not shown"),
    "\x85": ("next line", "begins a line"),
    "\x9b": ("control sequence introducer", "begins a command to a terminal"),
}
EFFECTS = (
    ("\u00ad\u00ad", "is visible only at the end of a line"),
    ("\u034f\u034f", "separates marks on a letter, invisible"),
    ("\u061c\u061c", "changes the direction of adjacent characters"),
    ("\u115f\u1160", "takes up space, invisible"),
    ("\u180b\u180f", "selects the form of a letter, invisible"),
    ("\u200b\u200b", "splits a word, invisible"),
    ("\u200c\u200c", "separates letters, invisible"),
    ("\u200d\u200d", "joins letters, invisible"),
    ("\u200e\u200f", "changes the direction of adjacent characters"),
    ("\u2028\u2029", "begins a line"),
    ("\u202a\u202b", "changes the direction of the following text"),
    ("\u202c\u202c", "ends a change of direction"),
    ("\u202d\u202e", "reverses the text"),
    ("\u2060\u2060", "keeps words together, invisible"),
    ("\u2061\u2064", "is an invisible operator"),
    ("\u2066\u2068", "changes the direction of the following text"),
    ("\u2069\u2069", "ends a change of direction"),
    ("\u3164\u3164", "takes up space, invisible"),
    ("\ufe00\ufe0f", "selects the form of a character; a sequence of them can hide text"),
    ("\ufeff\ufeff", "marks the byte order, invisible"),
    ("\uffa0\uffa0", "takes up space, invisible"),
    ("\U000e0000\U000e007f", "is an invisible letter"),
    ("\U000e0100\U000e01ef", "selects the form of a character; a sequence of them can hide text"),
)
"""From the first to the last of each pair."""


@lru_cache(maxsize=256)
def describe_hidden(was: str) -> str:
    """`right-to-left override: reverses the text`; of many in a row, how many, and what they spell."""
    named = list(dict.fromkeys(map(_describe_character, was[:1000])))
    names_listed = "; ".join(named[:MAX_NAMED_CHARS]) + (
        f"; and {count_noun(len(named) - MAX_NAMED_CHARS, 'other')}" if len(named) > MAX_NAMED_CHARS else ""
    )
    if len(was) == 1:
        return names_listed
    words = decode_hidden_words(was)
    spelling = f'they spell "{hide_secrets(words)}"; ' if words else ""
    return f"{len(was):,} characters in a row: {spelling}{names_listed}"


def _describe_character(char: str) -> str:
    known = CONTROLS.get(char)
    if known:
        return ": ".join(known)
    name = unicodedata.name(char, "").lower() or f"U+{ord(char):04X}"
    does = next((does for ends, does in EFFECTS if ends[0] <= char <= ends[1]), None)
    control = unicodedata.category(char) == "Cc"
    return f"{name}: {does or ('is executed by a terminal and not shown' if control else 'is not seen')}"


def describe_secret(written: str, where: str) -> str:
    """Of which kind it is, and where; nothing of itself."""
    kind = written[written.find(":") + 2 : written.find("]")]
    return f"{where}: {Containment('secret', 1, 1, words=kind).message}"


def describe_neutralised(code: str) -> str:
    """Why, as the diagnostics say it."""
    return MESSAGES.get(code, LINE_END)


def describe_cut(by: str, before: str, after: str, how: str) -> str:
    """From how many tokens to how many, with the noun, and by what."""
    return f"{how} by {by}: from {before} to {after}"

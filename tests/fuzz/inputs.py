"""Bytes -> texts and values: what a fuzzer changes, and what a parser is given.

The same bytes give the same input always, with or without a fuzzer; so a seed is a file of bytes.
"""

from typing import Any

FRAGMENTS = (
    "<", "</", ">", "/>", "<|", "|>", "<｜", "｜>", "[INST]", "[/INST]", "[", "]", "<|im_start|>", "<think>",
    "<s>", "<<SYS>>", "|||",
    "EMAIL_ADDRESS", "/nothink", "identity", "project-context", "skills", "skill", "available_skills",
    "Task",
    "équipe", "правила", "規則", "team rules", "team", "rules", "1rules", "іdentity", "ｉｄｅｎｔｉｔｙ", "Identity",
    "# Project Context", "## Runtime",
    "## Soul", "Runtime", "#", "##", "＃", "---", "===", "```", "~~~", "````sh", "\n", "\n\n", "\r", "\r\n",
    "\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\x00",
    "\x1b[31m", "\t", " ", "  ", "    ", "\u00a0", "\u3000", "- ", "> ", "1. ", "* ", "| a |", "\u200b",
    "\u200c", "\u200d", "\u200e", "\u200f", "\u202e", "\u2066",
    "\u2069", "\ufeff", "\u00ad", "\u034f", "\u115f", "\u3164", "\u17b4", "\u180e", "\u180b", "\ufe00",
    "\ufe0f", "\ufe0e", "\U000e0041", "\U000e007f", "\U000e0100",
    "🏴", "👨", "👩🏽", "1", "字", "葛", "ه", "م", "क", "्", "ก", "א", "ᠠ", "가", "é", "e\u0301", "\\u{200B}",
    "\\u{000A}", "\\", "&lt;", "&", '"', "'", "`",
    "{{", "}}", "{{tools}}", "{{ agent.name }}", "\\{{", "{", "}", "$@", "$1", "${@:2}", "${", "$ARGUMENTS",
    "(", ")", ":int", ":string", "[:int]", "{a :int}",
    "->", "?", "(return 1)", "(fail", "ctx/a", ";; x", '"a', ":", ",", "=", ".", "a", "x", "A", "name",
    "description", "null", "true", "1e999", "9" * 30, "0.1",
    "2026-03-07T08:55:05Z", "name: a\n", "description: b\n", "---\n", "[[sections]]\n", "[recipes.a]\n",
    "extends = ", "tag = ", 'text = "', "tools", "version",
    "@@ -1 +1 @@", "+a\n", "-a\n", "# branch.oid ", "# branch.head ", "1 .M N... ", "? ", "\0", "agent",
    "memories", "context_files", "content", "path", "/p/A.md",
)  # fmt: skip
"""What formats, frames and hostile texts are made of."""


def text_of(data: bytes) -> str:
    """A text: of fragments, where the first byte is even; else as UTF-8."""
    if data[:1] and data[0] % 2 == 0:
        return "".join(FRAGMENTS[byte % len(FRAGMENTS)] if byte < 250 else chr(byte * 37) for byte in data[1:])
    return data[1:].decode("utf-8", "replace")


class Choices:
    """Choices, taken from bytes one after the other; when they have run out, the first of everything."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def byte(self) -> int:
        """The next byte."""
        self.at += 1
        return self.data[self.at - 1] if self.at <= len(self.data) else 0

    def below(self, end: int) -> int:
        """A number below `end`."""
        return (self.byte() << 8 | self.byte()) % end

    def text(self, most: int = 12) -> str:
        """A text of a few fragments."""
        size = self.byte() % most
        taken = self.data[self.at : self.at + size]
        self.at += size
        return text_of(b"\0" + taken)

    def value(self, keys: tuple[str, ...], depth: int = 3) -> Any:
        """A JSON value with these keys."""
        kind = self.byte() % (9 if depth else 6)
        if kind == 8 or kind == 7:
            return {self._key(keys): self.value(keys, depth - 1) for _ in range(self.byte() % 5)}
        if kind == 6:
            return [self.value(keys, depth - 1) for _ in range(self.byte() % 4)]
        return (self.text(), None, True, self.byte() - 128, self.byte() / 7, self.text(40))[kind]

    def _key(self, keys: tuple[str, ...]) -> str:
        at = self.below(len(keys) + 8)
        return keys[at] if at < len(keys) else self.text(3)

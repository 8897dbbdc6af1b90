"""The corpus as data: attacks by family, harmless files by topic; and how an attack's short forms are written out."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
PIECE = re.compile(r"\{(tag|heading)(?:\|([a-z]+)(?::((?:\\u\{[0-9A-F]+\}|[^}])*))?)?\}")
SPELT = re.compile(r"\{(tags|selectors|bits|join):([^}]*)\}")
TIMES = re.compile(r"\{times:(\d+):([^}]*)\}", re.DOTALL)
LETTERS: dict[str, dict[int, Any]] = {
    "cyrillic": str.maketrans("aeopcyxijs", "аеорсухіјѕ"),
    "greek": str.maketrans("aoinktu", "αοιηκτυ"),
    "small": str.maketrans("aeioutrnldcm", "ᴀᴇɪᴏᴜᴛʀɴʟᴅᴄᴍ"),
    "bold": {ord("a") + i: 0x1D41A + i for i in range(26)},
    "wide": {i: i + 0xFEE0 for i in range(0x21, 0x7F) if chr(i) not in "<>/"},
    "tab": {0x20: "\t"},
    "nbsp": {0x20: "\u00a0"},
    "thin": {0x20: "\u2009"},
    "ideographic": {0x20: "\u3000"},
}
"""Other ways to write the same letters."""


class Case(NamedTuple):
    """One attack."""

    family: str
    kind: str
    text: str
    places: tuple[str, ...]
    recipes: tuple[str, ...]
    codes: tuple[str, ...]
    """Any of these diagnostics reports it."""
    absent: tuple[str, ...] = ()
    parts: dict[str, str] = {}
    """Texts of several places at once."""
    links: dict[str, str] = {}
    lines: bool = False
    """Whether the prompt may have no more lines than with a harmless word."""
    spells: str = ""

    @property
    def escapable(self) -> bool:
        """Whether there is nothing to report where a place escapes all markup anyway."""
        return bool({"contained-tag", "contained-token"} & {*self.codes})

    @property
    def label(self) -> str:
        """How it is called where it fails."""
        return f"{self.family}: {(self.text or str(self.parts or self.links))[:70]!r}"


def attacks() -> Iterator[Case]:
    """Every attack."""
    for path in sorted((HERE / "attacks").glob("*.toml")):
        table = tomllib.loads(path.read_text("utf-8"))
        for row in table["cases"]:
            yield _case({**table, **row})


def _case(row: dict[str, Any]) -> Case:
    return Case(
        row["family"],
        row["kind"],
        spelt(row.get("text", "")),
        tuple(row.get("places", ())),
        tuple(row.get("recipes", ())),
        tuple(code for code in row["code"].split("|") if code),
        tuple(map(spelt, row.get("absent", ()))),
        row.get("parts", {}),
        row.get("links", {}),
        row.get("lines", False),
        row.get("spells", ""),
    )


def harmless() -> Iterator[tuple[str, str]]:
    """Every harmless file, with its topic."""
    for path in sorted((HERE / "harmless").glob("*.toml")):
        table = tomllib.loads(path.read_text("utf-8"))
        for text in table["files"]:
            yield table["topic"], text


def spelt(text: str) -> str:
    """What is spelt with invisible characters, or joined, written out."""
    return SPELT.sub(lambda m: _spell(m[1], m[2]), text)


def _spell(how: str, words: str) -> str:
    if how == "join":
        return words.replace(",", "")
    if how == "tags":
        return "".join(chr(0xE0000 + ord(char)) for char in words)
    if how == "bits":
        return "".join("\u200b\u200c"[bit == "1"] for char in words for bit in f"{ord(char):08b}")
    return "".join(chr(0xFE00 + byte if byte < 16 else 0xE0100 + byte - 16) for byte in words.encode())


def written(text: str, tag: str, heading: str, part: int = 1) -> str:
    """The text with a tag and a heading of a prompt in it; what is there many times, a `part` of that."""
    named = PIECE.sub(lambda m: _piece(tag if m[1] == "tag" else heading, m[1], m[2] or "", m[3] or ""), text)
    return TIMES.sub(lambda m: m[2] * (int(m[1]) // part), named)


def _piece(name: str, what: str, how: str, given: str) -> str:
    level, _, words = name.partition(" ") if what == "heading" else ("", "", name)
    if how == "split":
        words = words[:2] + given + words[2:]
    elif how == "marked":
        words = "\u0301".join(words)
    elif how == "setext":
        return f"{words}\n{'===' if level == '#' else '---'}"
    elif how == "close":
        return level + words
    elif how in ("tab", "nbsp", "thin", "ideographic"):
        return name.translate(LETTERS[how])
    elif how:
        words = getattr(words, how)() if how in ("upper", "title") else words.translate(LETTERS[how])
    return f"{level} {words}" if level else words

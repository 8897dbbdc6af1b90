"""Print how pages read: words in a sentence, and how many are passive. Run `python docs/readability.py docs`."""

import re
import sys
from pathlib import Path

NOT_PROSE = re.compile(
    r"^(`{3,})[^\n]*\n.*?^\1$|^\|[^\n]*$|^#[^\n]*$|^<!--[^\n]*-->$|!\[[^\]]*\]\([^)]*\)", re.MULTILINE | re.DOTALL
)
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
CODE = re.compile(r"`[^`]+`")
ITEM = re.compile(r"^\s*(?:[-*]|\d+\.)\s+", re.MULTILINE)
END = re.compile(r"(?<=[.!?])\s+|\n\n+|\n(?=\x00)")
IRREGULAR = (
    "made|read|kept|told|said|sent|found|given|taken|left|cut|set|put|held|known|seen|written|shown|done|built|run"
)
PASSIVE = re.compile(rf"\b(?:is|are|was|were|be|been|being)\s+(?:\w+ly\s+|not\s+|never\s+)?(?:\w+ed|{IRREGULAR})\b")
LONG = 25


def sentences(text: str) -> list[str]:
    """The sentences of a page's prose, without code, tables and headings."""
    prose = CODE.sub("code", LINK.sub(r"\1", NOT_PROSE.sub("\n\n", text)))
    parts = END.split(ITEM.sub("\n\n", prose))
    return [part for part in (" ".join(each.split()) for each in parts) if len(part.split()) > 2]


def figures(found: list[str]) -> str:
    """How many, words in each, the share of long ones, and the share in the passive."""
    words = [len(each.split()) for each in found]
    long = sum(count > LONG for count in words) / len(found)
    passive = sum(bool(PASSIVE.search(each)) for each in found) / len(found)
    return f"{len(found):6,} sentences  {sum(words) / len(found):5.1f} words  {long:4.0%} long  {passive:4.0%} passive"


def main(folder: Path) -> None:
    """A line for each page that people write, and one for all."""
    pages = [
        page for page in sorted(folder.rglob("*.md")) if page.parent.name not in ("decisions", "agents", "reference")
    ]
    found = {page: sentences(page.read_text("utf-8")) for page in pages}
    for page, each in found.items():
        sys.stdout.write(f"{figures(each)}  {page.relative_to(folder)}\n" if each else "")
    sys.stdout.write(f"{figures([each for all_of in found.values() for each in all_of])}  all\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

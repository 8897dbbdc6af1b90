"""An instruction applies below its headings, bold titles, labels and the items of lists that it belongs to."""

import re
from collections.abc import Iterator

from ..read_markdown import Instruction, MarkdownLine, find_instructions, read_markdown_lines

TITLE = re.compile(r"\A[^\w*]{0,8}\*\*([^*\n]{1,300})(?<![.!])\*\*[^\w*.!]{0,8}\Z")
"""A line that is bold as a whole and does not end as a sentence."""
TITLE_LEVEL = -1
"""Bold titles are above every paragraph."""
MAX_LABEL_CHARS = 200
MAX_LABELS = 50
"""Labels above one instruction: deeper lists belong to the last of them."""
EXCLUDING = re.compile(
    r"\b(?:not|never|don['’]?ts?|avoid|wrong|bad|incorrect|anti-?patterns?|forbidden|mistakes?)\b"
    r"|n['’]t\b|❌|🚫|✗|✘|⛔|👎"
)
"""Words and signs of a label below which stands what is not to be done."""


def find_scoped_instructions(text: str) -> Iterator[tuple[Instruction, tuple[str, ...]]]:
    """Each instruction of a text that is to be followed, with the titles and labels above it, in lower case."""
    lines = read_markdown_lines(text)
    labels: list[tuple[int, str]] = []
    headings: tuple[str, ...] = ()
    for unit in find_instructions(text):
        if unit.headings != headings:
            headings, labels = unit.headings, []
        line = lines[unit.line - 1]
        title = TITLE.match(line.text[line.content :].strip())
        level = TITLE_LEVEL if title and line.begins != "item" else find_level(line)
        labels = [label for label in labels if label[0] < level][:MAX_LABELS]
        above = (*(each.lower() for each in headings[1:]), *(words for _, words in labels))
        if not any(map(EXCLUDING.search, above)):
            yield unit, above
        if title or line.begins == "item" or unit.text.rstrip("*_").endswith(":"):
            labels.append((level, unit.text[:MAX_LABEL_CHARS].lower()))


def find_level(line: MarkdownLine) -> int:
    """How deep the first line of a paragraph or item is; items are below the paragraph in front of them."""
    text = line.text.expandtabs(4)
    return len(text) - len(text.lstrip()) + (line.begins == "item")

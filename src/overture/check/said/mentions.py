"""A page -> the files that it names: in links, in imports, and in backticks."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple
from urllib.parse import unquote

from ..ground import Page
from ..markdown_lines import Line
from .paths import FILE, is_path
from .rows import rows
from .units import units

LINK = re.compile(r"\[(?:[^\[\]\\]|\\.|\[[^\[\]]*\]){0,300}\]\(\s{0,3}(?:<(?P<in>[^<>\n]+)>|(?P<plain>[^()\s<>]+))")
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
SPAN = re.compile(r"(?<!`)(`{1,3})(?!`)(.{1,1000}?)(?<!`)\1(?!`)")
ALONE = re.compile(r"[ \t]*(?:[-*+][ \t]+)?@(?P<path>[\w.][\w./-]*\.(?:md|mdc|txt))[ \t]*")
INSIDE = re.compile(r"(?:(?<=[\s(])|^)@(?P<path>\.{0,2}/?(?:[\w.-]+/)+[\w.-]+\.(?:md|mdc))(?=[\s,;:)]|\.?$|\.\s)")
EXAMPLES = re.compile(r"\{\{|\$\{|<%|\.\.\.|…|[<>*|{}]")

LONGEST = 8_000
"""Characters of a line and its paragraph in which paths are looked for."""

Kind = Literal["link", "import", "path", "anchor"]


class Mention(NamedTuple):
    """A file that a page names, as it is written, and where."""

    kind: Kind
    target: str
    line: int
    column: int
    alone: bool = False
    """Whether an import has its line to itself."""
    anchor: str = ""

    @property
    def key(self) -> str:
        """How it is called among what is missing: each kind begins at another folder."""
        return {"import": "@{}", "link": "({})"}.get(self.kind, "{}").format(self.target)


@lru_cache(maxsize=256)
def mentions(page: Page) -> tuple[Mention, ...]:
    """What a page names, in its order."""
    said = {unit.line + more: unit.text for unit in units(page.text) for more in range(unit.last - unit.line + 1)}
    return tuple(each for line in rows(page.text) for each in _on_line(page, line, said.get(line.number, "")))


def _on_line(page: Page, line: Line, said: str) -> Iterator[Mention]:
    if line.sort not in ("prose", "quote"):
        return
    bare = SPAN.sub(lambda code: " " * len(code[0]), line.text) if "`" in line.text else line.text
    if "](" in bare:
        yield from _links(line, bare)
    if "@" in bare and page.kind in ("instructions", "rule", "import") and line.sort == "prose":
        yield from _imports(line, bare)
    # Of a line that nobody reads as one, each path would have all the others before it.
    if "`" in line.text and len(line.text) + len(said) <= LONGEST:
        for span in SPAN.finditer(line.text):
            path = is_path(span[2].strip(), line.text, said)
            if path:
                yield Mention("path", path, line.number, span.start(2) + 1)


def _links(line: Line, bare: str) -> Iterator[Mention]:
    for found in LINK.finditer(bare):
        written = (found["in"] or found["plain"]).strip()
        column = found.start("in" if found["in"] else "plain") + 1
        written = written.removeprefix("mdc:")
        if SCHEME.match(written) or EXAMPLES.search(written) or written.startswith(("/", "~", "@")):
            continue
        path, _, anchor = written.partition("#")
        path = unquote(path.partition("?")[0])
        if FILE.search(path) or path.endswith("/"):
            yield Mention("link", path, line.number, column, anchor=unquote(anchor))
        elif anchor and not path:
            yield Mention("anchor", "", line.number, column, anchor=unquote(anchor))


def _imports(line: Line, bare: str) -> Iterator[Mention]:
    alone = ALONE.fullmatch(bare)
    if alone:
        yield Mention("import", alone["path"], line.number, alone.start("path"), alone=True)
        return
    for found in INSIDE.finditer(bare):
        yield Mention("import", found["path"], line.number, found.start("path"))

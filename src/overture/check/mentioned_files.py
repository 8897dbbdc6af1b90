"""Finds the files that a text names: in links, in imports, and in backticks."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from ..known_agents.file_owners import is_agent_settings, match_known_file
from ..text.escape import unescape_percent
from ..text.markdown import LINK
from .findings_and_input import CheckedFile
from .read_markdown import MarkdownLine, find_instructions, read_markdown_lines

PATH_SHAPE = re.compile(r"(?:\./)?(?:[\w.@+-]+/)+(?:[\w.@+-]+)?")
LINE_SUFFIX = re.compile(r"(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$")
FILE_SUFFIX = re.compile(
    r"\.(?:md|mdx|mdc|rst|txt|py|pyi|js|jsx|mjs|cjs|ts|tsx|mts|cts|vue|svelte|rs|go|java|kt|kts|rb|php|cs|c|h|cc|cpp|hpp|swift"
    r"|scala|ex|exs|sh|bash|zsh|ps1|sql|json|jsonc|toml|ya?ml|ini|cfg|css|scss|html|graphql|proto|tf|gradle|xml)$"
)
PLACEHOLDER_NAMES = re.compile(
    r"(?i:(?:^|[/._-])(?:path|to|foo|bar|baz|qux|your|my|some|name|example|examples|sample|placeholder|xxx+|new|feature"
    r"|component|module|namespace|package|file|filename|dir|folder|thing|widget|hello|x|y|z|a|b|n|id|owner|repo|org|username)"
    r"(?=[/._-]|$))|(?:^|[/._-])(?:your|my|foo|some|example|My|Your|Foo|Some|Example)(?=[A-Z_-])"
    r"|[A-Z]{2,}[_-]?(?:NAME|ID)|YYYY|XX|\d{4}-\d\d"
)
PLACEHOLDER_CAPITALS = re.compile(
    r"(?:^|/)(?:NAME|ID|X|Y|N|FOO|BAR|PATH|FILE|DIR|VERSION|MODULE|PACKAGE|PROJECT)(?=[/._-]|$)"
)
FOREIGN_FOLDERS = frozenset(
    (
        *("node_modules", "dist", "build", "out", "target", "coverage", ".venv", "venv", "env", "__pycache__", ".git"),
        *(".next", ".cache", "tmp", "temp", "logs", "log", "bin", "obj", "site-packages", ".idea", ".vscode", ".turbo"),
        *(".nx", ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache", "generated", "__generated__"),
        *("etc", "usr", "var", "opt", "proc", "dev", "home", "root", "mnt", "application", "text", "image", "audio"),
        *("video", "multipart", "origin", "upstream", "refs", "feat", "fix", "chore", "release", "hotfix", "bugfix"),
    )
)
"""First steps of what a build makes, what is elsewhere on the machine, or what is no path: a type, a branch."""
UNSURE_WORDS = re.compile(
    r"\b(?:e\.g\.|eg\.|i\.e\.|for example|for instance|examples?|such as|like|(?:re)?creat(?:e|es|ed|ing|ion)"
    r"|generat(?:e|es|ed|ing)|add(?:s|ed|ing)?|writ(?:e|es|ing|ten) (?:it|them|to|an?|the|in|into|your|new)"
    r"|sav(?:e|es|ed|ing)|outputs?|emit(?:s|ted)?|append(?:s|ed)?"
    r"|produce[sd]?|new|nam(?:e|ed|ing)|call(?:ed)? it|if (?:it|they|one|present|you|an?|the|there|any)|when present"
    r"|optional(?:ly)?|would|could|might|may|was|were|used to|no longer|remov(?:e|ed|ing)|delet(?:e|ed|ing)|old|legacy"
    r"|deprecated|formerly|previously|instead of|renam(?:e|ed|ing)|mov(?:e|ed|ing)|never|not|don't|doesn't|won't|avoid"
    r"|ignor(?:e|ed|ing)|exclud(?:e|ed|ing)|patterns?(?! (?:established |used |described |shown |set )?(?:in|from)\b)"
    r"|templates?|imagine|suppose|pretend|hypothetical|bad|wrong|becomes?"
    r"|branch(?:es)?|container|mount(?:s|ed)?|upload|download|install(?:s|ed)?|cop(?:y|ies|ied)|clone[sd]?|put"
    r"|symlink(?:s|ed)?|(?:that|another|other|separate|sibling|private|public) repo(?:s|sitor(?:y|ies))?|store[sd]?"
    r"|planned|future|todo|will|upstream|external)\b|→|->|=>",
    re.IGNORECASE,
)
"""Words on a line about files that need not exist."""


def find_path(written: str, line: str, paragraph: str = "") -> str | None:
    """The path in backticks, if it is surely one that should exist.

    `paragraph` is the whole paragraph: a sentence about a file may begin on the line above.
    """
    path = LINE_SUFFIX.sub("", written)
    if not PATH_SHAPE.fullmatch(path) or "@" in path.partition("/")[0] or "//" in path or path.startswith(("../", "-")):
        return None
    path = path.removeprefix("./")
    first = path.partition("/")[0]
    if (
        not path
        or first in FOREIGN_FOLDERS
        or PLACEHOLDER_NAMES.search(path)
        or PLACEHOLDER_CAPITALS.search(path)
        or "..." in path
    ):
        return None
    if not (FILE_SUFFIX.search(path) or path.endswith("/")):
        return None
    # `.github/copilot-instructions.md` and `.claude/settings.json` are files of a tool, in any project.
    if match_known_file(path) is not None or is_agent_settings(path):
        return None
    unsure = UNSURE_WORDS.search(line.replace(written, " ")) or UNSURE_WORDS.search(
        _find_sentence_start(paragraph, written)
    )
    return None if unsure else path


def _find_sentence_start(paragraph: str, written: str) -> str:
    """The sentence in which something is written first."""
    at = paragraph.find(f"`{written}")
    begin = max(paragraph.rfind(end, 0, max(at, 0)) for end in (". ", "? ", "! ", "; "))
    return paragraph[begin + 1 : max(at, 0)]


SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
IMPORT_LINE = re.compile(r"[ \t]*(?:[-*+][ \t]+)?@(?P<path>[\w.][\w./-]*\.(?:md|mdc|txt))[ \t]*")
INLINE_IMPORT = re.compile(
    r"(?:(?<=[\s(])|^)@(?P<path>\.{0,2}/?(?:[\w.-]+/)+[\w.-]+\.(?:md|mdc))(?=[\s,;:)]|\.?$|\.\s)"
)
EXAMPLES = re.compile(r"\{\{|\$\{|<%|\.\.\.|…|[<>*|{}]")

MAX_PARAGRAPH_CHARS = 8_000
"""Characters of a line and its paragraph in which paths are looked for."""

MentionKind = Literal["link", "import", "path", "anchor"]


class FileMention(NamedTuple):
    """A file that a page names, as it is written, and where."""

    kind: MentionKind
    target: str
    line: int
    column: int
    alone: bool = False
    """Whether an import has its line to itself."""
    anchor: str = ""

    @property
    def key(self) -> str:
        """Its key among the missing files: each kind begins at another folder."""
        return {"import": "@{}", "link": "({})"}.get(self.kind, "{}").format(self.target)


@lru_cache(maxsize=256)
def find_file_mentions(page: CheckedFile) -> tuple[FileMention, ...]:
    """The files that a page mentions, in its order."""
    paragraphs = {
        unit.line + more: unit.text
        for unit in find_instructions(page.text)
        for more in range(unit.last - unit.line + 1)
    }
    return tuple(
        each
        for line in read_markdown_lines(page.text)
        for each in _find_on_line(page, line, paragraphs.get(line.number, ""))
    )


def _find_on_line(page: CheckedFile, line: MarkdownLine, paragraph: str) -> Iterator[FileMention]:
    """The files that a line mentions: in links, imports and backticks."""
    if line.sort not in ("prose", "quote"):
        return
    bare = line.plain if "](" in line.text or "@" in line.text else ""  # code names neither links nor imports
    if "](" in bare:
        yield from _find_links(line, bare)
    if "@" in bare and page.kind in ("instructions", "rule", "import") and line.sort == "prose":
        yield from _find_imports(line, bare)
    # In a line too long for a reader, each path would have all the others before it.
    if line.spans and len(line.text) + len(paragraph) <= MAX_PARAGRAPH_CHARS:
        for span in line.spans:
            path = find_path(span.text.strip(), line.text, paragraph)
            if path:
                yield FileMention("path", path, line.number, span.column + 1)


def _find_links(line: MarkdownLine, bare: str) -> Iterator[FileMention]:
    """The files and anchors that the links of a line mention."""
    for match in LINK.finditer(bare):
        written = (match["angled"] or match["plain"] or "").strip()
        column = match.start("angled" if match["angled"] else "plain") + 1
        written = written.removeprefix("mdc:")
        if SCHEME.match(written) or EXAMPLES.search(written) or written.startswith(("/", "~", "@")):
            continue
        path, _, anchor = written.partition("#")
        path = unescape_percent(path.partition("?")[0])
        if FILE_SUFFIX.search(path) or path.endswith("/"):
            yield FileMention("link", path, line.number, column, anchor=unescape_percent(anchor))
        elif anchor and not path:
            yield FileMention("anchor", "", line.number, column, anchor=unescape_percent(anchor))


def _find_imports(line: MarkdownLine, bare: str) -> Iterator[FileMention]:
    alone = IMPORT_LINE.fullmatch(bare)
    if alone:
        yield FileMention("import", alone["path"], line.number, alone.start("path"), alone=True)
        return
    for match in INLINE_IMPORT.finditer(bare):
        yield FileMention("import", match["path"], line.number, match.start("path"))

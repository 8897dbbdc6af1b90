"""Finds what a text names: files in links, imports and backticks, and commands that the project has to define."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from ..known_agents.file_owners import is_agent_settings, match_known_file
from ..lazy import cached
from ..text.escape import unescape_percent
from ..text.markdown import LINK
from .input import CheckedFile
from .markdown import MarkdownLine

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
    at = max(paragraph.find(f"`{written}"), 0)
    begin = max(paragraph.rfind(end, 0, at) for end in (". ", "? ", "! ", "; "))
    unsure = UNSURE_WORDS.search(line.replace(written, " ")) or UNSURE_WORDS.search(paragraph[begin + 1 : at])
    return None if unsure else path


SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
IMPORT_LINE = re.compile(r"[ \t]*(?:[-*+][ \t]+)?@(?P<path>[\w.][\w./-]*\.(?:md|mdc|txt))[ \t]*")
INLINE_IMPORT = re.compile(
    r"(?:(?<=[\s(])|^)@(?P<path>\.{0,2}/?(?:[\w.-]+/)+[\w.-]+\.(?:md|mdc))(?=[\s,;:)]|\.?$|\.\s)"
)
EXAMPLES = re.compile(r"\{\{|\$\{|<%|\.\.\.|…|[<>*|{}]")

MAX_PARAGRAPH_CHARS = 8_000
"""Characters of a line and its paragraph in which paths are looked for."""

MentionKind = Literal["link", "import", "path"]


class FileMention(NamedTuple):
    """A file that a page names, as it is written, and where."""

    kind: MentionKind
    target: str
    line: int
    column: int
    alone: bool = False
    """Whether an import has its line to itself."""

    @property
    def key(self) -> str:
        """Its key among the missing files: each kind begins at another folder."""
        return {"import": "@{}", "link": "({})"}.get(self.kind, "{}").format(self.target)


@cached
def find_file_mentions(page: CheckedFile) -> tuple[FileMention, ...]:
    """The files that a page mentions, in its order."""
    paragraphs = _map_paragraphs(page.lines)
    return tuple(each for line in page.lines for each in _find_on_line(page, line, paragraphs.get(line.number, "")))


def _map_paragraphs(lines: Sequence[MarkdownLine]) -> dict[int, str]:
    """By line, the paragraph or list item that it is in."""
    paragraphs: list[list[MarkdownLine]] = [[]]
    for line in lines:
        goes_on = line.sort == "prose" and line.kind == "text" and line.heading is None
        goes_on = goes_on and not line.text.lstrip().startswith("|")
        if line.begins or not goes_on:
            paragraphs.append([])
        if goes_on:
            paragraphs[-1].append(line)
    texts = ((lines, " ".join(line.text[line.content :].strip() for line in lines)) for lines in paragraphs)
    return {line.number: text for lines, text in texts for line in lines}


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
    for match in LINK.finditer(bare):
        written = (match["angled"] or match["plain"] or "").strip()
        column = match.start("angled" if match["angled"] else "plain") + 1
        written = written.removeprefix("mdc:")
        if SCHEME.match(written) or EXAMPLES.search(written) or written.startswith(("/", "~", "@")):
            continue
        path = unescape_percent(written.partition("#")[0].partition("?")[0])
        if FILE_SUFFIX.search(path) or path.endswith("/"):
            yield FileMention("link", path, line.number, column)


def _find_imports(line: MarkdownLine, bare: str) -> Iterator[FileMention]:
    alone = IMPORT_LINE.fullmatch(bare)
    if alone:
        yield FileMention("import", alone["path"], line.number, alone.start("path"), alone=True)
        return
    for match in INLINE_IMPORT.finditer(bare):
        yield FileMention("import", match["path"], line.number, match.start("path"))


ASSIGNED = re.compile(r"[A-Za-z_]\w*=.*")
NAME = re.compile(r"[A-Za-z_][\w:.@/-]*")
SKIPPED_WORDS = frozenset(("$", "%", ">", "sudo", "time", "nice", "exec", "command", "then", "do", "dotenv", "--"))
NamedTargets = tuple[tuple[str, str], ...]

OPTIONS_WITH_VALUE = {
    "npm": ("--prefix", "-w", "--workspace", "-C"),
    "pnpm": ("--filter", "-F", "--dir", "-C"),
    "yarn": ("--cwd",),
    "bun": ("--cwd", "--filter"),
    "make": ("-C", "--directory", "-f", "--file", "--makefile", "-I", "-o", "-W"),
    "just": ("-f", "--justfile", "-d", "--working-directory"),
}
"""Options that take the next word."""
BARE_SCRIPTS = ("test", "start")
"""Scripts that need no `run`."""


def parse_command(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What the project has to define for this command to work."""
    rest = list(words)
    while rest and (rest[0] in SKIPPED_WORDS or ASSIGNED.fullmatch(rest[0])):
        rest.pop(0)
    if len(rest) < 2 or rest[0] not in RUNNER_PARSERS:
        return
    for runner, name in RUNNER_PARSERS[rest[0]](rest[0], rest[1:]):
        if NAME.fullmatch(name):
            yield runner, name


def _skip_options(runner: str, words: Sequence[str]) -> Iterator[str]:
    """The words that are no options; none if an option may have a value that we do not know."""
    skip = False
    for word in words:
        if skip or word.startswith("-"):
            skip = not skip and word in OPTIONS_WITH_VALUE.get(runner, ())
            continue
        yield word


def _parse_scripts(runner: str, words: Sequence[str]) -> NamedTargets:
    """The script that a command asks npm, pnpm, yarn or bun for."""
    plain = list(_skip_options(runner, words))
    if plain[:1] == ["workspace"]:
        del plain[:2]
    if len(plain) > 1 and plain[0] in ("run", "run-script"):
        # yarn and bun run programs of packages too, and no such program has a colon in its name.
        sure = runner in ("npm", "pnpm") or ":" in plain[1]
        return (("npm", plain[1]),) if sure and "/" not in plain[1] and "." not in plain[1] else ()
    short = plain[:1]
    if short and (
        (short[0] in BARE_SCRIPTS and runner in ("npm", "pnpm")) or (":" in short[0] and runner in ("pnpm", "yarn"))
    ):
        return (("npm", short[0]),)
    return ()


def _parse_targets(runner: str, words: Sequence[str]) -> NamedTargets:
    if any(word in ("-f", "--file", "--makefile") for word in words):
        return ()
    plain = [word for word in _skip_options(runner, words) if "=" not in word]
    # `make sure` and `make it` are English.
    return tuple((runner, word) for word in plain[:4]) if all(NAME.fullmatch(word) for word in plain) else ()


def _parse_first(runner: str, words: Sequence[str]) -> NamedTargets:
    return tuple((runner, word) for word in [*_skip_options(runner, words)][:1] if "=" not in word)


RUNNER_PARSERS: Mapping[str, Callable[[str, Sequence[str]], NamedTargets]] = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), _parse_scripts),
    "make": _parse_targets,
    "just": _parse_first,
}


SHELLS = frozenset(("bash", "sh", "shell", "zsh", "console", "shell-session", "shellscript", "terminal", ""))
LANGUAGE = re.compile(r"[\w+-]*")
"""The beginning of a code block's info."""
COMMAND_SEPARATOR = re.compile(r"&&|\|\||[;|]")
UNSURE_LINE = re.compile(
    r"\b(?:e\.g\.|for example|for instance|such as|there (?:is|are) no|no longer|remov(?:e|ed)|deprecated|doesn't exist"
    r"|does not exist|not|don't|do not|never|instead of|avoid|like|if (?:it|they|you|a|the|there)|add(?:s|ing)? an?"
    r"|creat(?:e|es|ing)|would|could|might|may)\b",
    re.IGNORECASE,
)
"""Words on a line about commands that need not exist."""


class CommandMention(NamedTuple):
    """A name that is passed to a runner: `make lint` is `lint` of `make`."""

    runner: str
    name: str
    text: str
    """As it is written."""
    line: int
    column: int


@cached
def find_command_mentions(page: CheckedFile) -> tuple[CommandMention, ...]:
    """The commands of a page, in its order: in shell code and in code spans; a line that is unsure has none."""
    return tuple(_find_command_mentions(page.lines))


def _find_command_mentions(lines: Sequence[MarkdownLine]) -> Iterator[CommandMention]:
    for line in lines:
        if line.sort == "code" and line.info is not None:
            match = LANGUAGE.match(line.info)
            if match and match[0].lower() in SHELLS:
                yield from _find_in_text(line.text.partition(" #")[0], line.number, 0)
        elif line.sort in ("prose", "quote"):
            named = [each for span in line.spans for each in _find_in_text(span.text, line.number, span.column)]
            if named and not UNSURE_LINE.search(line.plain):
                yield from named


def _find_in_text(text: str, line: int, column: int) -> Iterator[CommandMention]:
    at = 0
    for part in COMMAND_SEPARATOR.split(text):
        begin = text.index(part, at)
        at = begin + len(part)
        for runner, name in parse_command(part.split()):
            blanks = len(part) - len(part.lstrip())
            yield CommandMention(runner, name, part.strip(), line, column + begin + blanks + 1)

"""Every text of ours that a user can read: `python -m tests.visible_text [PATH…]` lists it, one a line, with its place.

Literals of the code with more than one word, help texts of commands, strings of the page and of the agents' records,
and the pages of the docs. Left out are docstrings that no command and no reference page shows, and code blocks.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src/overture"
Text = tuple[str, int, str]
"""The path below the project, the line, and the text; a value that is put in is `{…}`."""
WORDS = re.compile(r"[A-Za-z`{}'’,.]+\s+[a-z`{(]")
"""Two words, the second no name: so no selector, no SQL and no pattern of one word."""
SCRIPT_STRING = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`")
COMMENT = re.compile(r"^\s*(?://|\*|/\*).*$", re.MULTILINE)
NOT_FOR_USERS = ("docs/decisions/",)
"""Pages for those who change the code."""


def visible_text(below: tuple[str, ...] = ("",)) -> Iterator[Text]:
    """What users can read of the files whose paths begin with one of these."""
    for path in sorted(
        [*SOURCE.rglob("*.*"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md"), ROOT / "examples/README.md"]
    ):
        name = path.relative_to(ROOT).as_posix()
        reader = READERS.get(path.suffix)
        if reader and name.startswith(below) and not name.startswith(NOT_FOR_USERS):
            yield from ((name, line, text) for line, text in reader(path.read_text("utf-8")) if WORDS.search(text))


def _python(text: str) -> Iterator[tuple[int, str]]:
    tree = ast.parse(text)
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped.update(id(part) for part in node.values)
        if id(node) not in skipped and (literal := _literal(node)):
            yield node.lineno, literal  # type: ignore[attr-defined]
        if isinstance(node, ast.FunctionDef) and any("command" in ast.unparse(each) for each in node.decorator_list):
            yield node.lineno, ast.get_docstring(node) or ""


def _literal(node: ast.AST) -> str | None:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(str(part.value) if isinstance(part, ast.Constant) else "{…}" for part in parts)
    return None


def _script(text: str) -> Iterator[tuple[int, str]]:
    bare = COMMENT.sub("", text)
    for match in SCRIPT_STRING.finditer(bare):
        yield (
            bare.count("\n", 0, match.start()) + 1,
            next(each for each in match.groups("") if each or not any(match.groups())),
        )


def _lines(text: str) -> Iterator[tuple[int, str]]:
    yield from ((number, line) for number, line in enumerate(text.splitlines(), 1) if not line.lstrip().startswith("#"))


def _markdown(text: str) -> Iterator[tuple[int, str]]:
    """A page's lines outside code blocks and code spans, without the targets of links."""
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        begins = re.match(r" *(`{3,}|~{3,})", line)
        if begins and (not fence or begins[1].startswith(fence)):
            fence = "" if fence else begins[1]
        elif not fence:
            yield number, re.sub(r"(?<=\])\([^)]*\)", "", re.sub(r"`[^`]*`", "``", line))


READERS = {".py": _python, ".js": _script, ".toml": _lines, ".html": _lines, ".md": _markdown}

if __name__ == "__main__":
    for place, row, words in visible_text(tuple(sys.argv[1:]) or ("",)):
        print(f"{place}:{row}: {words!r}")

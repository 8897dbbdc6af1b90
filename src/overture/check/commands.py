"""Finds commands that texts name and the project does not define: scripts of npm, targets of make, recipes of just."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

import msgspec

from ..errors import suggest
from ..text.words import shorten_text
from .findings_and_input import CheckedFile, CheckInput, Finding
from .references import ProjectTree, is_unsure, open_tree
from .rules_by_code import CheckRule

SHELLS = re.compile(r"(?:(?:bash|z?sh|shell|console|shell-session|shellscript|terminal)\b.*)?", re.IGNORECASE)
SEPARATOR = re.compile(r"&&|\|\||[;|]")
PREFIX = re.compile(r"[$%>]|sudo|time|exec|command|then|do|dotenv|--|[A-Za-z_]\w*=.*")
NAME = re.compile(r"[A-Za-z_][\w:.@/-]*")
SCRIPT_RUNNERS = ("npm", "pnpm", "yarn", "bun")
OPTIONS_WITH_VALUE = re.compile(
    r"--(?:prefix|workspace|filter|dir|cwd|directory|working-directory)|-[wCFIoWd]", re.ASCII
)
OPTIONS_WITH_FILE = ("-f", "--file", "--makefile", "--justfile")
ANY_NAME = "*"


def find_commands(page: CheckedFile) -> Iterator[tuple[str, str, str, int, int]]:
    """The runner, the name and the text of each command in shell code and in code spans, with its line and column."""
    for line in page.lines:
        if line.sort == "code" and line.info is not None and SHELLS.fullmatch(line.info):
            texts = [(line.text.partition(" #")[0], 0)]
        else:
            spans = line.spans if line.sort in ("prose", "quote") else ()
            texts = [
                (each.text, each.column)
                for each in spans
                if not is_unsure(line.text[: each.start], line.text[each.end :])
            ]
        for text, column in texts:
            begin = 0
            for part in SEPARATOR.split(text):
                at = text.index(part, begin)
                begin = at + len(part)
                for runner, name in parse_command(part.split()):
                    yield runner, name, part.strip(), line.number, column + at + len(part) - len(part.lstrip()) + 1


def parse_command(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The names that a project has to define for this command to work, each with its runner."""
    start = next((at for at, word in enumerate(words) if not PREFIX.fullmatch(word)), len(words))
    runner, rest = "".join(words[start : start + 1]), words[start + 1 :]
    pairs = zip(["", *rest], rest, strict=False)
    plain = [word for before, word in pairs if word[0] != "-" and not OPTIONS_WITH_VALUE.fullmatch(before)]
    if any(word in OPTIONS_WITH_FILE for word in rest):
        return
    if runner in SCRIPT_RUNNERS:
        plain = plain[2:] if plain[:1] == ["workspace"] else plain
        is_run = len(plain) > 1 and plain[0] in ("run", "run-script")
        name = plain[1] if is_run else plain[0] if plain else ""
        # yarn and bun run programs of packages too, and no such program has a colon in its name.
        sure = ":" in name if not is_run else ":" in name or runner in ("npm", "pnpm")
        sure = sure and (is_run or runner in ("pnpm", "yarn"))
        if (sure or (name in ("test", "start") and runner in ("npm", "pnpm"))) and not {"/", "."} & set(name):
            yield from [("npm", name)] if NAME.fullmatch(name) else ()
    elif runner in ("make", "just"):
        names = [word for word in plain if "=" not in word][: 4 if runner == "make" else 1]
        yield from ((runner, name) for name in names if all(map(NAME.fullmatch, names)))  # `make sure it …` is English


RULE = re.compile(r"^([^\s:=#][^:=#\n]*+)::?(?![=:])", re.MULTILINE)
PHONY = re.compile(r"^\.PHONY\s*:(.*(?:\\\n.*)*)", re.MULTILINE)
INCLUDE = re.compile(r"^-?s?include\s+(?!.*(?:\.mk|\.mak|Makefile)\s*$)|\$\(eval", re.MULTILINE)
RECIPE = re.compile(r"^@?([A-Za-z_][\w-]*)(?:[^\n:]|:=)*:(?!=)|^alias\s+([\w-]+)\s*:=", re.MULTILINE)
MODULE = re.compile(r"^mod\b", re.MULTILINE)


def parse_package(text: str) -> set[str]:
    """The scripts of a package.json."""
    data = msgspec.json.decode(text.removeprefix("\ufeff"))
    scripts = data.get("scripts") if isinstance(data, dict) else None
    return set(scripts) if isinstance(scripts, dict) else set()


def parse_make(text: str) -> set[str]:
    """The targets of a Makefile; `%` matches anything, and a computed target matches every name."""
    lists = [*RULE.findall(text), *(match.replace("\\\n", " ") for match in PHONY.findall(text))]
    names = {name for each in lists for name in each.split()}
    is_computed = any("$" in name and not name.strip("$(){}").isupper() for name in names)
    return {ANY_NAME} if is_computed or INCLUDE.search(text) else {name.replace("%", "*") for name in names}


def parse_just(text: str) -> set[str]:
    """The recipes and aliases of a justfile."""
    return {name for match in RECIPE.findall(text) for name in match if name} | {ANY_NAME for _ in MODULE.findall(text)}


RUNNERS: Mapping[str, tuple[re.Pattern[str], Callable[[str], set[str]], str]] = {
    "npm": (re.compile(r"package\.json"), parse_package, "no package.json here defines the script"),
    "make": (
        re.compile(r"(?:GNU)?[Mm]akefile|.*\.ma?k|Makefile\..*"),
        parse_make,
        "no Makefile here defines the target",
    ),
    "just": (re.compile(r"\.?[Jj]ustfile|.*\.just"), parse_just, "no justfile here defines the recipe"),
}


def list_defined(tree: ProjectTree, runner: str) -> set[str]:
    """The names that a runner knows anywhere in the project; with `*`, or none, nothing is known."""
    wanted, parse, _ = RUNNERS[runner]
    names: set[str] = set()
    for path in tree.files:
        if wanted.fullmatch(path[path.rfind("/") + 1 :]):
            text = tree.read(path)
            try:
                names |= {ANY_NAME} if text is None else parse(text)
            except (ValueError, RecursionError):
                names.add(ANY_NAME)
    return names if tree.whole else set()


def check_commands(inputs: CheckInput) -> Iterator[Finding]:
    """One finding for each name that is defined nowhere, where a page first gives it."""
    tree, defined = open_tree(inputs), dict[str, set[str]]()
    for page in inputs.pages if tree else ():
        reported: set[tuple[str, str]] = set()
        for runner, name, text, line, column in find_commands(page):
            known = defined[runner] if runner in defined else defined.setdefault(runner, list_defined(tree, runner))
            if not known or (runner, name) in reported or any(fnmatchcase(name, each) for each in known):
                continue
            reported.add((runner, name))
            message = f"`{shorten_text(text, 80)}`: {RUNNERS[runner][2]} {name!r:.80}.{suggest(name, known)}"
            yield Finding("missing-command", "warning", message.rstrip(), page.path, line, column)


RULES = (CheckRule("missing-command", "warning", "a command that the project does not define", check_commands),)

"""Finds commands that texts name and the project does not define: scripts of npm, targets of make, recipes of just."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

import msgspec

from ..errors import suggest
from ..text.words import shorten_text
from .findings import CheckRule, Finding, Severity
from .input import CheckedFile, CheckInput
from .project_tree import ProjectTree
from .references import cut_around, find_tree, is_unsure

SHELLS = re.compile(r"(?:(?:bash|z?sh|shell|console|shell-session|shellscript|terminal)\b.*)?", re.IGNORECASE)
RUNNER = re.compile(r"\b(?:npm|pnpm|yarn|bun|make|just)\s")
SEPARATOR = re.compile(r"&&|\|\||[;|]")
PREFIX = re.compile(r"[$%>]|sudo|time|exec|command|then|do|dotenv|--|[A-Za-z_]\w*=.*")
NAME = re.compile(r"[A-Za-z_][\w:@-]*")
OPTIONS_WITH_VALUE = re.compile(r"--(?:prefix|workspace|filter|dir|cwd|directory|working-directory)|-[wCFIoWd]")
OPTIONS_WITH_FILE = re.compile(r"-f|--file|--makefile|--justfile")
ANY_NAME = "*"


def find_commands(page: CheckedFile) -> Iterator[tuple[str, str, str, int, int]]:
    """The runner, the name and the text of each command in shell code and in code spans, with its line and column."""
    for line in page.lines:
        if line.sort == "code" and line.info is not None and SHELLS.fullmatch(line.info):
            texts = [(line.text.partition(" #")[0], 0)]
        else:
            spans = line.spans if line.sort in ("prose", "quote") else ()
            named = [each for each in spans if RUNNER.search(each.text)]
            texts = [(each.text, each.column) for each in named if not is_unsure(*cut_around(line.text, *each[:2]))]
        for text, column in texts:
            at = 0
            for part in SEPARATOR.split(text):
                at = text.index(part, at)
                begin = column + at + len(part) - len(part.lstrip()) + 1
                yield from ((*each, part.strip(), line.number, begin) for each in parse_command(part.split()))
                at += len(part)


def parse_command(words: Sequence[str]) -> list[tuple[str, str]]:
    """The names that a project has to define for this command to work, each with its runner."""
    start = next((at for at, word in enumerate(words) if not PREFIX.fullmatch(word)), len(words))
    runner, rest = "".join(words[start : start + 1]), words[start + 1 :]
    pairs = zip(["", *rest], rest, strict=False)
    plain = [word for before, word in pairs if word[0] != "-" and not OPTIONS_WITH_VALUE.fullmatch(before)]
    if runner in ("make", "just") and not any(map(OPTIONS_WITH_FILE.fullmatch, rest)):
        names = [word for word in plain if "=" not in word][: 4 if runner == "make" else 1]
        return [(runner, name) for name in names if all(map(NAME.fullmatch, names))]  # `make sure it` is English
    plain = plain[2:] if plain[:1] == ["workspace"] else plain
    if runner not in ("npm", "pnpm", "yarn", "bun") or not plain:
        return []
    is_run = len(plain) > 1 and plain[0] in ("run", "run-script")
    name = plain[1] if is_run else plain[0]
    # yarn and bun run programs of packages too, and no such program has a colon in its name.
    sure = runner in ("npm", "pnpm") and (is_run or name in ("test", "start"))
    sure = sure or (":" in name and (is_run or runner in ("pnpm", "yarn")))
    return [("npm", name)] if sure and NAME.fullmatch(name) else []


RULE = re.compile(r"^\.PHONY\s*:(.*(?:\\\n.*)*)|^([^\s:=#][^:=#\n]*+)::?(?![=:])", re.MULTILINE)
COMPUTED = re.compile(r"^-?s?include\s+(?!.*(?:\.mk|\.mak|Makefile)\s*$)|\$\(eval", re.MULTILINE)
RECIPE = re.compile(r"^@?([A-Za-z_][\w-]*)(?:[^\n:]|:=)*:(?!=)|^alias\s+([\w-]+)\s*:=|^mod\b(?=(.))", re.MULTILINE)


def parse_package(text: str) -> set[str]:
    """The scripts of a package.json."""
    data = msgspec.json.decode(text.removeprefix("\ufeff"))
    scripts = data.get("scripts") if isinstance(data, dict) else None
    return set(scripts) if isinstance(scripts, dict) else set()


def parse_make(text: str) -> set[str]:
    """The targets of a Makefile; `%` matches anything, and a computed target matches every name."""
    names = {name for match in RULE.findall(text) for name in "".join(match).replace("\\\n", " ").split()}
    is_computed = any("$" in name and not name.strip("$(){}").isupper() for name in names)
    return {ANY_NAME} if is_computed or COMPUTED.search(text) else {name.replace("%", ANY_NAME) for name in names}


def parse_just(text: str) -> set[str]:
    """The recipes and aliases of a justfile; a module may have any."""
    return {recipe or alias or ANY_NAME for recipe, alias, _ in RECIPE.findall(text)}


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
            try:
                names |= parse(tree.read(path) or "")
            except (ValueError, RecursionError):
                names.add(ANY_NAME)
    return names if tree.whole else set()


def check_commands(inputs: CheckInput) -> Iterator[Finding]:
    """One finding for each name that is defined nowhere, where a page first gives it."""
    tree, defined, reported = find_tree(inputs), dict[str, set[str]](), set[tuple[str, str, str]]()
    commands = [(page, each) for page in inputs.pages for each in find_commands(page)] if tree else []
    for page, (runner, name, text, line, column) in commands:
        if tree and runner not in defined:
            defined[runner] = list_defined(tree, runner)
        known, key = defined[runner], (page.path, runner, name)
        if known and key not in reported and not any(fnmatchcase(name, each) for each in known):
            reported.add(key)
            message = f"`{shorten_text(text, 80)}`: {RUNNERS[runner][2]} {name!r:.80}.{suggest(name, known)}"
            severity: Severity = "note" if page.kind == "skill" else "warning"  # skills speak of other projects, too
            yield Finding("missing-command", severity, message.rstrip(), page.path, line, column)


RULES = (CheckRule("missing-command", "warning", "a command that the project does not define", check_commands),)

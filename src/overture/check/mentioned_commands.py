"""Finds the commands in a text that ask a runner for a name of the project: scripts, targets, recipes."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from .findings_and_input import CheckedFile
from .read_markdown import read_markdown_lines

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


@lru_cache(maxsize=256)
def find_command_mentions(page: CheckedFile) -> tuple[CommandMention, ...]:
    """The commands of a page, in its order."""
    return tuple(_find_command_mentions(page.text))


def _find_command_mentions(text: str) -> Iterator[CommandMention]:
    """The mentions in shell code and in code spans; a line that is unsure has none."""
    for line in read_markdown_lines(text):
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

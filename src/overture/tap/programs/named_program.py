"""Which of the words of a command names the program: the first, or one behind a runner such as `npx`."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from .programs import Program, program_of, programs

RUNNERS = (
    ("npx",), ("bunx",), ("pnpx",), ("uvx",), ("env",), ("node",), ("bun",), ("deno", "run"), ("npm", "exec"),
    ("npm", "x"), ("pnpm", "dlx"), ("pnpm", "exec"), ("yarn", "dlx"), ("pipx", "run"), ("uv", "run"),
    ("uv", "tool", "run"), ("python", "-m"), ("python3", "-m"),
)  # fmt: skip
WITH_VALUE = ("-p", "--package", "--from", "--with", "--python", "--spec", "-u", "-C", "-r", "--require", "--import")
"""Options of theirs whose value is a word of its own."""


class Named(NamedTuple):
    """A program in a command."""

    program: Program
    at: int
    """Which word names it."""
    name: str
    """What it is called there."""


def named_program(argv: Sequence[str]) -> Named:
    """The program that a command starts; behind a runner only one that is known."""
    name = _last_step(argv[0])
    program = program_of(name)
    for runner in RUNNERS:
        if program.name == "sdk" and (_without_ending(name), *argv[1 : len(runner)]) == runner:
            at = _first_word(argv, len(runner))
            known = _known(argv[at]) if at is not None else None
            if at is not None and known is not None:
                return Named(known, at, known.names[0])
    return Named(program, 0, name)


def _first_word(argv: Sequence[str], start: int) -> int | None:
    """The first word that is neither an option nor a variable that is set."""
    skip = False
    for at in range(start, len(argv)):
        word = argv[at]
        if skip:
            skip = False
        elif word in WITH_VALUE:
            skip = True
        elif word != "--" and not word.startswith("-") and "=" not in word.partition("/")[0]:
            return at
    return None


def _known(word: str) -> Program | None:
    """The program of a package, such as `@openai/codex@latest`, or of a file."""
    bare = word[0] + word[1:].partition("@")[0] if word else ""
    for each in programs().values():
        if bare in each.packages:
            return each
    found = program_of(_last_step(bare))
    return found if found.name != "sdk" else None


def _last_step(word: str) -> str:
    return PurePath(word.replace("\\", "/")).name


def _without_ending(name: str) -> str:
    return name.lower().removesuffix(".exe").removesuffix(".cmd")

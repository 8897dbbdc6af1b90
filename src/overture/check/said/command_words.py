"""The words of a command -> the runner, and the names of the project's own that it is asked for."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

ASSIGNED = re.compile(r"[A-Za-z_]\w*=.*")
NAME = re.compile(r"[A-Za-z_][\w:.@/-]*")
BEFORE = frozenset(("$", "%", ">", "sudo", "time", "nice", "exec", "command", "then", "do", "dotenv", "--"))
WRAPPERS = (("uv", "run"), ("poetry", "run"), ("pdm", "run"), ("hatch", "run"), ("rye", "run"), ("pipenv", "run"))
SOME = tuple[tuple[str, str], ...]

VALUED = {
    "npm": ("--prefix", "-w", "--workspace", "-C"),
    "pnpm": ("--filter", "-F", "--dir", "-C"),
    "yarn": ("--cwd",),
    "bun": ("--cwd", "--filter"),
    "make": ("-C", "--directory", "-f", "--file", "--makefile", "-I", "-o", "-W"),
    "just": ("-f", "--justfile", "-d", "--working-directory"),
    "task": ("-d", "--dir", "-t", "--taskfile"),
}
"""Options that take the next word."""
BARE = ("test", "start")
"""Scripts that need no `run`."""


def named(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What the project has to define for this command to work."""
    rest = list(words)
    while rest and (rest[0] in BEFORE or ASSIGNED.fullmatch(rest[0])):
        rest.pop(0)
    if tuple(rest[:2]) in WRAPPERS:
        del rest[:2]
    if len(rest) < 2 or rest[0] not in RUNNERS:
        return
    for runner, name in RUNNERS[rest[0]](rest[0], rest[1:]):
        if NAME.fullmatch(name):
            yield runner, name


def _plain(runner: str, words: Sequence[str]) -> Iterator[str]:
    """The words that are no options; none where an option may have a value that we do not know."""
    skip = False
    for word in words:
        if skip or word.startswith("-"):
            skip = not skip and word in VALUED.get(runner, ())
            continue
        yield word


def _scripts(runner: str, words: Sequence[str]) -> SOME:
    plain = list(_plain(runner, words))
    if plain[:1] == ["workspace"]:
        del plain[:2]
    if len(plain) > 1 and plain[0] in ("run", "run-script"):
        # yarn and bun run programs of packages too, and no such program has a colon in its name.
        sure = runner in ("npm", "pnpm") or ":" in plain[1]
        return (("npm", plain[1]),) if sure and "/" not in plain[1] and "." not in plain[1] else ()
    short = plain[:1]
    if short and ((short[0] in BARE and runner in ("npm", "pnpm")) or (":" in short[0] and runner in ("pnpm", "yarn"))):
        return (("npm", short[0]),)
    return ()


def _targets(runner: str, words: Sequence[str]) -> SOME:
    if any(word in ("-f", "--file", "--makefile") for word in words):
        return ()
    plain = [word for word in _plain(runner, words) if "=" not in word]
    # `make sure` and `make it` are English.
    return tuple((runner, word) for word in plain[:4]) if all(NAME.fullmatch(word) for word in plain) else ()


def _first(runner: str, words: Sequence[str]) -> SOME:
    return tuple((runner, word) for word in [*_plain(runner, words)][:1] if "=" not in word)


def _run(runner: str, words: Sequence[str]) -> SOME:
    return _first(runner, words[1:]) if words[0] in ("run", "r", "task") else ()


def _packages(runner: str, words: Sequence[str]) -> SOME:
    """The package after `-p`."""
    pairs = pairwise(words)
    return tuple((runner, after) for word, after in pairs if word in ("-p", "--package") and "@" not in after)


def _sessions(runner: str, words: Sequence[str]) -> SOME:
    pairs = pairwise(words)
    asked = {"nox": ("-s", "--session", "--sessions"), "tox": ("-e",)}[runner]
    return tuple((runner, name) for word, after in pairs if word in asked for name in after.split(","))


RUNNERS: Mapping[str, Callable[[str, Sequence[str]], SOME]] = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), _scripts),
    "make": _targets,
    **dict.fromkeys(("just", "task", "poe"), _first),
    **dict.fromkeys(("mise", "deno"), _run),
    "cargo": _packages,
    **dict.fromkeys(("nox", "tox"), _sessions),
}

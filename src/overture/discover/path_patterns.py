"""Patterns of paths: `src/**/*.py`, `*.{ts,tsx}`, `[a-z]*`. `**` is any number of folders, `*` stays in one."""

import re
from collections.abc import Callable
from fnmatch import translate
from functools import lru_cache
from itertools import pairwise
from operator import methodcaller
from typing import NamedTuple

MAX_PATTERN_CHARS = 1000
"""Characters of a pattern."""
WILDCARDS = frozenset("*?[")
"""What makes a step of a pattern more than a name."""
MAX_ALTERNATIVES = 200
"""Maximum number of patterns that braces expand to."""


PatternSteps = tuple[Callable[[str], object] | None, ...]
"""A test for each step of a path; None is any number of them."""


class Glob(NamedTuple):
    """A pattern in the form that is compared: each of its alternatives."""

    branches: tuple[PatternSteps, ...]


def matches_glob(pattern: str, path: str) -> bool:
    """Whether the pattern matches a path, relative and with `/`; a broken pattern matches none."""
    compiled = compile_pattern(pattern)
    steps = path.removeprefix("./").split("/")
    return isinstance(compiled, Glob) and any(_fits(branch, steps) for branch in compiled.branches)


def matches_from_base(pattern: str, path: str) -> bool:
    """Whether the pattern matches a whole path, from its beginning; `!` matches any other path."""
    named = pattern.strip()
    if named.startswith("!"):
        return len(named) > 1 and not matches_from_base(named[1:], path)
    if not named or named.startswith("/") or named.endswith("/"):
        return False
    return matches_glob(f"/{named.removeprefix('./')}", path)


def matches_relative(pattern: str, path: str) -> bool:
    """As `matches`; a pattern that begins with `/` matches nothing."""
    return not pattern.strip().startswith("/") and matches_glob(pattern, path)


def matches_as_ignored(pattern: str, path: str) -> bool:
    """Whether git would ignore a path by the pattern: it names a file, or a folder above it, at any depth.

    Only with a `/` inside does it begin where the path does; `/**` at its end matches what the folder matches.
    """
    named = pattern.strip().removesuffix("/**").rstrip("/")
    if not named or named.startswith(("./", "!")):
        return False
    anchored = named.lstrip("/") if "/" in named else f"**/{named}"
    steps = path.split("/")
    return any(matches_glob(f"/{anchored}", "/".join(steps[:count])) for count in range(1, len(steps) + 1))


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> Glob | str:
    """The pattern, or what is wrong with it.

    Without a `/` it applies in every folder; with one at its end, to everything below.
    """
    text = pattern.strip().removeprefix("./")
    if not text:
        return "it is empty"
    if len(text) > MAX_PATTERN_CHARS:
        return f"it has {len(text):,} characters"
    text = text.lstrip("/") if text.startswith("/") else text if "/" in text.rstrip("/") else f"**/{text}"
    try:
        return Glob(
            tuple(_compile_steps(f"{branch}**" if branch.endswith("/") else branch) for branch in _expand_braces(text))
        )
    except (ValueError, RecursionError) as problem:
        return str(problem)


def _compile_steps(text: str) -> PatternSteps:
    """The steps of a pattern as tests of names; None stands for `**`."""
    steps: list[Callable[[str], object] | None] = []
    for step in text.split("/"):
        if step.count("[") > step.count("]"):
            raise ValueError("a `[` is not closed")
        if step.strip("*") or len(step) < 2:
            steps.append(_make_step_test(step))
        elif not steps or steps[-1] is not None:
            steps.append(None)
    return tuple(steps)


def _make_step_test(step: str) -> Callable[[str], object]:
    """Whether this matches a step of a path. Most are names or `*.md`: to compile those takes longer."""
    if WILDCARDS.isdisjoint(step):
        return step.__eq__
    if step[0] == "*" and WILDCARDS.isdisjoint(step[1:]):
        return methodcaller("endswith", step[1:])
    return re.compile(translate(step)).match


def _fits(pattern: PatternSteps, steps: list[str]) -> bool:
    """Whether the steps of a path match, one after the other: only the possible next steps are stored."""
    if None not in pattern:
        return len(pattern) == len(steps) and _fit_all(pattern, steps)
    if pattern.count(None) == 1:  # as nearly all have: the part before it matches from the start, the rest at the end
        at = pattern.index(None)
        rest = len(steps) - (len(pattern) - at - 1)
        return rest >= at and _fit_all(pattern[:at], steps) and _fit_all(pattern[at + 1 :], steps[rest:])
    after = {0}
    for step in steps:
        now = _skip_double_stars(pattern, after)
        after = {at for at in now if at < len(pattern) and pattern[at] is None}
        after |= {at + 1 for at in now if at < len(pattern) and (test := pattern[at]) is not None and test(step)}
    return len(pattern) in _skip_double_stars(pattern, after)


def _fit_all(tests: PatternSteps, steps: list[str]) -> bool:
    return all([test(step) for test, step in zip(tests, steps, strict=False) if test])


def _skip_double_stars(pattern: PatternSteps, at: set[int]) -> set[int]:
    """The same positions, and those after `**`, which may match nothing."""
    return at | {each + 1 for each in at if each < len(pattern) and pattern[each] is None}


def _expand_braces(text: str) -> list[str]:
    """`a.{b,c}` as `a.b` and `a.c`."""
    begin = text.find("{")
    if begin < 0:
        return [text]
    end, commas = _find_closing_brace(text, begin)
    inner = [begin, *commas, end]
    choices = [text[a + 1 : b] for a, b in pairwise(inner)]
    texts = [f"{text[:begin]}{choice}{rest}" for rest in _expand_braces(text[end + 1 :]) for choice in choices]
    if len(texts) > MAX_ALTERNATIVES:
        raise ValueError("its braces expand to too many paths")
    return [each for one in texts for each in _expand_braces(one)] if any("{" in one for one in texts) else texts


def _find_closing_brace(text: str, begin: int) -> tuple[int, list[int]]:
    """Where a brace ends, and the commas that separate its choices."""
    depth = 0
    commas: list[int] = []
    for at in range(begin, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return at, commas
        if depth == 1 and text[at] == ",":
            commas.append(at)
    raise ValueError("a `{` is not closed")

"""Errors about the project as everybody has it name its files where they lie on this machine."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import BudgetError, ConfigError, OvertureError
from ...project.lock.project_world import TOP

HERE = re.compile(rf"(?<![\w.~-]){TOP}(?![\w-]|\.\w)")
"""The project's folder as everybody calls it; not a folder of that name in a longer path."""


@contextmanager
def real_paths(top: str) -> Iterator[None]:
    """Let an error name files by paths that whoever reads it can open."""
    try:
        yield
    except OvertureError as problem:
        said = str(problem)
        if HERE.search(said) is None:
            raise
        kind = BudgetError if isinstance(problem, BudgetError) else ConfigError
        raise kind(HERE.sub(lambda _: top.rstrip("/"), said)) from None

"""How many examples a property is tried with: a quarter of them in `make test`, all where a run looks further."""

import os


def examples(number: int) -> int:
    """As many as `number` with HYPOTHESIS_PROFILE=search, and a quarter of that in a run that somebody waits for."""
    return number if os.environ.get("HYPOTHESIS_PROFILE") == "search" else max(10, number // 4)

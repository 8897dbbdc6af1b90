"""How many examples a property is tried with: the profile of Hypothesis says it, which tests/conftest.py chooses."""

from hypothesis import settings

SHARE = 10
LEAST = 5


def examples(number: int) -> int:
    """`number` in `make everything` and where a run looks further; a tenth of that, and at least 5, in `make test`."""
    is_short = settings.get_current_profile_name() == "short"
    return max(LEAST, number // SHARE) if is_short else number

"""What to try where no call of a model was seen: whether anything asked the tap says why."""

from ...terminal.output import count_noun
from .plan import Ended

SEEN = "no call of a model was seen"
BY_BASE = (
    "nothing asked the tap. A program that asked a model all the same does not obey the variables of its base URL; "
    "have it tapped as by a proxy: overture tap --forward -- …"
)
BY_PROXY = (
    "nothing asked the tap. A program that asked a model all the same does not obey HTTPS_PROXY; where it takes a "
    "base URL, try that: overture tap --base-url -- …"
)
LISTENED = "nothing asked the tap. Was the program started with the variables that stand above?"
NOT_KEPT = "no call is in the record; what is missing, and why:"
MOST = 5
"""Hosts that are named."""


def no_call(ended: Ended, program: bool) -> str:
    """The words."""
    if ended.kept or (ended.lost and not ended.closed):
        return NOT_KEPT
    if ended.closed:
        hosts = ", ".join(ended.closed[:MOST]) + (", …" if len(ended.closed) > MOST else "")
        also = f"; {_passed(ended.asked)}" if ended.asked else ""
        help = "If one of them is your provider, name it: overture tap --forward --upstream openai=https://HOST/v1 -- …"
        return f"{SEEN}{also}. What went to {hosts} passed closed. {help}"
    if ended.asked:
        return f"{SEEN}; {_passed(ended.asked)}."
    if not program:
        return f"{SEEN}: {LISTENED}"
    return f"{SEEN}: {BY_PROXY if ended.way == 'proxy' else BY_BASE}"


def _passed(count: int) -> str:
    return f"{count_noun(count, 'request')} to a provider passed, none of which asks a model"

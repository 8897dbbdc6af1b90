"""What the provider says of its cache: why it missed, or that nothing differs from the call before."""

import json
from collections.abc import Mapping
from typing import Any

from ...providers.read.plain_data import a_dict, a_text, as_json
from ...text.words import count_noun

NO_DIFFERENCE = "no difference from the previous call"
"""What a provider means that diagnoses misses, and found none."""


def read_previous_message(others: Mapping[str, str]) -> str:
    """The answer with which a request asks to be compared, by its id."""
    try:
        return a_text(a_dict(json.loads(others.get("diagnostics", "null"))).get("previous_message_id"))
    except (ValueError, RecursionError):
        return ""


def describe_diagnosis(diagnosis: Any, others: Mapping[str, str]) -> str | None:
    """What the provider says of its cache: the reason by its name, and how many tokens it missed."""
    if diagnosis is None:
        return None
    if not diagnosis:
        # Of a first call there is nothing to say.
        return NO_DIFFERENCE if read_previous_message(others) else None
    if a_dict(diagnosis).get("cache_miss_reason", diagnosis) is None:
        return "not known yet"
    reason = a_dict(a_dict(diagnosis).get("cache_miss_reason"))
    name = a_text(reason.get("type"))
    missed = reason.get("cache_missed_input_tokens")
    if not name:
        return as_json(diagnosis)
    return f"{name} ({count_noun(missed, 'token')} missed)" if isinstance(missed, int) else name

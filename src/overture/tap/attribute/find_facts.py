"""What an agent states that is in no file: where it works, who asks, the date."""

import re
from collections.abc import Iterable, Iterator, Mapping
from heapq import merge

from .text_span import TextSpan

SHORTEST = 2
"""Letters of a value that is looked for."""


def find_facts(text: str, spans: list[TextSpan], facts: Mapping[str, str]) -> Iterable[TextSpan]:
    """The spans, and between them those that state a fact; of two facts at one place the longer."""
    names = {value: name for name, value in reversed(list(facts.items())) if len(value) >= SHORTEST}
    if not names:
        return spans
    values = "|".join(re.escape(value) for value in sorted(names, key=len, reverse=True))
    pattern = re.compile(rf"(?<!\w)(?:{values})(?!\w)")
    return merge(spans, _stated(pattern, text, spans, names), key=lambda span: span.start)


def _stated(pattern: re.Pattern[str], text: str, spans: list[TextSpan], names: Mapping[str, str]) -> Iterator[TextSpan]:
    at = 0
    for end, behind in (*((span.start, span.end) for span in spans), (len(text), len(text))):
        for found in pattern.finditer(text, at, end):
            yield TextSpan(found.start(), found.end(), fact=names[found.group()])
        at = behind

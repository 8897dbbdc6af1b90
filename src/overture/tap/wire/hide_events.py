"""The events of an answer without secrets, also without those that are told in several events, a few letters each."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from msgspec.structs import replace

from ...text.secrets.find import find_secrets
from .call_wire import WireEvent
from .cut_body import ASCII, said_by, way_of, write_string
from .hide_values import Hide

INSIDE = r'([^"\\]*+(?:\\.[^"\\]*+)*)'
SPOKEN = re.compile(rf'"{INSIDE}(?:"(?:\s*+:\s*+"{INSIDE}(?:"|\\?\Z))?|\\?\Z)', re.DOTALL)
"""A name, and the string behind it; or a string alone, so that none of its quotes is taken for the beginning of one."""
LANE = re.compile(r'"(?:index|output_index|content_index|item_id|contentBlockIndex)"\s*:\s*("?[\w-]+"?)')
"""Which of several things that are told at once an event goes on with."""


class Told(NamedTuple):
    """A string of an event."""

    event: int
    start: int
    end: int
    way: int
    said: str


def hide_events(events: Sequence[WireEvent], hide: Hide) -> tuple[WireEvent, ...]:
    """The same events; of a secret, the first has its name and the others nothing."""
    texts = [event.text for event in events]
    changes: list[tuple[Told, str]] = []
    for lane in _lanes(texts).values():
        changes += _changed(lane)
    for told, said in sorted(changes, key=lambda each: each[0][:2], reverse=True):
        text = texts[told.event]
        texts[told.event] = text[: told.start] + write_string(said, told.way) + text[told.end :]
    return tuple(replace(event, text=hide(text)) for event, text in zip(events, texts, strict=True))


def _lanes(texts: Sequence[str]) -> dict[tuple[str, ...], list[Told]]:
    """The strings of a name, one behind the other, as whoever hears the stream puts them together."""
    lanes: dict[tuple[str, ...], list[Told]] = {}
    for number, text in enumerate(texts):
        lane = tuple(LANE.findall(text))
        for found in SPOKEN.finditer(text):
            told = None if found[2] is None else _told(number, found)
            if told is not None:
                lanes.setdefault((found[1], *lane), []).append(told)
    return lanes


def _told(number: int, found: re.Match[str]) -> Told | None:
    said = said_by(found[2])
    if said is None:
        return None
    way = way_of(found[2], said)
    return Told(number, found.start(2), found.end(2), ASCII if way is None else way, said)


def _changed(lane: Sequence[Told]) -> list[tuple[Told, str]]:
    """The strings in which a part of a secret stands, without it."""
    whole = "".join(told.said for told in lane)
    ends = list(accumulate(len(told.said) for told in lane))
    kept: dict[int, str] = {}
    for secret in reversed(find_secrets(whole)):
        first, last = bisect_right(ends, secret.start), bisect_right(ends, secret.end - 1)
        for number in range(first, last + 1):
            begin = ends[number] - len(lane[number].said)
            said = kept.get(number, lane[number].said)
            start, end = max(secret.start - begin, 0), min(secret.end - begin, len(lane[number].said))
            kept[number] = said[:start] + (secret.written if number == first else "") + said[end:]
    return [(lane[number], said) for number, said in kept.items()]

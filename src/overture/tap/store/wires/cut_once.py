"""Bodies as the parts that are kept: without secrets, and each long text looked through once.

A conversation is sent again with every call: what was cut before is found again by its own words.
"""

from functools import lru_cache

from ....report.tap.on_wire.cut_body import AS_IT_IS, ASCII, Part, Stretch, cut_between, stretches, way_of, write_string
from ....report.tap.on_wire.hide_values import NAMED, hidden_between, hidden_string
from ....report.tap.read_call.wire.plain_values import HALF, clean
from ....text.secrets.find import hide_secrets

MOST = 8_000_000
"""Characters that are remembered; then it begins anew."""


class CutOnce:
    """Cuts bodies, and remembers the parts that it has seen."""

    def __init__(self, most: int = MOST) -> None:
        self.most, self.size = most, 0
        self._strings: dict[str, Part] = {}
        self._between: dict[tuple[str, bool], list[Part]] = {}

    def __call__(self, text: str) -> list[Part]:
        """The parts of a body; what is no JSON is one."""
        found = stretches(text)
        if found is None:
            return [Part(hide(text))]
        if self.size > self.most:
            self._strings.clear()
            self._between.clear()
            self.size = 0
        parts: list[Part] = []
        for number, stretch in enumerate(found):
            parts += self._glue(stretch.between, number == 0)
            if stretch.written is not None:
                parts.append(self._string(stretch))
        return parts

    def _glue(self, text: str, first: bool) -> list[Part]:
        parts = self._between.get((text, first))
        if parts is None:
            parts = [Part(each) for each in cut_between(hidden_between(text, hide, first))]
            self._between[text, first] = parts
            self.size += len(text)
        return parts

    def _string(self, stretch: Stretch) -> Part:
        between, written, said = stretch
        assert written is not None
        if NAMED.search(between[-64:]):
            return cut_string(between, written, said)
        part = self._strings.get(written)
        if part is None:
            part = self._strings[written] = cut_string("", written, said)
            self.size += len(written)
        return part


def cut_string(between: str, written: str, said: str) -> Part:
    """A string without secrets; what was hidden in it is written anew, and all else stays as it was written."""
    way, kept = way_of(written, said), hidden_string(said, between, hide)
    if kept == said:
        return Part(written, AS_IT_IS) if way is None else Part(said, way)
    return Part(write_string(kept, ASCII), AS_IT_IS) if way is None else Part(kept, way)


@lru_cache(maxsize=64)
def _hidden(text: str) -> str:
    return hide_secrets(text)


def hide(text: str) -> str:
    """A text without secrets. It is most often a piece of the call, which was just looked through."""
    return clean(text) if text.isascii() or not HALF.search(text) else _hidden(text)

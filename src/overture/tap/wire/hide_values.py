"""JSON without secrets that is still JSON: what is hidden stands within a string, and the name before it counts."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence

from ...text.secrets.find import Secret, find_secrets

Hide = Callable[[str], str]
STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"', re.DOTALL)
BLOCK = "PRIVATE KEY"
MAX_BEFORE = 256
"""Characters before a string among which its name is looked for."""
NAMED = re.compile(
    r'[\w-]{0,24}(?:passwor[dt]|passwd|passphrase|_pass|pwd|secret|token|key|credential|cookie|_auth)s?"\s{0,8}:'
    r'\s{0,8}(?:\[\s{0,8}(?:"[^"]{0,64}",\s{0,8}){0,2})?"\Z',
    re.IGNORECASE,
)
"""The end of what stands before a string that its name may make a secret."""


def hidden_between(text: str, hide: Hide, first: bool) -> str:
    """What stands between long strings, with its short ones. `first`: it does not begin with the end of a string."""
    if hide(text) == text:
        return text
    found, at = find_secrets(text), 0
    parts = text.split('"')
    for number, part in enumerate(parts):
        if (number % 2 == 1) == first:
            parts[number] = _without(part, _moved(_over(found, at, at + len(part)), -at))
        at += len(part) + 1
    return '"'.join(parts)


def hidden_across(text: str) -> str:
    """JSON without key blocks that go over several strings, as the lines of a file in a list do."""
    if BLOCK not in text:
        return text
    found = [secret for secret in find_secrets(text) if '"' in text[secret.start : secret.end]]

    def without(string: re.Match[str]) -> str:
        held = _over(found, *string.span())
        return f'"{held[0].written}"' if held else string[0]

    return STRING.sub(without, text) if found else text


def hidden_string(text: str, before: str, hide: Hide) -> str:
    """What a string says, without secrets; `before` ends with its name, if it has one."""
    text = hide(text)
    name = NAMED.search(before[-MAX_BEFORE:])
    if name is None:
        return text
    # As it would stand in one line with its name, which is how settings are known.
    found = find_secrets(name[0] + text)
    return _without(text, _moved(_over(found, len(name[0]), len(name[0]) + len(text)), -len(name[0])))


def _over(found: Sequence[Secret], start: int, end: int) -> Sequence[Secret]:
    """Those that stand at least in part within a stretch; they are in order, and none is within another."""
    first = bisect_right(found, start, key=lambda secret: secret.end)
    return found[first : bisect_left(found, end, first, key=lambda secret: secret.start)]


def _moved(found: Iterable[Secret], by: int) -> Iterable[Secret]:
    return (Secret(start + by, end + by, kind) for start, end, kind in found)


def _without(text: str, found: Iterable[Secret]) -> str:
    """The text with words in the place of secrets; they may begin before it, and end behind it."""
    pieces, at = list[str](), 0
    for secret in found:
        start, end = max(secret.start, 0), min(secret.end, len(text))
        if start < end:
            pieces += text[at:start], secret.written
            at = end
    return "".join([*pieces, text[at:]])

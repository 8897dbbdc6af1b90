"""Shapes of keys and tokens in a text: the position and the kind of each.

Precision comes first, since users disable a scanner that cries wolf: placeholders, documented examples, hashes and
words are ignored.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from ..invisible import find_invisible
from ..normalize import find_controls, replace_spans
from .quick_check import VAGUE, Secret, may_hold_base64, may_hold_secret


def find_secrets(text: str, unseen: Sequence[int] | None = None) -> tuple[Secret, ...]:
    """Every key and token in a text, in order. `unseen` are positions of characters that do not split one."""
    if unseen is None:
        unseen = sorted([*find_invisible(text), *find_controls(text)])
    if unseen:
        starts = [0, *(at + 1 for at in unseen)]
        pieces = [text[start:end] for start, end in zip(starts, [*unseen, len(text)], strict=True)]
        # Invisible characters may split a key, or be beside one and then be shown.
        return tuple(_merge_overlaps([*_find_behind_unseen(pieces, unseen), *find_secrets(" ".join(pieces), ())]))
    by_shape = may_hold_secret(text)
    if not (by_shape or "\\" in text or may_hold_base64(text)):
        return ()
    from .search_and_decode import search_secrets  # most texts need none of its shapes

    return tuple(_merge_overlaps(search_secrets(text, by_shape=by_shape)))


def hide_secrets(text: str) -> str:
    """`text` with each replaced by `[secret: kind]`, for printing; every line keeps its number."""
    secrets = find_secrets(text)
    if not secrets:
        return text
    return replace_spans(text, [(s.start, s.end, s.written + "\n" * text.count("\n", s.start, s.end)) for s in secrets])


def _find_behind_unseen(pieces: Sequence[str], unseen: Sequence[int]) -> Iterator[Secret]:
    """The secrets of a text without its unseen characters, at their places with them."""
    offsets = [at - number for number, at in enumerate(unseen)]
    for start, end, kind in find_secrets("".join(pieces), ()):
        yield Secret(start + bisect_right(offsets, start), end - 1 + bisect_right(offsets, end - 1) + 1, kind)


def _merge_overlaps(secrets: Iterable[Secret]) -> Iterator[Secret]:
    """The secrets; two that overlap become one around both, with the more specific kind."""
    previous: Secret | None = None
    for secret in sorted(secrets):
        if previous is not None and secret.start < previous.end:
            kind = secret.kind if previous.kind in VAGUE else previous.kind
            previous = Secret(previous.start, max(previous.end, secret.end), kind)
            continue
        if previous is not None:
            yield previous
        previous = secret
    if previous is not None:
        yield previous

"""The spans of texts: from disk where the same texts were compared with the same files before, else found, and kept.

Spans follow from the texts, the files and what is known of the agent. They are found by a digest of all of these and
of our code. Those of all texts of a call are kept together: whoever looks at a call again asks for all of them.
"""

import zlib
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import msgspec

from ...discover.stored.result_store import open_store
from ...discover.stored.seal import seal
from ...discover.stored.stamps import stamp_code
from ..index.file_anchors import FileAnchors
from .attribute_text import LikelyFiles, attribute_texts
from .find_sources import AgentSources
from .text_span import TextSpan

FILE = "tap/spans"
"""Below the cache folder."""
MIN_WORK = 200_000
"""Characters of texts and anchors of files: to compare fewer takes no longer than to look up what was found."""

Spans = list[tuple[TextSpan, ...]]


def recall_spans(texts: Sequence[str], sources: AgentSources, likely: LikelyFiles) -> Spans:
    """The spans of each of these texts."""
    anchors = sources.files.anchors
    is_long = sum(map(len, texts)) + len(anchors.keys) >= MIN_WORK
    kept = open_store(sources.project.world.environment(), FILE) if sources.is_cached and is_long else None
    if kept is None:
        return attribute_texts(texts, sources.files, likely)
    parts = stamp_code(), _digest_files(anchors), _digest(repr(_sort(likely))), *map(_encode, texts)
    key = kept.make_key("spans", *parts)
    known = kept.get(key)
    if known is not None:
        spans = _decode_spans(zlib.decompress(seal(known, parts)))
        if sources.files.add_files(span.path for each in spans for span in each if span.path):
            return spans
    spans = attribute_texts(texts, sources.files, likely)
    if (data := _encode_spans(spans)) is not None:
        kept.put(key, seal(zlib.compress(data, 1), parts))
        kept.save()
    return spans


def _encode_spans(spans: Spans) -> bytes | None:
    """As JSON; None where what is read again would not be the same."""
    try:
        data = msgspec.json.encode(spans)
    except UnicodeEncodeError:  # a path that is no UTF-8
        return None
    return data if msgspec.json.encode(_decode_spans(data)) == data else None


def _decode_spans(data: bytes) -> Spans:
    """Each field by itself: where msgspec makes the span, it takes a default for what was said, and then omits it."""
    return [
        tuple(TextSpan(**{**row, "also": tuple(row["also"])} if "also" in row else row) for row in rows)
        for rows in msgspec.json.decode(data, type=list[list[dict[str, Any]]])
    ]


def _digest_files(anchors: FileAnchors) -> bytes:
    """All files in their order, with their texts."""
    return _digest("\0".join(f"{file.path}\0{anchors.digests[file.text]}" for file in anchors.files))


def _sort(likely: LikelyFiles) -> tuple[object, ...]:
    """What is known of the agent, in one order."""
    lines = sorted((path, sorted(numbers)) for path, numbers in likely.stripped_lines.items())
    return tuple(likely.loaded_paths), likely.cwd, sorted(likely.facts.items()), sorted(likely.never_read), lines


def _digest(text: str) -> bytes:
    return blake2b(_encode(text), digest_size=32).digest()


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")

"""A call -> the files behind it: what of each was sent, and which were not. What was found is kept on disk."""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any

import msgspec

from ...discover.stored.code_stamps import stamp_code
from ...discover.stored.encrypted_and_shared_results import SealedResult
from ...discover.stored.signed_result_store import open_result_store
from ..judge.diff_calls import name_message
from ..recorded_call import RecordedCall
from .agent_sources import AgentSources
from .anchor_index import FileAnchors
from .attribute_text import LikelyFiles, attribute_texts
from .files_of_call import FilesOfCall, TextSpan
from .sent_and_unsent_files import find_unsent_files, list_prompt_spans, summarize_files

FILE = "tap/spans"
"""Below the cache folder."""
MIN_WORK = 200_000
"""Characters of texts and anchors of files: to compare fewer takes no longer than to look up what was found."""

Spans = list[tuple[TextSpan, ...]]


def recall_spans(texts: Sequence[str], sources: AgentSources, likely: LikelyFiles) -> Spans:
    """The spans of each of these texts: from disk where the same texts were compared with the same files before.

    Spans depend on the texts, the files, the agent's rules and our code. Those of all texts of a call are
    stored together, because they are always read together.
    """
    anchors = sources.files.anchors
    is_long = sum(map(len, texts)) + len(anchors.keys) >= MIN_WORK
    store = open_result_store(sources.project.world.environment(), FILE) if sources.is_cached and is_long else None
    if store is None:
        return attribute_texts(texts, sources.files, likely)
    parts = stamp_code(), _digest_inputs(anchors, likely), *map(_encode, texts)
    result = SealedResult[Spans](store, "spans", parts, _decode_spans)
    known = result.read()
    if known is not None and sources.files.has_files(span.path for each in known for span in each if span.path):
        return known
    spans = attribute_texts(texts, sources.files, likely)
    result.write(spans)
    return spans


def _decode_spans(data: bytes) -> Spans:
    """Decode each field separately: msgspec would take a default value for a given one, and then omit it."""
    return [
        tuple(TextSpan(**{**row, "also": tuple(row["also"])} if "also" in row else row) for row in rows)
        for rows in msgspec.json.decode(data, type=list[list[dict[str, Any]]])
    ]


def _digest_inputs(anchors: FileAnchors, likely: LikelyFiles) -> bytes:
    """What spans depend on besides texts and our code: all files in their order, and what is known of the agent."""
    files = [(file.path, anchors.digests[file.text]) for file in anchors.files]
    lines = sorted((path, sorted(numbers)) for path, numbers in likely.stripped_lines.items())
    known = tuple(likely.loaded_paths), likely.cwd, sorted(likely.never_read), lines
    return blake2b(_encode(repr((files, known))), digest_size=32).digest()


def _encode(text: str) -> bytes:
    """A call's text as bytes, also with halves of surrogate pairs."""
    return text.encode("utf-8", "surrogatepass")


MAX_ATTRIBUTED_TEXT = 4_000_000
"""Characters of one text that is compared with files: a larger one would cost a minute and gigabytes."""


def attribute_call(call: RecordedCall, sources: AgentSources) -> dict[int, tuple[TextSpan, ...]]:
    """For each piece of a call, by its number, the spans that files account for; the rest is the agent's own."""
    likely = LikelyFiles(sources.loaded_paths, sources.project.cwd, sources.never_read, sources.stripped_lines)
    texts = [*dict.fromkeys(piece.text for piece in call.pieces if len(piece.text) <= MAX_ATTRIBUTED_TEXT)]
    # All at once, since the anchors of all files are looked through.
    known = dict(zip(texts, recall_spans(texts, sources, likely), strict=True))
    return {number: spans for number, piece in enumerate(call.pieces) if (spans := known.get(piece.text, ()))}


def describe_long_texts(call: RecordedCall) -> Iterator[str]:
    """The texts that are not compared with files, in words."""
    for piece in call.pieces:
        if len(piece.text) > MAX_ATTRIBUTED_TEXT:
            what = name_message(piece) if piece.kind == "message" else piece.kind
            yield f"{what} has {len(piece.text):,} characters; up to {MAX_ATTRIBUTED_TEXT:,} are compared with files"


def find_call_files(call: RecordedCall, sources: AgentSources) -> FilesOfCall:
    """Look for the files behind a call."""
    spans = attribute_call(call, sources)
    sent = summarize_files(list_prompt_spans(call, spans), sources.files, sources.stripped_lines)
    notes = (*map(str, sources.notes), *describe_long_texts(call))
    return FilesOfCall(call.id, sent, find_unsent_files(call, spans, sent, sources), spans, notes)

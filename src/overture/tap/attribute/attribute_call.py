"""A call -> the files behind it: what of each was sent, and which were not."""

from collections.abc import Iterator

from ..judge.first_change import name_message
from ..recorded_call import RecordedCall
from .agent_sources import AgentSources
from .attribute_text import LikelyFiles, attribute_texts
from .files_of_call import FilesOfCall, TextSpan
from .sent_and_unsent_files import find_unsent_files, list_prompt_spans, summarize_files

MAX_ATTRIBUTED_TEXT = 4_000_000
"""Characters of one text that is compared with files: a larger one would cost a minute and gigabytes."""


def attribute_call(call: RecordedCall, sources: AgentSources) -> dict[int, tuple[TextSpan, ...]]:
    """For each piece of a call, by its number, the spans that files account for; the rest is the agent's own."""
    likely = LikelyFiles(sources.loaded_paths, sources.project.cwd, sources.never_read, sources.stripped_lines)
    texts = [*dict.fromkeys(piece.text for piece in call.pieces if len(piece.text) <= MAX_ATTRIBUTED_TEXT)]
    # All at once, since the anchors of all files are looked through.
    known = dict(zip(texts, attribute_texts(texts, sources.files, likely), strict=True))
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

"""A call -> the files behind it: what of each was sent, and which were not. What was found is kept on disk."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from hashlib import blake2b
from typing import Annotated, Any, NamedTuple

import msgspec

from ...agents.survey_project import list_project_folders
from ...discover.discover import ResolvedProject
from ...discover.disk.look_at_paths import Sighting
from ...discover.disk.paths import contains_path, expand_path
from ...discover.disk.working_directory import find_walk_ends
from ...discover.stored.code_stamps import stamp_code
from ...discover.stored.result_store import open_result_store
from ...discover.stored.sealed_and_shared_results import SealedResult
from ...model.struct import Frozen, note
from ..judge.first_change import name_message
from ..judge.name_conversations import is_from_model
from ..recorded_call import CallPiece, RecordedCall
from .agent_sources import AgentSources
from .anchor_index import FileAnchors, FileOnDisk
from .attribute_text import LikelyFiles, attribute_text, attribute_texts
from .candidate_files import read_candidate
from .sent_and_unsent_files import (
    TOOL_RESULT,
    SentFile,
    TextSpan,
    UnsentFile,
    find_unsent_files,
    list_prompt_spans,
    summarize_files,
)
from .word_index import index_files

FILE = "tap/spans"
"""Below the cache folder."""
MIN_WORK = 200_000
"""Characters of texts and anchors of files: to compare fewer takes no longer than to look up what was found."""

Spans = list[tuple[TextSpan, ...]]


def recall_spans(texts: Sequence[str], sources: AgentSources, likely: LikelyFiles) -> Spans:
    """The spans of each of these texts: from disk where the same texts were compared with the same files before.

    Spans depend on the texts, the files, the facts about the agent and our code. Those of all texts of a call are
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
    if known is not None and sources.files.add_files(span.path for each in known for span in each if span.path):
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
    known = tuple(likely.loaded_paths), likely.cwd, sorted(likely.facts.items()), sorted(likely.never_read), lines
    return blake2b(_encode(repr((files, known))), digest_size=32).digest()


def _encode(text: str) -> bytes:
    """A call's text as bytes, also with halves of surrogate pairs."""
    return text.encode("utf-8", "surrogatepass")


JOIN = "\n\n"
"""Between the pieces of a prompt, where they are shown as one text."""


class PlacedPiece(NamedTuple):
    """A piece of a call in the text of its prompt."""

    piece: int
    start: int
    text: str


def place_pieces(call: RecordedCall) -> list[PlacedPiece]:
    """The system prompt, and the texts before the model's first message: programs put instructions there, too."""
    pieces: list[PlacedPiece] = []
    at = 0
    for index, piece in enumerate(call.pieces):
        if piece.kind == "message" and is_from_model(piece):
            break
        if piece.kind != "tool" and piece.what == "text":
            pieces.append(PlacedPiece(index, at, piece.text))
            at += len(piece.text) + len(JOIN)
    return pieces


QUOTED_NAME = re.compile(r'"((?:[^"\\\n]|\\.){1,1000})"')
MAX_TOOL_PATHS = 40
"""Paths in the arguments of a tool that are looked at."""
MAX_ATTRIBUTED_TEXT = 4_000_000
"""Characters of one text that is compared with files: a larger one would cost a minute and gigabytes."""


def attribute_call(call: RecordedCall, sources: AgentSources) -> dict[int, tuple[TextSpan, ...]]:
    """For each piece of a call, by its number, the spans that files account for; the rest is the agent's own."""
    project = sources.project
    likely = LikelyFiles(sources.loaded_paths, project.cwd, sources.facts, sources.never_read, sources.stripped_lines)
    texts = [*dict.fromkeys(piece.text for piece in call.pieces if len(piece.text) <= MAX_ATTRIBUTED_TEXT)]
    # All at once, since the anchors of all files are looked through.
    known = dict(zip(texts, recall_spans(texts, sources, likely), strict=True))
    read_once = cache(partial(_read_file, project))
    by_piece: dict[int, tuple[TextSpan, ...]] = {}
    requests: list[CallPiece] = []
    for number, piece in enumerate(call.pieces):
        if piece.what == "tool call":
            requests = [*requests, piece][-MAX_TOOL_PATHS:]
        spans = known.get(piece.text, ())
        if piece.what == TOOL_RESULT and piece.text in known:
            asked = {path: read_once(path) for path in _find_paths(requests, project)}
            spans = _merge_spans(_attribute_answer(piece.text, asked, project.cwd), spans)
        if spans:
            by_piece[number] = spans
    return by_piece


def _attribute_answer(text: str, asked: Mapping[str, str | None], cwd: str) -> tuple[TextSpan, ...]:
    """What the files that the tools were asked for account for."""
    paths = tuple(path for path, read in asked.items() if read is not None)
    files = index_files((FileOnDisk(path, 0, 0) for path in paths), asked.get)
    return attribute_text(text, files, LikelyFiles(paths, cwd)) if paths else ()


def _find_paths(requests: list[CallPiece], project: ResolvedProject) -> list[str]:
    """The files that tool calls of the agent name, the newest first."""
    quoted = (name for piece in reversed(requests) for name in QUOTED_NAME.findall(piece.text))
    names = (name for name in quoted if "/" in name or "." in name)
    return list(dict.fromkeys(expand_path(name, project.cwd, project.home) for name in names))[:MAX_TOOL_PATHS]


def _read_file(project: ResolvedProject, path: str) -> str | None:
    """The text of a file that a tool result may be from; None where it is outside the project, or can't be read."""
    roots = (list_project_folders(project)[0], find_walk_ends(project.world, project.cwd, project.root)[0])
    root = next((root for root in roots if contains_path(root, path) and "/../" not in path), None)
    sighting = project.reader().look_at(path, root) if root else None
    return read_candidate(project.world, sighting.real, path) if isinstance(sighting, Sighting) else None


def describe_long_texts(call: RecordedCall) -> Iterator[str]:
    """The texts that are not compared with files, in words."""
    for piece in call.pieces:
        if len(piece.text) > MAX_ATTRIBUTED_TEXT:
            what = name_message(piece) if piece.kind == "message" else piece.kind
            yield f"{what} has {len(piece.text):,} characters; up to {MAX_ATTRIBUTED_TEXT:,} are compared with files"


def _merge_spans(first: tuple[TextSpan, ...], second: tuple[TextSpan, ...]) -> tuple[TextSpan, ...]:
    """All of the first, and those of the second that do not overlap them."""
    merged, at = list(first), 0
    for span in second:
        while at < len(first) and first[at].end <= span.start:
            at += 1
        if at == len(first) or span.end <= first[at].start:
            merged.append(span)
    return tuple(sorted(merged, key=lambda span: span.start))


class FilesOfCall(Frozen, frozen=True):
    """The files behind one call, as they are now."""

    call: str
    sent: Annotated[tuple[SentFile, ...], note("in the system prompt and in messages, except tool results")]
    unsent: Annotated[tuple[UnsentFile, ...], note("files that were not sent, or not as the agent's rules say")]
    spans: Annotated[dict[int, tuple[TextSpan, ...]], note("by the index of the piece")]
    notes: Annotated[tuple[str, ...], note("what was not searched, and why")] = ()

    def compute_share(self, call: RecordedCall) -> float | None:
        """The share that files account for: of the system prompt and the messages before the model's first."""
        prompt = place_pieces(call)
        total = sum(len(placed.text) for placed in prompt)
        spans = (span for each in prompt for span in self.spans.get(each.piece, ()) if span.is_from_file)
        return sum(span.end - span.start for span in spans) / total if total else None


def find_call_files(call: RecordedCall, sources: AgentSources) -> FilesOfCall:
    """Look for the files behind a call."""
    spans = attribute_call(call, sources)
    sent = summarize_files(list_prompt_spans(call, spans), sources.files.index, sources.stripped_lines)
    notes = (*map(str, sources.notes), *describe_long_texts(call))
    return FilesOfCall(call.id, sent, find_unsent_files(call, spans, sent, sources), spans, notes)

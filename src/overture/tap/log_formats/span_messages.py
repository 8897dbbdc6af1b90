"""What a span tells of a request and its answer: in attributes as JSON, one by one, or in events."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..call import CallPiece, PieceKind
from ..read.parts import tool_piece, typed_text
from ..read.plain_values import Data, a_dict, a_text, as_json, dicts
from .bodies import parsed
from .spans import Span

EVENT = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message")
CHOICE = "gen_ai.choice"
ROWS = (
    re.compile(r"gen_ai\.(prompt)\.(\d+)\.(.+)"),
    re.compile(r"gen_ai\.(completion)\.(\d+)\.(.+)"),
    re.compile(r"llm\.(input_messages)\.(\d+)\.message\.(.+)"),
    re.compile(r"llm\.(output_messages)\.(\d+)\.message\.(.+)"),
)
"""Messages whose fields are attributes of their own, as Traceloop and OpenInference write them."""
TOOL = re.compile(r"llm\.(?:request\.functions|tools)\.(\d+)\.(?:tool\.)?(.+)")
CONTENT = re.compile(r"contents\.\d+\.message_content\.text")
SYSTEM = ("system", "developer")
PARTS = {"tool_call": "tool call", "tool_call_response": "tool result", "reasoning": "thinking", "thinking": "thinking"}


class Told(NamedTuple):
    """What a span tells."""

    pieces: tuple[CallPiece, ...] = ()
    reply: str = ""
    calls: tuple[str, ...] = ()
    stop: str = ""


def told_by(span: Span, logged: Sequence[Span] = ()) -> Told:
    """The request's pieces and the answer's words."""
    own = span.attributes
    details = [each.attributes for each in (*span.events, *logged) if "gen_ai.input.messages" in each.attributes]
    own = {**own, **details[0]} if details else own
    said = _messages(own, "gen_ai.input.messages", "prompt", "input_messages")
    answer = _messages(own, "gen_ai.output.messages", "completion", "output_messages")
    if not said:
        said, answer = _from_events([*span.events, *logged], answer)
    pieces = [*_tools(own), *_system(own), *_request(said)]
    return Told(tuple(pieces), *_answer(answer))


def _messages(own: Data, name: str, *rows: str) -> list[Data]:
    whole = parsed(own.get(name))
    if whole:
        return dicts(whole) if isinstance(whole, list) else [{"role": "user", "content": whole}]
    found: dict[int, Data] = {}
    for key, value in own.items():
        match = next((match for pattern in ROWS if (match := pattern.fullmatch(key)) and match[1] in rows), None)
        if match and len(match[2]) < 6:
            found.setdefault(int(match[2]), {})[match[3]] = value
    return [_row(found[number]) for number in sorted(found)]


def _row(fields: Data) -> Data:
    """A message out of fields such as `tool_calls.0.name`."""
    names = {key: value for key, value in fields.items() if key.startswith(("tool_calls.", "message.tool_calls."))}
    calls: dict[str, Data] = {}
    for key, value in names.items():
        number, _, field = key.partition("tool_calls.")[2].partition(".")
        calls.setdefault(number, {})[field.rpartition(".")[2]] = value
    texts = [value for key, value in fields.items() if CONTENT.fullmatch(key)]
    plain = {key: value for key, value in fields.items() if key not in names}
    plain |= {"content": texts} if texts and "content" not in plain else {}
    return {**plain, "tool_calls": list(calls.values())} if calls else plain


def _from_events(events: Sequence[Span], answer: list[Data]) -> tuple[list[Data], list[Data]]:
    """Messages that are events of their own, with what is said as a body or as attributes."""
    said: list[Data] = []
    for event in events:
        held = a_dict(event.body) or event.attributes
        if found := EVENT.fullmatch(event.name):
            said.append({"role": found[1], **held})
        elif event.name == CHOICE:
            message = a_dict(parsed(held.get("message"))) or held
            answer = [*answer, {**message, "finish_reason": held.get("finish_reason")}]
        elif "gen_ai.prompt" in held or "gen_ai.completion" in held:
            said += dicts(parsed(held.get("gen_ai.prompt")))
            answer = [*answer, *dicts(parsed(held.get("gen_ai.completion")))]
    return said, answer


def _tools(own: Data) -> Iterator[CallPiece]:
    rows: dict[str, Data] = {}
    for key, value in own.items():
        if found := TOOL.fullmatch(key):
            rows.setdefault(found[1], {})[found[2]] = parsed(value)
    for tool in [*dicts(parsed(own.get("gen_ai.tool.definitions"))), *rows.values()]:
        whole = a_dict(tool.get("json_schema")) or tool
        yield tool_piece(whole.get("name") or a_dict(whole.get("function")).get("name"), whole)


def _system(own: Data) -> Iterator[CallPiece]:
    told = parsed(own.get("gen_ai.system_instructions"))
    for part in told if isinstance(told, list) else [told] if told else []:
        yield _part(part, "system", "system", None)


def _request(said: Sequence[Data]) -> Iterator[CallPiece]:
    opening = True
    for index, message in enumerate(said):
        role = a_text(message.get("role")) or "user"
        opening = opening and role in SYSTEM
        kind: PieceKind = "system" if opening else "message"
        for part in _parts(message):
            yield _part(part, kind, role, None if opening else index)


def _parts(message: Data) -> list[Any]:
    held = parsed(message.get("parts", message.get("content")))
    parts = held if isinstance(held, list) else [] if held is None or held == "" else [held]
    if message.get("role") == "tool" and len(parts) == 1 and isinstance(parts[0], str):
        parts = [{"type": "tool_call_response", "response": parts[0]}]
    return [*parts, *({"type": "tool_call", **call} for call in dicts(parsed(message.get("tool_calls"))))]


def _part(part: Any, kind: PieceKind, role: str, index: int | None) -> CallPiece:
    data = a_dict(part)
    if not data:
        return CallPiece(kind, role, a_text(part) or as_json(part), message=index)
    sort, text = a_text(data.get("type")), data.get("content", data.get("text"))
    if sort in ("text", "") and isinstance(text, str):
        return CallPiece(kind, role, text, message=index)
    if sort in PARTS:
        said = data.get("response", data.get("result", data.get("content")))
        words = said if isinstance(said, str) and PARTS[sort] != "tool call" else as_json(data)
        return CallPiece(kind, role, words, PARTS[sort], message=index)
    what, words = typed_text(data)
    return CallPiece(kind, role, words, what, message=index)


def _answer(said: Sequence[Data]) -> tuple[str, tuple[str, ...], str]:
    parts = [part for message in said for part in _parts(message)]
    texts = [_part(part, "message", "assistant", 0) for part in parts]
    calls = [a_dict(part) for part in parts if a_text(a_dict(part).get("type")) in ("tool_call", "tool_use")]
    names = [a_text(call.get("name")) or a_text(a_dict(call.get("function")).get("name")) for call in calls]
    stop = next((a_text(message.get("finish_reason")) for message in said if message.get("finish_reason")), "")
    return "".join(piece.text for piece in texts if piece.what == "text"), tuple(names), stop

"""Ollama's chat and generate: messages or one prompt, and an answer in lines."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..call import CallPiece
from .json_values import Data, a_dict, a_text
from .openai_chat import asked as asked_in_chat
from .openai_chat import calls_in, message_pieces, names_of, tools
from .parts import RequestContent, ResponseContent, error_of, settings_of

SETTINGS = ("options", "format", "think", "keep_alive", "template", "raw")


def asked(body: Data, _: str = "") -> RequestContent:
    """What a request says; it streams unless it says otherwise."""
    said = asked_in_chat(body).pieces if "messages" in body else tuple(_prompt(body))
    return RequestContent(
        a_text(body.get("model")), said, "", body.get("stream") is not False, settings_of(body, *SETTINGS)
    )


def _prompt(body: Data) -> Iterator[CallPiece]:
    yield from tools(body)
    if a_text(body.get("system")):
        yield CallPiece("system", "system", body["system"])
    said = {"content": a_text(body.get("prompt")) + a_text(body.get("suffix")), "images": body.get("images")}
    yield from message_pieces(said, "message", "user", 0)


def answered(answer: Any) -> ResponseContent:
    """What a whole answer says."""
    return joined([a_dict(answer)])


def joined(events: Sequence[Data]) -> ResponseContent:
    """What the lines of an answer add up to; the last one counts."""
    text: list[str] = []
    calls: list[Data] = []
    whole: Data = {}
    error = ""
    for event in events:
        error = error or (error_of(event) if event.get("error") else "")
        message = a_dict(event.get("message"))
        text.append(a_text(message.get("content")) or a_text(event.get("response")))
        calls += calls_in(message)
        whole |= event
    missing = () if whole.get("done") or error else ("the answer breaks off: it is not said to be done",)
    stop, named = a_text(whole.get("done_reason")), a_text(whole.get("model"))
    return ResponseContent("".join(text), names_of(calls), stop, whole, "", None, error, named, missing)

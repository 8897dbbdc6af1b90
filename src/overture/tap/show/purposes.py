"""A call -> what it is for: the agent's own work, a title, a summary. By what it asks, in words that agents use."""

import re
from typing import Literal

from ..call import Call, CallPiece
from ..judge.cache_view import BILLING

Purpose = Literal["agent", "title", "summary"]
TALK = r"\b(?:conversations?|sessions?|chats?|threads?|history|transcript|discussion|so far)\b"
TITLED = re.compile(rf"\btitles?\b.{{0,100}}{TALK}|{TALK}.{{0,60}}\btitles?\b|\btitle generator\b", re.I | re.S)
SUMMARY = re.compile(
    rf"\bsummar\w+\b.{{0,120}}{TALK}|{TALK}.{{0,60}}\bsummar\w+\b|\bhandoff summary\b|\bcontext (?:\w+ )?compaction\b",
    re.IGNORECASE | re.DOTALL,
)
REMINDER = re.compile(r"\s*<(?:system-reminder|session_context|environment_context|environment_details|context)\b")
BEGINS = 80
"""So many characters of each text of a system prompt tell whose it is; numbers in them may change."""
SYSTEM, LAST = 400, 600
"""So many characters of a system prompt, and of the last words of a user, are looked at."""


def purpose_of(call: Call) -> Purpose:
    """What a call is for. One that offers tools is the agent's, unless its last words ask for a summary."""
    last = last_words(call)[:LAST]
    offers = any(piece.kind == "tool" for piece in call.pieces)
    if SUMMARY.search(last) and (not offers or len(call.of("message")) > 2):
        return "summary"
    if offers:
        return "agent"
    system = "\n".join(system_texts(call))[:SYSTEM]
    if TITLED.search(system) or TITLED.search(last):
        return "title"
    return "summary" if SUMMARY.search(system) else "agent"


def system_texts(call: Call) -> list[str]:
    """The texts of the system prompt, without the line that only counts for a bill."""
    return [piece.text for piece in call.pieces if piece.kind == "system" and not piece.text.startswith(BILLING)]


def user_texts(call: Call) -> list[str]:
    """What users say, without what their programs put before it."""
    said = [
        piece.text for piece in call.pieces if piece.kind == "message" and piece.name == "user" and piece.what == "text"
    ]
    return [text for text in said if not REMINDER.match(text)]


def first_words(call: Call) -> str:
    """The first words of a user."""
    return next(iter(user_texts(call)), "")


def last_words(call: Call) -> str:
    """The last piece, where a user speaks it."""
    said = [piece for piece in call.pieces if piece.kind == "message" and piece.name != "system"]
    return said[-1].text if said and said[-1].name == "user" and said[-1].what == "text" else ""


def family_of(call: Call) -> str:
    """How the system prompt begins, whatever numbers stand in it."""
    return "\0".join(re.sub(r"\d+", "0", text[:BEGINS]) for text in system_texts(call))


def is_models(piece: CallPiece) -> bool:
    """Whether a model said it."""
    return piece.name in ("assistant", "model")


def tool_names(call: Call) -> frozenset[str]:
    """The tools that a call offers."""
    return frozenset(piece.name for piece in call.of("tool"))

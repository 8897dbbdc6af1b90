"""What a call sends before its messages: tools and system prompt, which most calls share, and which are read once."""

import re
from functools import cached_property, lru_cache

from ...lazy import cached
from ..recorded_call import CallPiece, RecordedCall

MAX_HEADS = 16
"""Heads that are remembered: a session has one for each of its agents."""
FAMILY_CHARS = 80
"""So many characters of each text of a system prompt identify its agent; numbers in them may change."""
BILLING = "x-anthropic-billing-header"
PREVIOUS = re.compile(r"\bcc_prev_req=([\w-]+)")
DEFERRED = '"defer_loading":true'


class CallHead:
    """The tools and the system prompt of calls, and what follows from them alone."""

    def __init__(self, tools: tuple[CallPiece, ...], system: tuple[CallPiece, ...]) -> None:
        self.tools, self.system = tools, system

    @cached_property
    def tool_names(self) -> frozenset[str]:
        """The tools that a call offers, by which its conversation is named."""
        return frozenset(piece.name for piece in self.tools)

    @cached_property
    def has_deferred_tools(self) -> bool:
        """Whether a tool is sent that the model finds only by a search."""
        return any(DEFERRED in piece.text for piece in self.tools)

    @cached_property
    def system_texts(self) -> list[str]:
        """The texts of the system prompt, without the line that only counts for a bill."""
        return [piece.text for piece in self.system if not piece.text.startswith(BILLING)]

    @cached_property
    def family_key(self) -> str:
        """How the system prompt begins, whatever numbers stand in it."""
        return "\0".join(re.sub(r"\d+", "0", text[:FAMILY_CHARS]) for text in self.system_texts)

    @cached_property
    def previous_request(self) -> str:
        """The request before it in its conversation, by the provider's id, where the billing header names it."""
        texts = (piece.text for piece in self.system if BILLING in piece.text)
        match = PREVIOUS.search(next(texts, ""))
        return match[1] if match else ""


@cached
def find_head(call: RecordedCall) -> CallHead:
    """The head of a call: one object for calls with equal tools and system prompts."""
    return _share_head(call.select_pieces("tool"), call.select_pieces("system"))


@lru_cache(MAX_HEADS)
def _share_head(tools: tuple[CallPiece, ...], system: tuple[CallPiece, ...]) -> CallHead:
    return CallHead(tools, system)

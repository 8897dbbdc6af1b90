"""The protocols that agents speak with models: what a request holds, and how it is answered."""

from . import anthropic, chat, gemini, responses
from .protocol import Call, Protocol, Reply, Say

__all__ = ["PROTOCOLS", "Call", "Protocol", "Reply", "Say", "protocol_of"]

PROTOCOLS = (anthropic.PROTOCOL, chat.PROTOCOL, responses.PROTOCOL, gemini.PROTOCOL)


def protocol_of(path: str) -> Protocol | None:
    """The protocol that a path of a request belongs to, None where it asks no model."""
    plain = path.partition("?")[0].rstrip("/")
    return next((each for each in PROTOCOLS if plain.endswith(each.ends)), None)

"""Texts, data and calls that any store can keep: without secrets or halves of characters, in numbers that fit."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from ...providers.parsed_call import MAX_COUNT
from ...providers.read.plain_data import MAX_WORD_LENGTH
from ...text.normalize import replace_surrogates
from ...text.secrets.cut_secrets import hide_cut_secret
from ...text.secrets.find_and_hide import hide_secrets
from ...text.secrets.shapes import MAX_PRIVATE_KEY_CHARS
from ...text.truncate import move_out_of_secret
from ..recorded_call import CallPiece, CallWire, RecordedCall
from .hide_secrets import encode_headers, hide_headers, hide_path, hide_string


@lru_cache(maxsize=64)
def clean(text: str) -> str:
    """A text without secrets, and without halves of characters, which no store can keep."""
    return hide_secrets(replace_surrogates(text))


def clean_same(text: str) -> str:
    """The text without secrets; the very same where there is none in it."""
    found = clean(text)
    return text if found == text else found


def truncate_text(text: str, limit: int) -> str:
    """The first characters of a text, so many that no key is cut in two: half of one would not be known for one."""
    return text if len(text) <= limit else text[: move_out_of_secret(text[: limit + MAX_PRIVATE_KEY_CHARS], limit)]


def clean_data(value: Any) -> Any:
    """What a provider counted, with texts that are clean and numbers that every JSON can hold."""
    if isinstance(value, str):
        return clean(truncate_text(value, MAX_WORD_LENGTH))
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return value if -MAX_COUNT < value < MAX_COUNT else None
    if isinstance(value, Mapping):
        return {clean(str(key)): clean_data(item) for key, item in value.items()}
    return [clean_data(item) for item in value] if isinstance(value, list) else None


MAX_ERROR_LENGTH = 2_000


def clean_call(call: RecordedCall, pieces: tuple[CallPiece, ...]) -> RecordedCall:
    """The same call without secrets in its texts; `pieces` are already clean."""
    words = {
        name: clean(getattr(call, name))
        for name in ("path", "model", "stop", "key", "reply_id", "continues", "request_id")
    }
    return replace(
        call,
        pieces=pieces,
        calls=tuple(map(clean, call.calls)),
        diagnosis=clean(call.diagnosis) if call.diagnosis else None,
        reply=clean(hide_cut_secret(call.reply)),
        error=clean(truncate_text(hide_cut_secret(call.error), MAX_ERROR_LENGTH)) if call.error else None,
        settings={name: clean(value) for name, value in call.settings.items()},
        others={clean(name): _clean_value(name, value) for name, value in call.others.items()},
        missing=tuple(map(clean, call.missing)),
        **words,
    )


def _clean_value(name: str, value: str) -> str:
    """A value as JSON, without secrets; its name may mark it as a secret."""
    if not value.startswith('"'):
        return clean(value)
    return '"' + hide_string(value[1:], f'"{name}":"', clean)


def clean_piece(piece: CallPiece, without_secrets: Callable[[str], str]) -> CallPiece:
    """A piece without secrets; the same object if it contains none."""
    name, text, ttl = clean(piece.name), without_secrets(piece.text), clean(piece.ttl)
    same = name == piece.name and text is piece.text and ttl == piece.ttl
    return piece if same else replace(piece, name=name, text=text, ttl=ttl)


def clean_wire(wire: CallWire) -> CallWire:
    """A wire of another store, with keys removed from its head; the store searches its bodies."""
    return replace(
        wire,
        path=hide_path(wire.path.encode("latin-1", "replace")),
        request_headers=hide_headers(encode_headers(wire.request_headers)),
        response_headers=hide_headers(encode_headers(wire.response_headers)),
    )

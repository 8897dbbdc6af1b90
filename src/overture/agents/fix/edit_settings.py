"""Sets one key of settings in JSON in place: comments, order and blanks stay as they are."""

import json
import re
from collections.abc import Sequence
from typing import Any

from ...discovery.parse_json_and_toml import parse_json_with_comments


def edit_setting(text: str, keys: Sequence[str], value: Any) -> str:
    """The text with that value set; raises ValueError with the reason if it can't be edited.

    Where to write is guessed, and the result is read again: it has to say what was wanted, and nothing else.
    """
    try:
        wanted = _set_in_object(parse_json_with_comments(text) if text.strip() else {}, keys, value)
        if not text.strip():
            return f"{json.dumps(wanted, indent=2, ensure_ascii=False)}\n"
        new = _write(text, keys, value)
        if parse_json_with_comments(new) == wanted:
            return new
    except RecursionError:
        raise ValueError("it is nested too deeply to edit") from None
    raise ValueError("its syntax can't be edited safely")


def _set_in_object(values: Any, keys: Sequence[str], value: Any) -> Any:
    """The settings as data with the value set."""
    if not isinstance(values, dict):
        raise ValueError("it is not an object")
    return {**values, keys[0]: _set_in_object(values.get(keys[0], {}), keys[1:], value) if keys[1:] else value}


def _write(text: str, keys: Sequence[str], value: Any) -> str:
    """The value in the place of the old one, or as the first member of the innermost object that exists."""
    encoded = json.dumps(value, ensure_ascii=False)
    end = "\r\n" if "\r\n" in text else "\n"
    at = text.index("{") + 1
    for depth, key in enumerate(keys):
        name = rf"{re.escape(json.dumps(key))}\s*:\s*"
        if depth == len(keys) - 1 and (old := re.compile(rf'{name}(\[[^\]/]*\]|"[^"\n]*")').search(text, at)):
            return text[: old.start(1)] + encoded + text[old.end(1) :]
        inner = re.compile(name + r"\{").search(text, at) if depth < len(keys) - 1 else None
        if inner is None:
            break
        at = inner.end()
    for inner_key in reversed(keys[depth + 1 :]):
        encoded = f"{{{json.dumps(inner_key)}: {encoded}}}"
    is_empty = re.match(r"\s*\}", text[at:])
    blanks = re.match(r"\s*?\n([ \t]*)(?=\S)", text[at:])
    indent = f"{end}{blanks[1]}" if blanks and not is_empty else " "
    return f"{text[:at]}{indent}{json.dumps(keys[depth])}: {encoded}{' ' if is_empty else ','}{text[at:]}"

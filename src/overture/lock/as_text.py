"""A lock as text: JSON with a section or a file a line, so that a pull request shows which of them moved."""

import json
from collections.abc import Iterable

import msgspec

from ..model.struct import Frozen
from .lock import VERSION, Lock, LockedPrompt

ABOUT = "What prompts are made of. `overture lock` writes it, `overture lock --check` compares it."


def lock_text(lock: Lock) -> str:
    """The same lock gives the same bytes, whatever the machine."""
    prompts = sorted(lock.prompts, key=lambda prompt: prompt.key)
    head = f'{{\n "overture_lock": {VERSION},\n "about": {_json(ABOUT)},\n "prompts": '
    return f"{head}{_listed(map(_prompt, prompts), ' ')}\n}}\n"


def _prompt(prompt: LockedPrompt) -> str:
    plain = msgspec.to_builtins(prompt)
    lines = [
        ", ".join(f"{_json(key)}: {_json(plain[key])}" for key in keys)
        for keys in (("recipe", "cwd"), ("fingerprint",), ("tokens", "tokenizer"), ("options",))
    ]
    lines += [f'"sections": {_rows(prompt.sections)}', f'"files": {_rows(prompt.files)}']
    return "{" + ",\n   ".join(lines) + "}"


def _rows(rows: Iterable[Frozen]) -> str:
    return _listed([_json(msgspec.to_builtins(row)) for row in rows], "   ")


def _listed(items: Iterable[str], indent: str) -> str:
    """Each item on lines of its own; an empty list is one word."""
    inside = ",\n".join(f"{indent} {item}" for item in items)
    return f"[\n{inside}\n{indent}]" if inside else "[]"


def _json(value: object) -> str:
    # Not msgspec: a name that is not UTF-8 would stop it.
    return json.dumps(value)

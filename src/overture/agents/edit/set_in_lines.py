"""Set one key of a TOML or a YAML text in place: what else stands there stays as it is."""

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any

TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)
UNSAFE = "it is written in a way that can't be changed safely"


def set_in_toml(text: str, keys: Sequence[str], value: Any) -> str:
    """The text with the value at a key outside tables; what can't be done safely is a ValueError that says why."""
    try:
        before = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise ValueError(f"it is not TOML: {str(problem)[:1].lower()}{str(problem)[1:]}") from None
    name, said = ".".join(keys), json.dumps(value, ensure_ascii=False)
    line = re.compile(rf'^({re.escape(name)}[ \t]*=[ \t]*)(?:\[[^\]\n]*\]|"[^"\n]*"|[\w.+-]+)', re.MULTILINE)
    if line.search(text):
        new = line.sub(lambda found: found[1] + said, text, count=1)
    else:
        table = TABLE.search(text)
        at = table.start() if table else len(text)
        above = text[:at].rstrip()
        new = f"{above}{chr(10) if above else ''}{name} = {said}\n{chr(10) if table else ''}{text[at:]}"
    try:
        after = tomllib.loads(new)
    except tomllib.TOMLDecodeError:
        raise ValueError(UNSAFE) from None
    if after != _with(before, keys, value):
        raise ValueError(UNSAFE)
    return new


def _with(values: dict[str, Any], keys: Sequence[str], value: Any) -> dict[str, Any]:
    inner = values.get(keys[0], {})
    made = value if len(keys) == 1 else _with(inner if isinstance(inner, dict) else {}, keys[1:], value)
    return {**values, keys[0]: made}


def set_in_yaml(text: str, keys: Sequence[str], value: Any) -> str:
    """The text with one more line; a key that is there already and is no plain text or list is a ValueError."""
    if len(keys) != 1 or re.search(r"^(?:---|\.\.\.)", text, re.MULTILINE) or text.lstrip()[:1] in ("{", "["):
        raise ValueError(UNSAFE)
    listed = value if isinstance(value, list) else [value]
    name = re.escape(keys[0])
    if found := re.search(rf"^{name}:[ \t]+([\w./-]+)[ \t]*$", text, re.MULTILINE):
        lines = "\n".join([f"{keys[0]}:", *_items(listed)])
        return text[: found.start()] + lines + text[found.end() :]
    if found := re.search(rf"^{name}:[ \t]*\n(?:(?P<blanks>[ \t]*)- \S.*(?:\n|\Z))+", text, re.MULTILINE):
        more = [line.replace("  ", found["blanks"], 1) for line in _items(listed[found[0].count("- ") :])]
        above = text[: found.end()] if found[0].endswith("\n") else f"{text[: found.end()]}\n"
        return "".join([above, *(f"{line}\n" for line in more), text[found.end() :]])
    if re.search(rf"^[\"']?{name}[\"']?[ \t]*:", text, re.MULTILINE):
        raise ValueError(f"{keys[0]} is there already, {UNSAFE.removeprefix('it is ')}")
    said = f"{keys[0]}: {_plain(listed[0])}" if len(listed) == 1 else "\n".join([f"{keys[0]}:", *_items(listed)])
    above = text if not text or text.endswith("\n") else f"{text}\n"
    return f"{above}{said}\n"


def _items(values: Sequence[Any]) -> list[str]:
    return [f"  - {_plain(value)}" for value in values]


def _plain(value: Any) -> str:
    text = str(value)
    return text if re.fullmatch(r"[\w./-]+", text) else json.dumps(text, ensure_ascii=False)

"""Set one key of a JSON text in place: comments, order and blanks stay as somebody wrote them."""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...discover.formats.json_with_comments import TOKEN, read_json

STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
SKIPPED = re.compile(r"[ \t\r\n,:]*")
BARE = re.compile(r"[^\s,}\]]+")
OPENS, CLOSES = "{[", "}]"


class Member(NamedTuple):
    """A key of an object, or an item of a list: where its value stands."""

    key: str
    start: int
    end: int


class Holder(NamedTuple):
    """An object or a list: its first character, its last, and what it holds."""

    start: int
    close: int
    members: list[Member]


def set_in_json(text: str, keys: Sequence[str], value: Any) -> str:
    """The text with the value at that key; what can't be done safely is a ValueError that says why."""
    wanted = _with(read_json(text) or {}, keys, value)
    new = _set(text, keys, value) if text.strip() else f"{json.dumps(wanted, indent=2, ensure_ascii=False)}\n"
    if read_json(new) != wanted:
        raise ValueError("it is written in a way that can't be changed safely")
    return new


def _with(values: Any, keys: Sequence[str], value: Any) -> Any:
    if not isinstance(values, dict):
        raise ValueError("it holds no keys")
    if len(keys) == 1:
        return {**values, keys[0]: value}
    inner = values.get(keys[0], {})
    if not isinstance(inner, dict):
        raise ValueError(f"{keys[0]} holds no keys")
    return {**values, keys[0]: _with(inner, keys[1:], value)}


def _set(text: str, keys: Sequence[str], value: Any) -> str:
    plain = TOKEN.sub(lambda found: found[0] if found[0][0] == '"' else re.sub(r"[^\n]", " ", found[0]), text)
    holder = _holder(plain, plain.index("{"))
    for index, key in enumerate(keys):
        member = next((each for each in holder.members if each.key == key), None)
        if member is None:
            return _added(text, holder, f"{json.dumps(key)}: {_written(text, holder, keys[index + 1 :], value)}")
        if index == len(keys) - 1:
            return _replaced(text, plain, member, value)
        holder = _holder(plain, member.start)
    return text


def _replaced(text: str, plain: str, member: Member, value: Any) -> str:
    """In the place of the old value; a list that only grows keeps what stands in it."""
    old = read_json(plain[member.start : member.end])
    if isinstance(old, list) and isinstance(value, list) and old and value[: len(old)] == old:
        for item in value[len(old) :]:
            text = _added(text, _holder(plain, member.start), json.dumps(item, ensure_ascii=False))
        return text
    return text[: member.start] + json.dumps(value, ensure_ascii=False) + text[member.end :]


def _added(text: str, holder: Holder, written: str) -> str:
    """One more at the end of an object or a list."""
    inside = text[holder.start + 1 : holder.close]
    at = holder.start + 1 + len(inside.rstrip())
    if not holder.members:
        indent = _indent(text, holder)
        return f"{text[:at]}\n{indent}{written}\n{indent[:-2]}{text[holder.close :]}"
    last = holder.members[-1].end
    behind = text[last:at]
    comma = "" if re.match(r"\s*,", TOKEN.sub("", behind)) else ","
    on_lines = "\n" in inside
    new = f"\n{_indent(text, holder)}{written}" if on_lines else f" {written}"
    return text[:last] + comma + behind + new + text[at:]


def _indent(text: str, holder: Holder) -> str:
    """The blanks before what the object holds, or else two more than before the line that opens it."""
    at = holder.members[0].start if holder.members else holder.start
    line = text[text.rfind("\n", 0, at) + 1 : at]
    blanks = line[: len(line) - len(line.lstrip())]
    return blanks if holder.members else f"{blanks}  "


def _written(text: str, holder: Holder, keys: Sequence[str], value: Any) -> str:
    for key in reversed(keys):
        value = {key: value}
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    on_lines = "\n" in text[holder.start : holder.close] or not holder.members
    said = json.dumps(value, indent=2 if on_lines else None, ensure_ascii=False)
    return said.replace("\n", f"\n{_indent(text, holder)}")


def _holder(plain: str, start: int) -> Holder:
    """The object or list that begins there. The text is JSON, and its comments are blank."""
    if plain[start] not in OPENS:
        raise ValueError("it is written in a way that can't be changed safely")
    members: list[Member] = []
    at, key = start + 1, ""
    named = plain[start] == "{"
    while True:
        at = SKIPPED.match(plain, at).end()  # type: ignore[union-attr]
        if plain[at] in CLOSES:
            return Holder(start, at, members)
        end = _end(plain, at)
        if named and not key:
            key = json.loads(plain[at:end])
        else:
            members.append(Member(key, at, end))
            key = ""
        at = end


def _end(plain: str, at: int) -> int:
    """Behind the value that begins there."""
    if plain[at] == '"':
        found = STRING.match(plain, at)
        return found.end() if found else len(plain)
    if plain[at] not in OPENS:
        found = BARE.match(plain, at)
        return found.end() if found else len(plain)
    return _holder(plain, at).close + 1

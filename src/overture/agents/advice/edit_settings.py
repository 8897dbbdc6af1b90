"""Sets one key of a JSON or TOML text in place. Comments, order and blanks stay as they are."""

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...discovery.parse_json_and_toml import (
    TOKEN,
    YAML_ENDINGS,
    find_setting,
    parse_json_with_comments,
    parse_settings,
)

DECODER = json.JSONDecoder()
SEPARATORS = re.compile(r"[ \t\r\n,:]*")
OPENS, CLOSES = "{[", "}]"
UNSAFE = "its syntax can't be edited safely"


class JsonMember(NamedTuple):
    """A key of an object, or an item of a list, with the span of its value."""

    key: str
    start: int
    end: int


class JsonContainer(NamedTuple):
    """An object or a list: its first character, its last, and what it holds."""

    start: int
    close: int
    members: list[JsonMember]


def set_in_json(text: str, keys: Sequence[str], value: Any) -> str:
    """The text with the value set at that key; raises ValueError with the reason if no safe edit exists."""
    wanted = _set_in_object(parse_json_with_comments(text) if text.strip() else {}, keys, value)
    new = _set_in_text(text, keys, value) if text.strip() else f"{json.dumps(wanted, indent=2, ensure_ascii=False)}\n"
    if parse_json_with_comments(new) != wanted:
        raise ValueError(UNSAFE)
    return new


def _set_in_object(values: Any, keys: Sequence[str], value: Any) -> Any:
    """The settings as data with the value set: what the edited text has to be equal to."""
    if not isinstance(values, dict):
        raise ValueError("it is not an object")
    if len(keys) == 1:
        return {**values, keys[0]: value}
    inner = values.get(keys[0], {})
    if not isinstance(inner, dict):
        raise ValueError(f"{keys[0]} is not an object")
    return {**values, keys[0]: _set_in_object(inner, keys[1:], value)}


def _set_in_text(text: str, keys: Sequence[str], value: Any) -> str:
    """The text of JSON settings with the value set in place."""
    plain = TOKEN.sub(lambda match: match[0] if match[0][0] == '"' else re.sub(r"[^\n]", " ", match[0]), text)
    holder = _parse_holder(plain, plain.index("{"))
    for index, key in enumerate(keys):
        member = next((each for each in holder.members if each.key == key), None)
        if member is None:
            return _add_value(
                text, holder, f"{json.dumps(key)}: {_write_member(text, holder, keys[index + 1 :], value)}"
            )
        if index == len(keys) - 1:
            return _replace_value(text, plain, member, value)
        holder = _parse_holder(plain, member.start)
    return text


def _replace_value(text: str, plain: str, member: JsonMember, value: Any) -> str:
    """Replaces the old value; a list that only grows keeps its items as written."""
    old = parse_json_with_comments(plain[member.start : member.end])
    if isinstance(old, list) and isinstance(value, list) and old and value[: len(old)] == old:
        for item in value[len(old) :]:
            text = _add_value(text, _parse_holder(plain, member.start), json.dumps(item, ensure_ascii=False))
        return text
    return text[: member.start] + json.dumps(value, ensure_ascii=False) + text[member.end :]


def _add_value(text: str, holder: JsonContainer, written: str) -> str:
    """One more at the end of an object or a list."""
    inside = text[holder.start + 1 : holder.close]
    at = holder.start + 1 + len(inside.rstrip())
    if not holder.members:
        indent = _find_indent(text, holder)
        return f"{text[:at]}\n{indent}{written}\n{indent[:-2]}{text[holder.close :]}"
    last = holder.members[-1].end
    gap = text[last:at]
    comma = "" if re.match(r"\s*,", TOKEN.sub("", gap)) else ","
    on_lines = "\n" in inside
    new = f"\n{_find_indent(text, holder)}{written}" if on_lines else f" {written}"
    return text[:last] + comma + gap + new + text[at:]


def _find_indent(text: str, holder: JsonContainer) -> str:
    """The blanks before what the object holds, or else two more than before the line that opens it."""
    at = holder.members[0].start if holder.members else holder.start
    line = text[text.rfind("\n", 0, at) + 1 : at]
    blanks = line[: len(line) - len(line.lstrip())]
    return blanks if holder.members else f"{blanks}  "


def _write_member(text: str, holder: JsonContainer, keys: Sequence[str], value: Any) -> str:
    """The JSON of a value below keys that are new, indented as the settings around it."""
    for key in reversed(keys):
        value = {key: value}
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    on_lines = "\n" in text[holder.start : holder.close] or not holder.members
    encoded = json.dumps(value, indent=2 if on_lines else None, ensure_ascii=False)
    return encoded.replace("\n", f"\n{_find_indent(text, holder)}")


def _parse_holder(plain: str, start: int) -> JsonContainer:
    """The object or list that begins there. The text is JSON, and its comments are blank."""
    if plain[start] not in OPENS:
        raise ValueError(UNSAFE)
    members: list[JsonMember] = []
    at, key = start + 1, ""
    named = plain[start] == "{"
    while True:
        at = SEPARATORS.match(plain, at).end()  # type: ignore[union-attr]
        if plain[at] in CLOSES:
            return JsonContainer(start, at, members)
        is_container = plain[at] in OPENS
        end = _parse_holder(plain, at).close + 1 if is_container else DECODER.raw_decode(plain, at)[1]
        if named and not key:
            key = json.loads(plain[at:end])
        else:
            members.append(JsonMember(key, at, end))
            key = ""
        at = end


TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)


def set_in_toml(text: str, keys: Sequence[str], value: Any) -> str:
    """The text with the value set at a top-level key; raises ValueError with the reason if no safe edit exists."""
    try:
        before = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise ValueError(f"invalid TOML: {str(problem)[:1].lower()}{str(problem)[1:]}") from None
    name, encoded = ".".join(keys), json.dumps(value, ensure_ascii=False)
    line = re.compile(rf'^({re.escape(name)}[ \t]*=[ \t]*)(?:\[[^\]\n]*\]|"[^"\n]*"|[\w.+-]+)', re.MULTILINE)
    if line.search(text):
        new = line.sub(lambda match: match[1] + encoded, text, count=1)
    else:
        table = TABLE.search(text)
        at = _skip_comment_above(text, table.start()) if table else len(text)
        above = text[:at].rstrip()
        blanks = text[len(above) + 1 : at] or "\n" * bool(table)
        new = f"{above}{chr(10) if above else ''}{name} = {encoded}\n{blanks}{text[at:]}"
    try:
        after = tomllib.loads(new)
    except tomllib.TOMLDecodeError:
        raise ValueError(UNSAFE) from None
    if after != _set_in_object(before, keys, value):
        raise ValueError(UNSAFE)
    return new


def _skip_comment_above(text: str, at: int) -> int:
    """Where the comment right above a table begins, which is about it; the table's own place without one."""
    while at and (line := text[text.rfind("\n", 0, at - 1) + 1 : at]).lstrip().startswith("#"):
        at -= len(line)
    return at


def edit_setting(text: str, path: str, keys: Sequence[str], value: Any) -> str:
    """The text with that value set; raises ValueError with the reason if it can't be edited."""
    if (count := text.count("\r\n")) and count == text.count("\n"):  # a file from Windows keeps its line ends
        return edit_setting(text.replace("\r\n", "\n"), path, keys, value).replace("\n", "\r\n")
    if path.endswith(".toml"):
        return set_in_toml(text, keys, value)
    if path.endswith(YAML_ENDINGS):
        raise ValueError("YAML is not edited here")
    try:
        return set_in_json(text, keys, value)
    except RecursionError:
        raise ValueError("it is nested too deeply to edit") from None


def read_setting(text: str, path: str, keys: Sequence[str]) -> Any:
    """The value of a key; None if the key is not set or the file is unreadable."""
    try:
        return find_setting(parse_settings(text, path), keys)
    except (ValueError, RecursionError):
        return None

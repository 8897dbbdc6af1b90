"""Parses settings as people keep them (TOML, JSON with comments), and reads the files that a caller names."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from ..errors import ConfigError, ErrorPlace, OvertureError, StateError, describe_unreadable
from ..model.convert_tools import tools_from
from ..model.tool import Tool
from .files import MAX_FILE_BYTES
from .world import World, read_input

MAX_TOML_BYTES = 1024 * 1024
"""Bytes of a file in TOML: configuration, recipes, prices. Real files have less than a tenth of it."""
MAX_KEY_PARTS = 100
KEY_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
LONG_NUMBER = re.compile(r"""(?<![\w"'])[+-]?\d\w{1000}""")
LONG_KEY = re.compile(rf"(?<![\w\\-])(?:{KEY_PART}[ \t]*+\.[ \t]*+){{{MAX_KEY_PARTS}}}")
TOML_PLACE = re.compile(r"invalid TOML: (?P<what>.*) \(at line (?P<line>\d+), column (?P<column>\d+)\)")
TOML_LINE = re.compile(rf"\s*(?:\[{{1,2}}(?P<table>[^\[\]]+)\]|(?P<key>{KEY_PART}(?:\s*\.\s*{KEY_PART})*)\s*=)")


def parse_toml(data: bytes) -> dict[str, Any]:
    """The table of a file. A ValueError explains in a few words why it can't be parsed."""
    import tomllib  # most projects have no file of settings

    try:
        text = data.decode("utf-8-sig")
        if number := LONG_NUMBER.search(text):  # not every one can be shown
            raise ValueError(f"it contains a number that is too long: {number[0][:20]}…")
        if LONG_KEY.search(text):  # these take quadratic time
            raise ValueError(f"a key has more than {MAX_KEY_PARTS} parts")
        return tomllib.loads(text)
    except UnicodeDecodeError:
        raise ValueError("invalid TOML: not UTF-8") from None
    except RecursionError:
        raise ValueError("it is nested too deeply; flatten it") from None
    except tomllib.TOMLDecodeError as problem:
        raise ValueError(f"invalid TOML: {problem}") from None


def locate_toml_error(path: str, problem: str, data: bytes) -> ErrorPlace:
    """The message for an invalid TOML file, the place, and the line there."""
    match = TOML_PLACE.fullmatch(problem)
    if match is None:
        return {"message": f"{problem[:1].upper()}{problem[1:]}", "place": path}
    line = dict(enumerate(data.decode("utf-8-sig", "replace").splitlines(), 1)).get(int(match["line"]), "")
    return {"message": match["what"], "place": f"{path}:{match['line']}:{match['column']}", "source": line}


def find_toml_line(text: str, key: str, top: str = "") -> int | None:
    """The line that sets `key`, or the table around it; `top` is the table that holds our keys."""
    wanted = f"{top}.{key}".strip(".")
    best, best_line, table = len(top), None, ""
    for number, line in enumerate(text.splitlines(), 1):
        if match := TOML_LINE.match(line):
            name = re.sub(r"\s*(\.)\s*|[\"']", r"\1", (match["table"] or match["key"]).strip())
            table = name if match["table"] else table
            here = name if match["table"] else f"{table}.{name}".strip(".")
            if len(here) > best and f"{wanted}.".startswith(f"{here}."):
                best, best_line = len(here), number
    return best_line


def format_toml_value(value: Any) -> str:
    """A value as TOML has it; texts, numbers, switches and lists of them are written alike in JSON."""
    return json.dumps(value, ensure_ascii=False)


JSON_STRING = r'"(?:[^"\\\n]++|\\.?)*+"?'
"""A string, also one that never ends: else each quote in it would be tried again."""
TOKEN = re.compile(JSON_STRING + r"|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
COMMA = re.compile(rf"({JSON_STRING})|,(?=\s*[}}\]])", re.DOTALL)
KEY_STEP = re.compile(r'"[^"]*"|[^."]+')
YAML_ENDINGS = (".yml", ".yaml")


def parse_json_with_comments(text: str) -> Any:
    """The value; an invalid one is a ValueError with its line."""
    plain = TOKEN.sub(lambda found: found[0] if found[0][0] == '"' else re.sub(r"[^\n]", " ", found[0]), text)
    plain = COMMA.sub(r"\1", plain.removeprefix("\ufeff"))
    if not plain.strip():
        return None
    try:
        return json.loads(plain)
    except json.JSONDecodeError as problem:
        raise ValueError(f"invalid JSON: {problem.msg[:1].lower()}{problem.msg[1:]}, line {problem.lineno}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def parse_settings(text: str, path: str) -> Mapping[str, Any]:
    """The values of a settings file in JSON, TOML or YAML; an invalid one is a ValueError."""
    if path.endswith(".toml"):
        return parse_toml(text.encode("utf-8"))
    if not path.endswith(YAML_ENDINGS):
        values = parse_json_with_comments(text)
        if values is not None and not isinstance(values, Mapping):
            raise ValueError("it is not an object")
        return values or {}
    from ..text.frontmatter import FrontmatterProblem, parse_frontmatter, scalar_text

    parsed = parse_frontmatter(f"---\n{text.rstrip()}\n---\n")
    if isinstance(parsed, FrontmatterProblem):
        raise ValueError(parsed.message.replace("its frontmatter", "it"))
    return {key: [i for i in f.items if i] if f.kind == "list" else scalar_text(f) for key, f in parsed.fields.items()}


def split_key(key: str) -> list[str]:
    """The steps of a key with dots; one in quotes may hold some itself."""
    return [step.strip('"') for step in KEY_STEP.findall(key)]


def find_setting(values: Any, key: str | Iterable[str]) -> Any:
    """The value at a key of settings, or at the steps of one; None if it is not set."""
    for step in split_key(key) if isinstance(key, str) else key:
        values = values.get(step) if isinstance(values, Mapping) else None
    return values


# Files that a caller names: tools as JSON, models as TOML. Unlike project files, a bad one is an error.


def read_toml_file(world: World, path: str, within: str | None = None) -> dict[str, Any]:
    """The table in a TOML file `within` a folder."""
    data = _read_named(world, path, MAX_TOML_BYTES, within)
    try:
        return parse_toml(data)
    except ValueError as problem:
        raise ConfigError(f"{path}: {problem}.", **locate_toml_error(path, str(problem), data)) from None


def read_tools_file(world: World, path: str, within: str | None = None) -> tuple[Tool, ...]:
    """The tools in a JSON file `within` a folder; without one, also in a pipe that a shell passes as a file."""
    value = decode_json(_read_named(world, path, MAX_FILE_BYTES, within), path)
    try:
        return tools_from(value)
    except OvertureError as problem:
        raise problem.in_file(path) from None


def _read_named(world: World, path: str, max_bytes: int, within: str | None) -> bytes:
    try:
        return read_input(world, path, max_bytes, within)
    except OSError as problem:
        why = problem.strerror.lower() if problem.strerror else str(problem)
        raise ConfigError(f"{path}: can't be read: {why}.", message=describe_unreadable(path, problem)) from None


def decode_json(data: bytes, name: str) -> Any:
    """The JSON value of `data`, which came from `name`. JSON readers keep the last of two equal keys; we refuse it."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    twice: list[str] = []

    def note_duplicates(pairs: list[tuple[str, Any]]) -> None:
        if not twice and len(dict(pairs)) < len(pairs):
            twice.append(Counter(key for key, _ in pairs).most_common(1)[0][0])

    try:
        value = msgspec.json.decode(data)
        json.loads(data, object_pairs_hook=note_duplicates)
        fault = f"the key {twice[0]!r} is given twice in one object; keep one of them" if twice else ""
    except RecursionError:
        fault = "it is nested too deeply; flatten it"
    except (msgspec.DecodeError, ValueError) as problem:
        fault = f"invalid JSON: {str(problem).rstrip('.')}" if data.strip() else "invalid JSON: the file is empty"
    if not fault:
        return value
    text, message, source = f"{name}: {fault}.", f"{fault[0].upper()}{fault[1:]}.", ""
    if match := re.search(r" \(byte (\d+)\)", fault):
        before = data[: int(match[1])].decode("utf-8", "replace").split("\n")
        source = data.decode("utf-8", "replace").split("\n")[len(before) - 1].rstrip("\r")
        message, name = message.replace(match[0], ""), f"{name}:{len(before)}:{len(before[-1]) + 1}"
    raise StateError(text, message=message, place=name, source=source)

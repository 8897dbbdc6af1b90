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
from .world import World, read_file_within, read_input

MAX_TOML_BYTES = 1024 * 1024
"""Bytes of a file in TOML: configuration, recipes, prices. Real files have less than a tenth of it."""
MAX_TOML_DEPTH = 100
"""Steps of a dotted key, and levels of a table."""
MAX_NUMBER_CHARS = 1_000
"""Characters of a number, and of a text in which nothing can be so long that it matters."""
TOML_KEYS = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*(?:"{3,5}|\Z)|'
    r"'''(?:[^']++|'(?!''))*(?:'{3,5}|\Z)"
    r'|(?P<part>[A-Za-z0-9_-]++|"(?:[^"\\\n]++|\\.)*"|'
    r"'[^'\n]*+')"
    r"|(?P<dot>[ \t]*+\.[ \t]*+)"
    r"|#[^\n]*+|\s++|.",
    re.DOTALL,
)
"""Strings of several lines, parts of keys and the dots between them, comments, and the rest."""


def parse_toml(data: bytes) -> dict[str, Any]:
    """The table of a file. A ValueError explains in a few words why it can't be parsed."""
    import tomllib  # most projects have no file of settings

    try:
        text = data.decode("utf-8-sig")
        if len(text) > MAX_NUMBER_CHARS and (fault := find_toml_excess(text)):
            raise ValueError(fault)
        return tomllib.loads(text)
    except UnicodeDecodeError:
        raise ValueError("invalid TOML: not UTF-8") from None
    except RecursionError:
        raise ValueError("it is nested too deeply; flatten it") from None
    except tomllib.TOMLDecodeError as problem:
        raise ValueError(f"invalid TOML: {problem}") from None


TOML_PLACE = re.compile(r"invalid TOML: (?P<what>.*) \(at line (?P<line>\d+), column (?P<column>\d+)\)")


def locate_toml_error(path: str, problem: str, data: bytes) -> ErrorPlace:
    """The message for an invalid TOML file, the place, and the line there."""
    match = TOML_PLACE.fullmatch(problem)
    if match is None:
        return {"message": f"{problem[:1].upper()}{problem[1:]}", "place": path}
    lines = data.decode("utf-8-sig", "replace").splitlines()
    number = int(match["line"])
    source = lines[number - 1] if number <= len(lines) else ""
    return {"message": match["what"], "place": f"{path}:{number}:{match['column']}", "source": source}


def find_toml_excess(text: str) -> str:
    """Why a text would take too long to parse, else empty: dotted keys and numbers take quadratic time."""
    steps = 0
    for match in TOML_KEYS.finditer(text):
        if match.lastgroup == "part":
            if match.end() - match.start() > MAX_NUMBER_CHARS and match[0].lstrip("+-_")[:1].isdigit():
                return f"it contains a number that is too long: {match[0][:20]}…"
            continue
        steps = steps + 1 if match.lastgroup == "dot" else 0
        if steps >= MAX_TOML_DEPTH:
            return f"a key has more than {MAX_TOML_DEPTH} parts"
    return ""


# The line of a TOML file that sets a dotted key, as near as possible without a parser.


TABLE_HEADER = re.compile(r"^\s*\[{1,2}\s*([^\[\]]+?)\s*\]{1,2}")
KEY_LINE = re.compile(r"""^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")


def find_toml_line(text: str, key: str, top: str = "") -> int | None:
    """The line that sets `key`, or the table around it; `top` is the table that holds our keys."""
    best, best_line = 0, None
    table = ""
    wanted = f"{top}.{key}".strip(".")
    for number, line in enumerate(text.splitlines(), 1):
        if header := TABLE_HEADER.match(line):
            table = here = _normalize_toml_key(header[1])
        elif key_match := KEY_LINE.match(line):
            here = f"{table}.{_normalize_toml_key(key_match[1])}".strip(".")
        else:
            continue
        if len(here) > max(best, len(top)) and (wanted == here or wanted.startswith(here + ".")):
            best, best_line = len(here), number
    return best_line


def _normalize_toml_key(key: str) -> str:
    return re.sub(r"\s*\.\s*", ".", key.replace('"', "").replace("'", ""))


# JSON as people keep it in settings files: with comments, and commas before a closing bracket.


TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
COMMA = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])')
KEY_STEP = re.compile(r'"[^"]*"|[^."]+')
YAML_ENDINGS = (".yml", ".yaml")


def parse_json_with_comments(text: str) -> Any:
    """The value; an invalid one is a ValueError with its line."""
    plain = COMMA.sub(_remove_comma, TOKEN.sub(_blank_comment, text.removeprefix("\ufeff")))
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
        if values is None:
            return {}
        if not isinstance(values, Mapping):
            raise ValueError("it is not an object")
        return values
    from ..text.frontmatter import FrontmatterProblem, parse_frontmatter, scalar_text

    parsed = parse_frontmatter(f"---\n{text.rstrip()}\n---\n")
    if isinstance(parsed, FrontmatterProblem):
        raise ValueError(parsed.message.replace("its frontmatter", "it"))
    return {key: [i for i in f.items if i] if f.kind == "list" else scalar_text(f) for key, f in parsed.fields.items()}


def split_key(key: str) -> list[str]:
    """The steps of a key with dots; one in quotes may hold some itself."""
    return [step.strip('"') for step in KEY_STEP.findall(key)]


def find_setting(values: Any, steps: Iterable[str]) -> Any:
    """The value at a key of settings; None if it is not set."""
    for step in steps:
        values = values.get(step) if isinstance(values, Mapping) else None
    return values


def _blank_comment(found: re.Match[str]) -> str:
    """Nothing, in as many lines."""
    token = found[0]
    return token if token.startswith('"') else re.sub(r"[^\n]", " ", token)


def _remove_comma(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else ""


# Files that a caller names: tools and states as JSON, models as TOML. Unlike project files, a bad one is an error.


MAX_JSON_BYTES = 16 * 1024 * 1024
"""Bytes of a file that the configuration names. One that the caller names may be as large as any."""


def read_json_file(world: World, path: str, *, pipes: bool = True, within: str | None = None) -> Any:
    """The JSON value in a file `within` a folder; with `pipes`, also in a pipe that a shell passes as a file."""
    try:
        data = read_input(world, path) if pipes else read_file_within(world, path, within, MAX_JSON_BYTES)
    except OSError as problem:
        raise _make_unreadable_error(path, problem) from None
    return decode_json(data, path)


def _make_unreadable_error(path: str, problem: OSError) -> ConfigError:
    why = problem.strerror.lower() if problem.strerror else str(problem)
    return ConfigError(f"{path}: can't be read: {why}.", message=describe_unreadable(path, problem))


def decode_json(data: bytes, name: str) -> Any:
    """The JSON value of `data`, which came from `name`."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        empty = "it is empty; write {} at least."
        raise StateError(f"{name}: invalid JSON: {empty}", message="Invalid JSON: the file is empty", place=name)
    try:
        value = msgspec.json.decode(data)
        twice = _find_duplicate_key(data)
    except RecursionError:
        raise _make_json_error(name, "it is nested too deeply; flatten it.") from None
    except (msgspec.DecodeError, ValueError) as problem:
        half = re.search(rb"\\u[dD][89a-fA-F]", data)
        hint = f" (it contains {half[0].decode()}…, half of a surrogate pair)" if half else ""
        message = f"invalid JSON: {str(problem).rstrip('.')}{hint}."
        raise StateError(f"{name}: {message}", **_locate_json_error(name, f"I{message[1:]}", data)) from None
    if twice is not None:
        raise _make_json_error(name, f"the key {twice!r} is given twice in one object; keep one of them.")
    return value


def _make_json_error(name: str, message: str) -> StateError:
    return StateError(f"{name}: {message}", message=f"{message[0].upper()}{message[1:]}", place=name)


def _locate_json_error(name: str, message: str, data: bytes) -> ErrorPlace:
    """The message for invalid JSON; if it names a byte, also the line, the column and the text of that line."""
    match = re.search(r" \(byte (\d+)\)", message)
    if match is None:
        return {"message": message, "place": name}
    before = data[: int(match[1])].decode("utf-8", "replace").split("\n")
    source = data.decode("utf-8", "replace").split("\n")[len(before) - 1]
    place = f"{name}:{len(before)}:{len(before[-1]) + 1}"
    return {"message": message.replace(match[0], ""), "place": place, "source": source.rstrip("\r")}


def _find_duplicate_key(data: bytes) -> str | None:
    """A key that an object has twice: JSON readers keep the last, and lose the first without a word."""
    duplicates: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> None:
        if not duplicates and len(dict(pairs)) < len(pairs):
            times = Counter(key for key, _ in pairs)
            duplicates.append(next(key for key in times if times[key] > 1))

    json.loads(data, object_pairs_hook=look)
    return duplicates[0] if duplicates else None


def read_toml_file(world: World, path: str, within: str | None = None) -> dict[str, Any]:
    """The table in a TOML file `within` a folder."""
    data = b""
    try:
        data = read_file_within(world, path, within, MAX_TOML_BYTES)
        return parse_toml(data)
    except OSError as problem:
        raise _make_unreadable_error(path, problem) from None
    except ValueError as problem:
        raise ConfigError(f"{path}: {problem}.", **locate_toml_error(path, str(problem), data)) from None


def read_tools_file(world: World, path: str, *, pipes: bool = True, within: str | None = None) -> tuple[Tool, ...]:
    """The tools in a JSON file, in any of the forms."""
    try:
        return tools_from(read_json_file(world, path, pipes=pipes, within=within))
    except ConfigError:
        raise
    except OvertureError as problem:
        raise problem if str(problem).startswith(path) else problem.in_file(path) from None


def format_toml_value(value: Any) -> str:
    """A value as TOML has it; texts, numbers, switches and lists of them are written alike in JSON."""
    return json.dumps(value, ensure_ascii=False)

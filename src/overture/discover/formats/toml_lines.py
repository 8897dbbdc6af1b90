"""The line of a TOML file on which a dotted key is given, as near as can be told without a parser."""

import re

HEADER = re.compile(r"^\s*\[{1,2}\s*([^\[\]]+?)\s*\]{1,2}")
GIVEN = re.compile(r"""^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")


def line_of(text: str, key: str, top: str = "") -> int | None:
    """The line that gives `key`, or the table around it; `top` is the table below which keys are ours."""
    best, found = 0, None
    table = ""
    wanted = f"{top}.{key}".strip(".")
    for number, line in enumerate(text.splitlines(), 1):
        if header := HEADER.match(line):
            table = here = _plain(header[1])
        elif given := GIVEN.match(line):
            here = f"{table}.{_plain(given[1])}".strip(".")
        else:
            continue
        if len(here) > max(best, len(top)) and (wanted == here or wanted.startswith(here + ".")):
            best, found = len(here), number
    return found


def _plain(key: str) -> str:
    return re.sub(r"\s*\.\s*", ".", key.replace('"', "").replace("'", ""))

"""JSON as people keep it in settings files: with comments, and commas before a closing bracket."""

import json
import re
from typing import Any

TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
COMMA = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])')


def read_json(text: str) -> Any:
    """The value; what is none is a ValueError with its line."""
    plain = COMMA.sub(_without_comma, TOKEN.sub(_without_comment, text.removeprefix("\ufeff")))
    if not plain.strip():
        return None
    try:
        return json.loads(plain)
    except json.JSONDecodeError as problem:
        raise ValueError(f"it is not JSON: {problem.msg[:1].lower()}{problem.msg[1:]}, line {problem.lineno}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply to be read") from None


def _without_comment(found: re.Match[str]) -> str:
    """Nothing, in as many lines."""
    said = found[0]
    return said if said.startswith('"') else re.sub(r"[^\n]", " ", said)


def _without_comma(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else ""

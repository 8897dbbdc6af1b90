"""A settings file of an agent's, in whatever form it is written: what a key says, and the text with another value."""

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from ...discover.formats.json_with_comments import read_json
from ...text.frontmatter import Frontmatter, parse, plain_text
from .set_in_json import set_in_json
from .set_in_lines import UNSAFE, set_in_toml, set_in_yaml

YAML = (".yml", ".yaml")


def edited(text: str, path: str, keys: Sequence[str], value: Any) -> str:
    """The text with that value; a ValueError says why it is left alone."""
    if path.endswith(".toml"):
        return set_in_toml(text, keys, value)
    if path.endswith(YAML):
        new = set_in_yaml(text, keys, value)
        said = value_at(new, path, keys)
        if (said if isinstance(said, list) else [said]) != (value if isinstance(value, list) else [value]):
            raise ValueError(UNSAFE)
        return new
    try:
        return set_in_json(text, keys, value)
    except RecursionError:
        raise ValueError("it is nested too deeply to be changed") from None


def value_at(text: str, path: str, keys: Sequence[str]) -> Any:
    """What a key says; None where it says nothing, or the file can't be read."""
    try:
        values = _values(text, path)
    except (ValueError, RecursionError):
        return None
    for key in keys:
        values = values.get(key) if isinstance(values, Mapping) else None
    return values


def _values(text: str, path: str) -> Any:
    if path.endswith(".toml"):
        return tomllib.loads(text)
    if not path.endswith(YAML):
        return read_json(text)
    parsed = parse(f"---\n{text.rstrip()}\n---\n")
    if not isinstance(parsed, Frontmatter):
        return {}
    return {key: list(f.items) if f.kind == "list" else plain_text(f) for key, f in parsed.fields.items()}

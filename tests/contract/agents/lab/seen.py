"""What was seen of an agent, as the TOML file that the project keeps."""

import json
import tomllib
from pathlib import Path
from typing import Any

SEEN = Path(__file__).parents[1] / "seen"


def read_seen(agent: str) -> dict[str, Any]:
    """What the project holds of an agent; empty where it holds nothing."""
    path = SEEN / f"{agent}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def write_seen(agent: str, seen: dict[str, Any]) -> None:
    """Write what was seen; the worlds come last, a table each."""
    SEEN.mkdir(exist_ok=True)
    (SEEN / f"{agent}.toml").write_text(as_toml(seen), encoding="utf-8")


def as_toml(seen: dict[str, Any]) -> str:
    """The file's text: plain keys, tables, then worlds."""
    head = [f"{key} = {_value(value)}" for key, value in seen.items() if not isinstance(value, dict | list)]
    tables = [_table(key, value) for key, value in seen.items() if isinstance(value, dict) and value]
    worlds = [_world(world) for world in seen.get("world", [])]
    return "\n\n".join(["\n".join(head), *tables, *worlds]) + "\n"


def _world(world: dict[str, Any]) -> str:
    plain = [f"{key} = {_value(value)}" for key, value in world.items() if not isinstance(value, dict)]
    tables = [_table(f"world.{key}", value) for key, value in world.items() if isinstance(value, dict)]
    return "\n".join(["[[world]]", *plain, *tables])


def _table(name: str, table: dict[str, Any]) -> str:
    return "\n".join([f"[{name}]", *(f"{_key(key)} = {_value(value)}" for key, value in table.items())])


def _key(key: str) -> str:
    return key if key.isidentifier() and key.isascii() else json.dumps(key, ensure_ascii=False)


def _value(value: Any, indent: str = "") -> str:
    """A value; a long list gets a line for each item, a very long one several items a line."""
    if not isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    items = [_value(item, f"{indent}  ") for item in value]
    if sum(map(len, items)) < 90 and not any("\n" in item for item in items):
        return f"[{', '.join(items)}]"
    step = 5 if len(items) > 40 else 1
    lines = [", ".join(items[start : start + step]) for start in range(0, len(items), step)]
    return "[\n" + "".join(f"{indent}  {line},\n" for line in lines) + f"{indent}]"

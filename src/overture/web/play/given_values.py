"""What discovery finds, and the state of a prompt -> what has to be given beside discovery to come to that state."""

import re
import shlex
from pprint import pformat
from typing import Any

import msgspec
from msgspec import Struct

from ...lazy import lazy
from ...model.recipe.recipe import Recipe
from ...model.state.state import FIELDS, State
from ...model.state.state_path import FREE_FIELDS
from .hidden_keys import hidden

PLAIN = re.compile(r"[^.\[\]=\s]+")
LONG = 2_000
"""Characters of options beyond which what is given goes in as JSON, on standard input."""


class Given(Struct, frozen=True, dict=True, eq=False):
    """The difference of two states, in the forms in which it can be given."""

    recipe: Recipe
    found: State
    now: State

    @lazy
    def fields(self) -> tuple[str, ...]:
        """The fields that differ. Where no section says it, the session's id is of no account."""
        reads = {field for section in self.recipe.sections for field in section.reads}
        left = {"origins"} if "session" in reads else {"origins", "session"}
        return tuple(
            name for name in FIELDS if name not in left and getattr(self.found, name) != getattr(self.now, name)
        )

    @lazy
    def state(self) -> dict[str, Any]:
        """The whole state, without keys and tokens."""
        return hidden(self.now)

    @lazy
    def words(self) -> str:
        """Options for a command line; of what is long, a document on standard input."""
        found = hidden(self.found)
        old, new = ({name: data[name] for name in self.fields if name in data} for data in (found, self.state))
        words = [word for path, value in _differing(old, new, "") for word in _word(path, value)]
        if sum(map(len, words)) <= LONG:
            return shlex.join(words)
        over = msgspec.json.encode({name: self.state.get(name) for name in self.fields})
        return f"--state - <<'END'\n{msgspec.json.format(over, indent=2).decode()}\nEND"

    @lazy
    def python(self) -> str:
        """A dict, as a program has it."""
        empty = State()
        given = {name: self.state.get(name, msgspec.to_builtins(getattr(empty, name))) for name in self.fields}
        return pformat(given, width=100, sort_dicts=False)


def _differing(found: dict[str, Any], now: dict[str, Any], at: str) -> list[tuple[str, Any]]:
    """The values that differ, as deep as a path leads to them; None takes one away."""
    rows: list[tuple[str, Any]] = []
    for key in dict.fromkeys((*found, *now)):
        old, new = found.get(key), now.get(key)
        path = f"{at}.{key}" if at else key
        if old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict) and key not in FREE_FIELDS and _all_plain(*old, *new):
            rows += _differing(old, new, path)
        else:
            rows.append((path, new))
    return rows


def _all_plain(*keys: str) -> bool:
    return all(map(PLAIN.fullmatch, keys))


def _word(path: str, value: Any) -> tuple[str, str]:
    if path == "now" and value is not None:
        return "--now", value
    if isinstance(value, str) and not _is_json(value):
        return "--set", f"{path}={value}"
    return "--set", f"{path}={msgspec.json.encode(value).decode()}"


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True

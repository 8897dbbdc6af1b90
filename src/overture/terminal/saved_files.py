"""A JSON file that a command is given: a state, a saved prompt or a saved session, told apart by what it holds."""

import json
import sys
from functools import cache
from itertools import islice
from typing import Any

import msgspec

from ..discover.disk.world import LIMIT, RealWorld
from ..discover.formats.user_json_and_toml import decode_json
from ..errors import ConfigError, StateError, nearest
from ..model.prompt.saved import SavedPrompt
from ..model.state.state import ALIASES, FIELDS
from ..model.validation import converted, explained
from ..session.keep.save_file import SavedSession, is_save, session_of
from .progress import doing

Known = dict[str, Any] | SavedPrompt | SavedSession
"""A state is in its JSON form: what it does not give may be discovered."""
KINDS = {list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number", type(None): "null"}
NEITHER = "it is neither a state, a saved prompt nor a saved session"

MANY = 100
"""Keys by which it is told what a file is."""


@cache
def read_input() -> bytes:
    """All of standard input, which can be read once, however many recipes want it."""
    if sys.stdin is None:
        raise ConfigError("Standard input is closed. Give --state a file.")
    doing("reading standard input")
    data = sys.stdin.buffer.read(LIMIT + 1)
    if len(data) > LIMIT:
        raise ConfigError(f"Standard input has more than {LIMIT:,} bytes, which is the most that is read.")
    return data


@cache
def read_known(path: str) -> Known:
    """What a file holds; `-` is standard input. Read once, however many recipes want it."""
    return kind_of(read_value(path), "standard input" if path == "-" else path)


def read_value(path: str) -> Any:
    """The JSON value in a file, or on standard input."""
    try:
        data = read_input() if path == "-" else RealWorld().read_input(path)
    except OSError as problem:
        raise ConfigError(f"{path}: it can't be read: {(problem.strerror or str(problem)).lower()}.") from None
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if is_save(value) or (isinstance(value, list) and any(map(is_save, value))):
        # Not what others are read with: a session may hold half a surrogate pair, which a tool said.
        return value
    return decode_json(data, "standard input" if path == "-" else path)


def kind_of(value: Any, name: str) -> Known:
    """A JSON value as what it is."""
    if is_save(value):
        return session_of(value, name)
    if not isinstance(value, dict):
        kind = KINDS.get(type(value), "something else")
        raise StateError(f"{name}: it is {kind}; a state is a JSON object, and so is a saved prompt or session.")
    if "blocks" in value:
        try:
            return converted(value, SavedPrompt)
        except msgspec.ValidationError as problem:
            raise StateError(f"{name}: {explained(problem, SavedPrompt)}") from None
    # One strange key, or one that is nearly ours, is a slip: whoever reads a state says which.
    first = list(islice(value, MANY))
    if len(value) > 1 and not any(key in FIELDS or key in ALIASES or nearest(key, FIELDS, 0.8) for key in first):
        keys = [repr(key[:40]) for key in first]
        raise StateError(f"{name}: {NEITHER}: it has {', '.join(keys[:5])}{', …' if len(keys) > 5 else ''}.")
    return value


def state_of(known: Known, name: str) -> dict[str, Any]:
    """The state in it: of a session, the one that its prompt is made of; a prompt has none."""
    if isinstance(known, SavedPrompt):
        raise StateError(f"{name}: it is a saved prompt, which holds no state. Give it to explain, stats, diff.")
    return known.state.to_dict() if isinstance(known, SavedSession) else known

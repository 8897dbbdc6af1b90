"""--state, --tools, --now and --set: a State, or some of its fields, from the command line."""

import re
from datetime import datetime
from functools import cache
from typing import Any

import msgspec

from ...discover.disk.world import RealWorld
from ...discover.formats.user_json_and_toml import read_tools
from ...errors import ConfigError, StateError
from ...model.state.state import ALIASES, State, own_keys
from .options import Ask


def checked(data: dict[str, Any], ask: Ask) -> State:
    """The State, with --set on top; a hint where that gave a number for a text."""
    for text in ask.sets:
        assign(data, text)
    try:
        return State.from_dict(merged({}, data))
    except StateError as problem:
        path = str(problem).partition(":")[0]
        if "expected text" in str(problem) and any(text.startswith(f"{path}=") for text in ask.sets):
            raise StateError(f"{problem} Put quotes around a text: --set '{path}=\"…\"'.") from None
        raise


def given_state(ask: Ask) -> dict[str, Any]:
    """What --state, --tools, --now and --set give."""
    world = RealWorld()
    given: dict[str, Any] = {}
    for option, value in (("--state", ask.state_file), ("--tools", ask.tools_file), ("--now", ask.now)):
        if value == "":
            raise ConfigError(f"{option} is empty. Give it a value, or leave it out.")
    if ask.state_file:
        from .saved_files import read_known, state_of

        data = state_of(read_known(ask.state_file), ask.state_file)
        given = dict(own_keys(merged({}, data)))
        _check(given, "standard input" if ask.state_file == "-" else ask.state_file)
    if ask.tools_file:
        given["tools"] = msgspec.to_builtins(read_tools(world, ask.tools_file))
    if ask.now:
        given["now"] = ask.now
    return given


def _check(state: dict[str, Any], name: str) -> None:
    """Its own errors first, with the file's name, before those of what is merged into it."""
    try:
        State.from_dict(state)
    except StateError as problem:
        raise StateError(f"{name}: {problem}") from None


FREE = ("extra", "data", "details", "parameters", "metadata")
"""Fields that hold anything, null included."""


@cache
def clock() -> datetime:
    """The time at which the command runs: the same in all that it builds."""
    return RealWorld().now()


def merged(base: dict[str, Any], over: dict[str, Any], *, free: bool = False) -> dict[str, Any]:
    """`base` with the values of `over`, field by field; null takes a field away."""
    result = dict(base)
    for key, value in over.items():
        if value is None and not free:
            result.pop(key, None)
        elif isinstance(value, dict):
            inner = result.get(key)
            result[key] = merged(inner if isinstance(inner, dict) else {}, value, free=free or key in FREE)
        else:
            result[key] = value
    return result


def gives(given: dict[str, Any], path: str) -> bool:
    """Whether the caller gave that field, or a whole that it is in: its file is then not where it came from."""
    here: Any = given
    for step in re.findall(r"[^.\[\]]+", path):
        if not isinstance(here, dict):
            break
        if step not in here:
            return False
        here = here[step]
    return True


def sets(ask: Ask, path: str) -> bool:
    """Whether --set gives the field at `path`, a part of it, or what it is a part of."""
    names = [text.partition("=")[0] for text in ask.sets]
    return any(f"{path}.".startswith((f"{n}.", f"{n}[")) or n.startswith((f"{path}.", f"{path}[")) for n in names)


def assign(data: dict[str, Any], text: str) -> None:
    """`agent.name=Ada`: set one field. The value is JSON where it parses as JSON, else text."""
    path, equals, raw = text.partition("=")
    steps = re.findall(r"[^.\[\]]+", path)
    for index in re.findall(r"\[(.*?)\]", path):
        if not _is_index(index):
            raise ConfigError(f"--set {text[:80]!r}: [{index[:20]}] is not the number of an item.")
    if not equals or not steps:
        raise ConfigError(f"--set {text!r} is not PATH=VALUE, e.g. --set agent.name=Ada.")
    if not text.isprintable() and any("\ud800" <= char <= "\udfff" for char in text):
        raise ConfigError(f"--set {text!r} is not UTF-8.")
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        value = raw
    steps[0] = ALIASES.get(steps[0], steps[0])
    here: Any = data
    for step, after in zip(steps, [*steps[1:], ""], strict=True):
        filler: Any = [] if _is_index(after) else {}
        here = _step(here, step, value if not after else filler, text, last=not after)


def _step(here: Any, step: str, value: Any, text: str, *, last: bool) -> Any:
    """Go to `step`, which is made if it is not there; at the last one, set the value."""
    if isinstance(here, dict):
        here[step] = value if last or step not in here else here[step]
        return here[step]
    if isinstance(here, list) and _is_index(step) and int(step) <= len(here):
        index = int(step)
        here[index : index + 1] = [value if last or index == len(here) else here[index]]
        return here[index]
    raise ConfigError(f"--set {text[:80]!r}: there is no {step[:20]!r} to set.")


def _is_index(step: str) -> bool:
    return step.isascii() and step.isdecimal() and len(step) < 6

"""The values of options: the budget, counter and window; a State, some of its fields, or a session."""

import json
import re
import shlex
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from ..api import counter, load_models, window
from ..discovery.parse_json_and_toml import read_tools_file
from ..discovery.world import World
from ..errors import ConfigError, StateError
from ..model.prompt.budget import Budget, BudgetLimit, is_share
from ..model.state.field_paths import merge_fields, put_value
from ..model.state.state import State
from ..tokens.counter import Counter
from .options import CommandOptions, load_settings
from .output import once_per_command

if TYPE_CHECKING:
    from ..known_models.model_facts import TableForm


MAX_WINDOW_DIGITS = 12


def budget_for(options: CommandOptions) -> Budget | None:
    """The budget that --budget and --window give: `4000`, `10%` and `skills=500`."""
    window = window_for(options)
    limits: dict[str, BudgetLimit] = {}
    for text in options.budgets:
        section, equals, limit = text.partition("=")
        section, limit = (section.strip(), limit) if equals else ("", text)
        if section in limits:
            whose = f"of section {section!r}" if equals else "for the whole prompt"
            twice = f"--budget is given twice {whose}: {limits[section]!r} and {limit!r}."
            raise ConfigError(twice, hint="Omit one of them.")
        limits[section] = limit
    shares = [limit for limit in limits.values() if is_share(limit)]
    if shares and window is None:
        raise ConfigError(
            f"--budget {shares[0]!r} is a share of the model's window.",
            hint="Pass its size: --window 200000, or a model's name: --window claude-opus-5.",
        )
    if options.window is not None and not shares:
        raise ConfigError(
            f"--window {options.window!r} has no effect without a share such as --budget 10%.",
            hint="Pass a share, or omit --window.",
        )
    total = limits.pop("", None)
    return Budget(total, limits, window) if options.budgets else None


def counter_for(options: CommandOptions) -> Counter | None:
    """The counter, loaded on first use: loading a tokenizer takes longer than all the rest."""
    return counter(options.tokenizer) if options.budgets or options.tokenizer is not None else None


def window_for(options: CommandOptions) -> int | None:
    """`200000`, or the window of a model in the table."""
    digits = (options.window or "").replace(",", "").replace("_", "")
    if not digits.removeprefix("-").isdecimal():
        return window(options.window, models_for(options)) if options.window else None
    if len(digits) > MAX_WINDOW_DIGITS or int(digits) < 1:
        raise ConfigError(
            f"--window {options.window!r} is not a window size.",
            hint="Pass the size of the model's context window in tokens, e.g. 200000.",
        )
    return int(digits)


def models_for(options: CommandOptions) -> "TableForm":
    """Limits and prices of models: the package's own, with the configured file over them."""
    if options.no_discover:
        return load_models(None, world=options.world)
    setting = load_settings(options).get("models", options.recipe)
    return load_models(setting.value, world=options.world, within=setting.within)


def check_state(data: dict[str, Any], options: CommandOptions) -> State:
    """The State, with --set on top; with a hint if that set a number for a text."""
    for text in options.sets:
        assign_field(data, text)
    try:
        return State.from_dict(merge_fields({}, data))
    except StateError as problem:
        path = str(problem).partition(":")[0]
        for text in options.sets:
            if "expected text" in str(problem) and text.startswith(f"{path}="):
                quoted = shlex.quote(f"{path}={json.dumps(text.partition('=')[2], ensure_ascii=False)}")
                raise StateError(str(problem), hint=f"Quote the text: `--set {quoted}`.") from None
        raise


def read_given_state(options: CommandOptions) -> dict[str, Any]:
    """What --state, --tools, --now and --set give."""
    fields: dict[str, Any] = {}
    for option, value in (("--state", options.state_file), ("--tools", options.tools_file), ("--now", options.now)):
        if value == "":
            raise ConfigError(f"{option} is empty.", hint="Give it a value, or omit it.")
    if options.state_file:
        from .saved_files import extract_state, read_saved

        data = extract_state(read_saved(options.state_file), options.state_file)
        fields = merge_fields({}, data)
        try:  # its errors first, with the file's name, before those of what is merged into it
            State.from_dict(fields)
        except StateError as problem:
            raise problem.in_file("standard input" if options.state_file == "-" else options.state_file) from None
    if options.tools_file:
        fields["tools"] = msgspec.to_builtins(read_tools_file(World(), options.tools_file))
    if options.now:
        fields["now"] = options.now
    return fields


def read_clock() -> datetime:
    """The time at which the command runs: the same in all that it builds."""
    return once_per_command("overture.clock", World().machine.now)


def is_set(options: CommandOptions, path: str) -> bool:
    """Whether --set gives the field at `path`, a part of it, or what it is a part of."""
    names = [text.partition("=")[0] for text in options.sets]
    return any(f"{path}.".startswith((f"{n}.", f"{n}[")) or n.startswith((f"{path}.", f"{path}[")) for n in names)


def assign_field(data: dict[str, Any], text: str) -> None:
    """`agent.name=Ada`: set one field. The value is JSON where it parses as JSON, else text."""
    path, value = parse_assignment(text, "--set", "agent.name=Ada")
    try:
        put_value(data, path, value)
    except StateError as problem:
        raise ConfigError(f"--set {text[:80]!r}: {problem}") from None


def parse_assignment(text: str, option: str, example: str) -> tuple[str, Any]:
    """A path and a value, which is JSON where it parses as JSON, else text."""
    path, equals, raw = text.partition("=")
    if not equals or not re.search(r"[^.\[\]]", path):
        raise ConfigError(f"{option} {text!r} is not PATH=VALUE, e.g. {option} {example}.")
    if not text.isprintable() and any("\ud800" <= char <= "\udfff" for char in text):
        raise ConfigError(f"{option} {text!r} is not UTF-8.")
    try:
        return path, msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return path, raw


def is_given(fields: dict[str, Any], path: str) -> bool:
    """Whether the caller set that field, or a parent of it: its file is then not its source."""
    here: Any = fields
    for step in re.findall(r"[^.\[\]]+", path):
        if not isinstance(here, dict):
            break
        if step not in here:
            return False
        here = here[step]
    return True

"""Reads a JSON file from the command line: a state, or a saved session or prompt in its place."""

import json
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from ..discovery.files import MAX_FILE_BYTES
from ..discovery.parse_json_and_toml import decode_json
from ..discovery.world import World, read_input
from ..errors import ConfigError, StateError, describe_unreadable, suggest
from ..model.prompt.prompt import Prompt
from ..model.prompt.saved_prompt import SavedPrompt, restore_prompt
from ..model.state.discovery import Discovery, Look
from ..model.state.reasons import because
from ..model.state.state import FIELDS, State
from ..model.struct import convert_data, explain_error
from ..session.save_and_resume import SavedSession, is_save, parse_save, restore_saved_turn
from ..session.turn_and_context import Turn
from .options import CommandOptions
from .output import once_per_command, open_standard_input
from .progress_line import report_step

SavedValue = dict[str, Any] | SavedPrompt | SavedSession
"""A state is in its JSON form: what it does not give may be discovered."""
KINDS = {list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number", type(None): "null"}
NEITHER = "not a state, a saved prompt or a saved session"
ARRIVED = "it is in a message, because a tool touched a file near it"
MAX_KEYS = 100
"""Keys that identify the kind of a file."""


class SentPrompt(NamedTuple):
    """A prompt as it was sent; of a session, with the turn that it is of."""

    prompt: Prompt
    turn: Turn | None
    found: Discovery


def read_saved(path: str) -> SavedValue:
    """What a file holds; `-` is standard input. Read once, however many recipes want it."""
    return once_per_command(f"overture.saved {path}", lambda: _read_saved(path))


def _read_saved(path: str) -> SavedValue:
    name = "standard input" if path == "-" else path
    try:
        data = _read_standard_input() if path == "-" else read_input(World(), path)
    except OSError as problem:
        text = f"{path}: can't be read: {(problem.strerror or str(problem)).lower()}."
        raise ConfigError(text, message=describe_unreadable(path, problem)) from None
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    # Not the decoder of other files: a session may hold half a surrogate pair from a tool's result.
    return parse_saved(value if is_save(value) else decode_json(data, name), name)


def _read_standard_input() -> bytes:
    source = open_standard_input("Pass a file to --state.")
    report_step("reading standard input")
    data = source.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise ConfigError(f"Standard input has more than {MAX_FILE_BYTES:,} bytes, the maximum.")
    return data


def parse_saved(value: Any, name: str) -> SavedValue:
    """A JSON value as what it is."""
    if is_save(value):
        return parse_save(value, name)
    if not isinstance(value, dict):
        kind = KINDS.get(type(value), "something else")
        raise StateError(f"{name}: it is {kind}; a state is a JSON object, and so is a saved prompt or session.")
    if "blocks" in value:
        try:
            return convert_data(value, SavedPrompt)
        except msgspec.ValidationError as problem:
            raise StateError(explain_error(problem, SavedPrompt)).in_file(name) from None
    # One unknown key, or one that is nearly ours, is a mistake: the reader of states names it.
    first = list(islice(value, MAX_KEYS))
    if len(value) > 1 and not any(key in FIELDS or suggest(key, FIELDS, 0.8) for key in first):
        keys = [repr(key[:40]) for key in first]
        raise StateError(f"{name}: {NEITHER}: it has {', '.join(keys[:5])}{', …' if len(keys) > 5 else ''}.")
    return value


def extract_state(known: SavedValue, name: str) -> dict[str, Any]:
    """The state in it: of a session, the one that its prompt is made of; a prompt has none."""
    if isinstance(known, SavedPrompt):
        hint = "Pass it to `overture explain` or `overture diff`."
        raise StateError(f"{name}: a saved prompt has no state.", hint=hint)
    return known.state.to_dict() if isinstance(known, SavedSession) else known


def open_saved(options: CommandOptions, named: bool) -> tuple[SentPrompt | None, CommandOptions]:
    """The sent prompt, if the recipe argument (`named`) or --state is a saved session or prompt; and the options.

    With --state a session gives its state to the named recipe; alone, it is shown as it was sent.
    """
    path = (options.recipe if named else options.state_file) or ""
    known = read_saved(path) if path else {}
    if named and not isinstance(known, dict):
        if option := _find_changing_option(options):
            is_session = isinstance(known, SavedSession)
            saved = f"{path} is a saved {'session' if is_session else 'prompt'}"
            hint = f"Omit {option}{f', or use its state: --state {path}' if is_session else ''}."
            raise ConfigError(f"{saved}, which is shown as sent: {option} would change it.", hint=hint)
        return read_sent(known, path), options._replace(no_discover=True)
    if named and options.state_file is not None:
        raise ConfigError(f"{path} is a state, and so is --state {options.state_file}.", hint="Omit one of them.")
    if named:
        options = options._replace(recipe=None, state_file=path)
    if not isinstance(known, SavedSession):
        return None, options
    # What a session does not have it did not have: nothing is discovered in its place.
    options = options._replace(no_discover=True)
    if options.recipe is None and _find_changing_option(options._replace(state_file=None)) is None:
        return read_sent(known, path), options
    return None, options._replace(recipe=options.recipe or known.recipe)


def _find_changing_option(options: CommandOptions) -> str | None:
    """The first option that would make another prompt of it."""
    by_option = {
        "--state": options.state_file, "--set": options.sets, "--tools": options.tools_file, "--now": options.now,
        "--budget": options.budgets, "--subagent": options.subagent,
    }  # fmt: skip
    return next((option for option, value in by_option.items() if value), None)


def read_sent(known: SavedSession | SavedPrompt, path: str) -> SentPrompt:
    """The prompt that a saved file holds, as it was sent; later changes of its files on disk do not matter."""
    if isinstance(known, SavedPrompt):
        try:
            return SentPrompt(restore_prompt(known), None, Discovery(State()))
        except StateError as problem:
            raise problem.in_file(path) from None
    turn, notes = restore_saved_turn(known, path)
    state = turn.prompt.state
    looks = [Look(file.path, "context", "loaded") for file in state.context_files]
    looks += [Look(file.path, "workspace", "loaded") for file in state.workspace_files]
    looks += [Look(skill.location, "skill", "loaded") for skill in state.skills]
    looks += [Look(path, "state", "loaded") for path in dict.fromkeys(o.path for o in state.origins.values())]
    looks += [
        Look(message.name, "context", "loaded", because("text", "", ARRIVED))
        for message in turn.messages
        if message.kind == "context" and message.name
    ]
    return SentPrompt(turn.prompt, turn, Discovery(state, notes, tuple(looks)))

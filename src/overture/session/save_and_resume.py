"""Saves a session as JSON, and resumes a session from a save. Writing is atomic: the old save or the new one."""

import base64
import json
from collections.abc import Iterable
from functools import reduce
from os import fspath
from typing import Annotated, Any

import msgspec

from ..assemble.build import build
from ..assemble.change_prompt import Change
from ..discovery.world import Path, World, make_absolute
from ..discovery.write_file import write_file
from ..errors import OvertureError, RecipeError, SessionError, show_value
from ..model.diagnostic import Diagnostic, warning
from ..model.message import Message
from ..model.prompt.block import CutRecord
from ..model.prompt.budget import Budget
from ..model.prompt.prompt import Prompt
from ..model.recipe.recipe import Recipe
from ..model.state.state import State
from ..model.struct import Frozen, convert_data, explain_error, note
from ..model.tool import Tool
from ..recipes import BUILTIN, builtin
from ..text.words import count_noun
from ..tokens.counter import ESTIMATE, Counter, CountFunction, as_counter
from ..tokens.load_tokenizer import COUNTER_NAMES, find_counter
from .bring_up_to_date import prepare_prompt
from .extension_changes import (
    REMOVED,
    RESOURCE_KINDS,
    ExtensionSource,
    Layer,
    LoadedExtension,
    Registry,
    lay_over,
    pick_kind,
)
from .record_entry import Entry, Trigger
from .session_files import Resources, collect_caller_fields, write_plain_fields
from .session_parts import SessionParts, TurnQueue, TurnState
from .session_setup import SavedCount, SessionOptions, SessionSettings, SessionSetup, Toolbox
from .set_up_extensions import copy_registry, set_registry
from .trace_and_price_requests import SessionUsage
from .turn_and_context import Turn

VERSION = 2
MAX_SAVE_BYTES = 256 * 1024 * 1024
"""Bytes of a save, including the images of its conversation."""
BYTES_KEY = "overture:base64"
"""The key of a JSON object that encodes bytes."""


class SavedLayer(Frozen, frozen=True):
    """What the program or an extension registered, but its hooks. What an extension took away is null or false."""

    tools: dict[str, Tool | None] = {}
    active: dict[str, bool] = {}
    fields: Annotated[dict[str, Any], note("fields of State")] = {}
    resources: Resources = Resources()


class SavedExtension(Frozen, frozen=True):
    """An extension that was loaded, with its layer."""

    id: str
    name: str
    layer: SavedLayer


class SavedSession(Frozen, frozen=True):
    """All of a session but its hooks and its record."""

    version: int
    recipe: str
    state: State
    first: Annotated[State | None, note("at the start, if its memories are used")] = None
    cwd: str | None = None
    home: str | None = None
    root: str | None = None
    config: dict[str, Any] = {}
    options: SessionOptions = SessionOptions()
    session: Annotated[bool, note("false for a sub-agent")] = True
    program: Annotated[SavedLayer, note("what the program registered")] = SavedLayer()
    extensions: Annotated[tuple[SavedExtension, ...], note("what each registered over that")] = ()
    top: Annotated[SavedLayer, note("what the program changed of their tools")] = SavedLayer()
    tool_order: Annotated[tuple[str, ...], note("tools in the order in which they first became active")] = ()
    requested_names: Annotated[tuple[str, ...], note("tools that a caller named")] = ()
    budget: Budget | None = None
    counter: Annotated[str | None, note("the name of the tokenizer")] = None
    cuts: Annotated[tuple[CutRecord, ...], note("how far the budget cut each section")] = ()
    depth: SavedCount = 0
    number: SavedCount = 0
    mission_start: SavedCount = 0
    """The number of turns before the current mission."""
    error_shown: bool = False
    fingerprint: Annotated[str | None, note("the system prompt without the edits of hooks")] = None
    task: str | None = None
    messages: tuple[Message, ...] = ()
    waiting: tuple[Message, ...] = ()
    queued: tuple[Message, ...] = ()
    arrived_paths: Annotated[tuple[str, ...], note("nested files that no entry of the record names yet")] = ()
    handed_paths: Annotated[tuple[str, ...], note("nested files that a framework was given")] = ()
    usage: Annotated[SessionUsage, note("what all replies cost so far")] = SessionUsage()
    changes: Annotated[tuple[tuple[str, Change], ...], note("from hooks, for the current turn")] = ()

    @property
    def layers(self) -> tuple[SavedLayer, ...]:
        """All layers, the lowest first."""
        return (self.program, *(each.layer for each in self.extensions), self.top)


def encode_save(saved: SavedSession, max_bytes: int = MAX_SAVE_BYTES) -> bytes:
    """The JSON text. A value that JSON can't hold is an error; so is a save over `max_bytes`."""
    try:
        # Not msgspec: it rejects half a surrogate pair, which a model or a tool may return.
        plain = msgspec.to_builtins(saved, builtin_types=(bytes,))
        data = json.dumps(plain, indent=1, default=_encode_bytes).encode("ascii")
    except (TypeError, ValueError, RecursionError) as problem:
        raise SessionError(f"The session can't be saved: it contains a value that is not JSON: {problem}.") from None
    if len(data) > max_bytes:
        raise SessionError(
            f"The session can't be saved: it would have {len(data):,} bytes, and {max_bytes:,} is the maximum.",
            hint="Replace old messages with a summary: compact().",
        )
    return data


def _encode_bytes(value: Any) -> dict[str, str]:
    """Encode bytes in a provider's own block, such as Bedrock's; `read_save` decodes them again."""
    if not isinstance(value, bytes):
        raise TypeError(f"{type(value).__name__} is not JSON")
    return {BYTES_KEY: base64.b64encode(value).decode()}


def _decode_bytes(data: dict[str, Any]) -> Any:
    return base64.b64decode(data[BYTES_KEY]) if list(data) == [BYTES_KEY] and isinstance(data[BYTES_KEY], str) else data


def write_save(path: str, data: bytes) -> None:
    """Write `data` to a file beside it and rename that: a reader never sees half a save."""
    try:
        write_file(path, data, mode=0o600)
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise SessionError(
            f"The session can't be saved to {path!r}: {reason}.", cause="The old file is unchanged."
        ) from None


def read_save(path: str) -> SavedSession:
    """Read the save in a file."""
    try:
        data = json.loads(World().read(path, MAX_SAVE_BYTES), object_hook=_decode_bytes)
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise SessionError(f"The save {path!r} can't be read: {reason}.") from None
    except (ValueError, RecursionError) as problem:
        raise SessionError(f"The save {path!r} is not JSON: {problem}.") from None
    return parse_save(data, path)


def is_save(data: object) -> bool:
    """Whether a JSON value is a saved session of any version."""
    return isinstance(data, dict) and "version" in data and ("state" in data or "messages" in data)


def parse_save(data: object, path: str) -> SavedSession:
    """Parse a JSON value as a save. Error messages name `path`."""
    if not isinstance(data, dict) or data.get("version") != VERSION:
        version = data.get("version") if isinstance(data, dict) else type(data).__name__
        raise SessionError(f"The save {path!r} is of version {version!r}; this Overture reads version {VERSION}.")
    try:
        save = convert_data(data, SavedSession)
    except msgspec.ValidationError as problem:
        raise SessionError(explain_error(problem, SavedSession)).within(f"The save {path!r}") from None
    known = {name for layer in save.layers for name in layer.tools}.intersection(save.tool_order)
    # A removed tool keeps its position in `tool_order`, in case it is added again.
    active = [name for layer in save.layers for name, is_active in layer.active.items() if is_active]
    for name in active:
        if name not in known:
            raise SessionError(
                f"The save {path!r}: active names the tool {show_value(name)}, which it does not contain."
            )
    return save


def make_save(session: SessionParts) -> SavedSession:
    """Everything that a resumed session needs to send the same bytes."""
    try:
        prepare_prompt(session, look=False)  # the current turn keeps its bytes
    except OvertureError:
        # A prompt that can't be counted or cut can still be saved. A session without a state has nothing to save.
        if session.current.state is None:
            raise
    current, history, setup, settings = session.current, session.history, session.setup, session.setup.settings
    part = session.extensions
    with session.lock:
        assert current.recipe is not None and current.state is not None
        assert setup.toolbox is not None and current.built_prompt is not None
        box = setup.toolbox
        part.follow_program(copy_registry(session))
        return SavedSession(
            version=VERSION,
            recipe=settings.recipe if isinstance(settings.recipe, str) else current.recipe.name,
            state=current.state,
            first=current.first_state,
            cwd=current.files.project.cwd if current.files else _make_absolute(settings, settings.cwd),
            home=_make_absolute(settings, settings.home),
            root=_make_absolute(settings, settings.root),
            config=dict(settings.config or {}),
            options=settings.options,
            session=setup.info is not None,
            program=_save_layer(part.base),
            extensions=tuple(SavedExtension(each.id, each.name, _save_layer(each.layer)) for each in part.loaded),
            top=_save_layer(part.top),
            tool_order=tuple(sorted(box.positions, key=box.positions.__getitem__)),
            requested_names=tuple(sorted(setup.requested_names)),
            budget=settings.budget,
            counter=_name_counter(settings),
            cuts=current.budgeted.cuts,
            depth=session.depth,
            number=session.turn_number,
            mission_start=session.mission[1],
            error_shown=session.error_shown,
            fingerprint=(current.budgeted.shown or current.built_prompt).fingerprint,
            task=session.turn.task,
            messages=tuple(history.all),
            waiting=tuple(history.waiting),
            queued=tuple(session.queue.messages),
            arrived_paths=tuple(history.arrived_paths),
            handed_paths=tuple(sorted(history.handed_paths)),
            usage=session.usage,
            changes=session.turn.hook_changes,
        )


def _save_layer(layer: Layer) -> SavedLayer:
    return SavedLayer(
        {name: None if tool is REMOVED else tool for name, tool in pick_kind(layer, "tool").items()},
        {name: on is not REMOVED for name, on in pick_kind(layer, "active").items()},
        write_plain_fields(pick_kind(layer, "field")),
        Resources(*(tuple(pick_kind(layer, kind)) for kind in RESOURCE_KINDS)),
    )


def _load_layer(saved: SavedLayer) -> Registry:
    return {
        **{("tool", name): tool or REMOVED for name, tool in saved.tools.items()},
        **{("active", name): on or REMOVED for name, on in saved.active.items()},
        **{("field", name): value for name, value in collect_caller_fields(saved.fields).items()},
        **{(kind, path): True for kind in RESOURCE_KINDS for path in getattr(saved.resources, kind)},
    }


def _make_absolute(settings: SessionSettings, path: Path | None) -> str | None:
    """A path as it is saved: whoever resumes the session may be in another folder."""
    return None if path is None else make_absolute(settings.world, fspath(path))


def resume_session(
    save: SavedSession,
    recipe: str | Recipe | None = None,
    world: World | None = None,
    count: CountFunction | None = None,
    extensions: Iterable[ExtensionSource] = (),
) -> SessionParts:
    """The session of a save.

    It reads no files except a recipe that is not built in: the project may be gone.
    """
    settings = SessionSettings(
        recipe or save.recipe, save.cwd, save.home, save.root, save.config or None, world or World(),
        save.budget, _find_saved_counter(save, count), options=save.options,
    )  # fmt: skip
    info = save.state.session if save.session else None
    setup = SessionSetup(settings, {}, None, info)
    session = SessionParts(setup, Resources(), extensions)
    part = session.extensions
    part.base, part.top = _load_layer(save.program), _load_layer(save.top)
    part.loaded = tuple(LoadedExtension(each.id, each.name, _load_layer(each.layer)) for each in save.extensions)
    part.latest = lay_over(reduce(lay_over, (each.layer for each in part.loaded), part.base), part.top)
    part.due = bool(save.extensions or part.sources)
    setup.toolbox = Toolbox(pick_kind(part.latest, "tool").values(), save.tool_order, reported=True)
    setup.requested_names = set(save.requested_names)
    set_registry(session, part.latest)
    session.current.saved_state, session.current.first_state = save.state, save.first
    session.current.use_recipe(_find_recipe(settings, saved=not recipe))
    _rebuild(session, save)
    session.history = session.make_history(save.messages, save.waiting)
    session.history.arrived_paths, session.history.handed_paths = list(save.arrived_paths), set(save.handed_paths)
    session.usage = save.usage
    session.depth, session.turn_number = save.depth, save.number
    session.mission = (save.state.mission.prompt if save.state.mission else "", save.mission_start)
    session.error_shown = save.error_shown
    trigger = Trigger("resume", f"{count_noun(len(save.messages), 'message')} from a save")
    session.turn = TurnState(save.task, save.changes, triggers=[trigger])
    session.queue = TurnQueue(messages=list(save.queued))
    return session


def _rebuild(session: SessionParts, save: SavedSession) -> None:
    current = session.current
    assert current.recipe is not None
    current.state = save.state
    current.built_prompt = build(current.recipe, save.state, counting=find_counter)
    current.budgeted.restore(current.built_prompt, session.setup.settings, save.cuts)


def _find_recipe(settings: SessionSettings, *, saved: bool) -> Recipe:
    """The recipe of a session that is resumed; `saved`: that of the save, which may be a program's own."""
    recipe = settings.recipe
    if isinstance(recipe, Recipe):
        return recipe
    if recipe in BUILTIN and recipe is not None:
        return builtin(recipe)
    try:
        return settings.resolve().recipe
    except RecipeError as problem:
        if not saved:
            raise
        text = f"The session's own recipe can't be loaded: {problem}"
        raise RecipeError(text, hint="Pass it in Python: Session.resume(path, recipe=…).") from None


def _name_counter(settings: SessionSettings) -> str | None:
    """The name of a counter that was chosen or has cut the prompt; otherwise the next machine may choose."""
    if settings.counter is None and settings.budget is None:
        return None
    return (settings.counter or find_counter()).name


def _find_saved_counter(save: SavedSession, count: CountFunction | None, path: str | None = None) -> Counter | None:
    """The counter from before the save. Another one would cut elsewhere, and the bytes would differ.

    With the path of a save that is only shown, the estimate will do where there is no budget.
    """
    if count is not None or save.counter is None:
        return None if count is None else as_counter(count)
    counter = find_counter(save.counter) if save.counter in COUNTER_NAMES else None
    if counter is not None and counter.name == save.counter:
        return counter
    if path is None:
        hint = f"Here it is {counter.about}, or pass another with count=…" if counter else "Pass it again with count=…"
        raise SessionError(f"The session counts its tokens with {save.counter!r}.", hint=f"{hint}.")
    if save.budget is not None:
        raise SessionError(
            f"{path}: its budget was computed with {save.counter!r}, which is not installed, "
            "so its cuts can't be repeated.",
            hint="Resume it in Python, with count=….",
        )
    return ESTIMATE


def restore_saved_turn(save: SavedSession, path: str) -> tuple[Turn, tuple[Diagnostic, ...]]:
    """The turn that the session would continue, with its diagnostics. No hook or extension runs."""
    current = resume_session(save, count=_find_saved_counter(save, None, path)).current
    assert current.built_prompt is not None
    base = current.budgeted.shown or current.built_prompt
    prompt = current.edit(base, save.changes)
    messages = tuple(message for message in save.messages if message.sent)
    entry = Entry(save.number, (), prompt.results, None, frozenset(), messages=len(messages))
    return Turn(save.number, prompt, messages, entry), _report_difference(base, save, path)


def _report_difference(base: Prompt, save: SavedSession, path: str) -> tuple[Diagnostic, ...]:
    """A warning if the recipe changed since the save: the saved bytes can't be rebuilt then."""
    if save.fingerprint is None or base.fingerprint == save.fingerprint:
        return ()
    difference = f"recipe {save.recipe!r} has changed since the session was saved"
    return (warning("save-differs", f"{difference}: this is what it would send now", path),)

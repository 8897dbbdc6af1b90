"""Makes a save of a session, and resumes a session from one."""

from collections.abc import Iterable
from functools import reduce
from os import fspath

from ..assemble.build import build
from ..discover.disk.paths import make_absolute
from ..discover.disk.real_world import RealWorld
from ..discover.disk.world import Path, World
from ..discover.load_tokenizer import COUNTER_NAMES, find_counter
from ..errors import OvertureError, RecipeError, SessionError
from ..model.diagnostic import Diagnostic, warning
from ..model.prompt.prompt import Prompt
from ..model.recipe.recipe import Recipe
from ..recipes import BUILTIN, builtin
from ..text.words import count_noun
from ..tokens.counter import ESTIMATE, Counter, CountFunction, as_counter
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
from .files.session_files import Resources, collect_caller_fields, write_plain_fields
from .options_and_setup import SessionSettings, SessionSetup
from .record_entry import Entry, Trigger
from .save_file import VERSION, SavedExtension, SavedLayer, SavedSession
from .session_parts import SessionParts, TurnQueue, TurnState
from .set_up_extensions import copy_registry, set_registry
from .toolbox import Toolbox
from .turn.bring_up_to_date import prepare_prompt
from .turn.turn_and_context import Turn


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
    """A layer as it is saved; hooks are not."""
    return SavedLayer(
        {name: None if tool is REMOVED else tool for name, tool in pick_kind(layer, "tool").items()},
        {name: on is not REMOVED for name, on in pick_kind(layer, "active").items()},
        write_plain_fields(pick_kind(layer, "field")),
        Resources(*(tuple(pick_kind(layer, kind)) for kind in RESOURCE_KINDS)),
    )


def _load_layer(saved: SavedLayer) -> Registry:
    """A layer from a save."""
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
        recipe or save.recipe, save.cwd, save.home, save.root, save.config or None, world or RealWorld(),
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
    """Rebuild the prompt as it was sent."""
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

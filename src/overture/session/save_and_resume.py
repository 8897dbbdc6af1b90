"""Makes a save of a session, and resumes a session from one."""

from collections.abc import Callable, Iterable, Mapping
from os import fspath
from typing import Any

from msgspec.structs import replace

from ..assemble.build import build
from ..discover.disk.paths import make_absolute
from ..discover.disk.real_world import RealWorld
from ..discover.disk.world import Path
from ..discover.load_tokenizer import COUNTER_NAMES, find_counter
from ..errors import OvertureError, SessionError
from ..model.diagnostic import Diagnostic, warning
from ..model.prompt.prompt import Prompt
from ..model.recipe.recipe import Recipe
from ..recipes import BUILTIN, builtin
from ..text.words import count_noun
from ..tokens.counter import ESTIMATE, Counter, CountFunction, as_counter
from .extension_changes import ExtensionChanges, ExtensionSource, LoadedExtension, Maybe
from .files.session_files import collect_caller_fields, write_plain_fields
from .options_and_setup import SessionOptions, SessionSettings, SessionSetup
from .record_entry import Entry, Trigger
from .save_file import VERSION, SavedExtension, SavedSession
from .session_parts import SessionParts, TurnQueue, TurnState
from .toolbox import Toolbox
from .turn.bring_up_to_date import prepare_prompt
from .turn.changed_sections import Delta
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
    options = settings.options
    with session.lock:
        assert current.recipe is not None and current.state is not None
        assert setup.toolbox is not None and current.delta is not None
        box = setup.toolbox
        return SavedSession(
            version=VERSION,
            recipe=settings.recipe if isinstance(settings.recipe, str) else current.recipe.name,
            state=current.state,
            sent=current.delta.base_state if current.delta.updates else None,
            first=current.first_state,
            told_tools=current.sent_tools,
            cwd=current.files.project.cwd if current.files else _make_absolute(settings, settings.cwd),
            home=_make_absolute(settings, settings.home),
            root=_make_absolute(settings, settings.root),
            config=dict(settings.config or {}),
            given=write_plain_fields(setup.fields),
            session=setup.info is not None,
            tools=tuple(box.known.values()),
            places=tuple(sorted(box.positions, key=box.positions.__getitem__)),
            active=box.names,
            asked=tuple(sorted(setup.requested_names)),
            memories=options.memories,
            on_change=options.on_change if isinstance(options.on_change, str) else dict(options.on_change),
            hook_limit=options.hook_limit,
            max_depth=options.max_depth,
            keep=options.keep,
            budget=settings.budget,
            counter=_name_counter(settings),
            cuts=current.budgeted.cuts,
            depth=session.depth,
            number=session.turn_number,
            mission_start=session.mission[1],
            error_shown=session.error_shown,
            fingerprint=(current.budgeted.shown or current.delta.sent).fingerprint,
            task=session.turn.task,
            messages=tuple(history.all),
            waiting=tuple(history.waiting),
            queued=tuple(session.queue.messages),
            told=current.delta.updates,
            arrived=tuple(history.arrived_paths),
            handed=tuple(sorted(history.handed_paths)),
            usage=session.usage,
            changes=session.turn.hook_changes,
            resources=session.resources,
            extensions=tuple(map(_save_extension, session.extensions.loaded)),
        )


def _save_extension(loaded: LoadedExtension) -> SavedExtension:
    """An extension's changes as they are saved."""
    changes = loaded.changes
    fields = _convert_fields(changes.fields, write_plain_fields)
    return SavedExtension(loaded.id, loaded.name, changes.known, changes.active, fields, changes.resources)


def _load_extension(saved: SavedExtension) -> LoadedExtension:
    """An extension's changes from a save."""
    fields = _convert_fields(saved.given, collect_caller_fields)
    return LoadedExtension(saved.id, saved.name, ExtensionChanges(saved.known, saved.active, fields, saved.added))


def _convert_fields(
    fields: Mapping[str, tuple[Maybe, Maybe]], convert: Callable[[dict[str, Any]], dict[str, Any]]
) -> dict[str, tuple[Maybe, Maybe]]:
    """Each field before and after, as plain data for a save, or with its types again."""

    def convert_value(name: str, value: Maybe) -> Maybe:
        return (convert({name: value[0]})[name],) if value else ()

    return {name: (convert_value(name, old), convert_value(name, new)) for name, (old, new) in fields.items()}


def _make_absolute(settings: SessionSettings, path: Path | None) -> str | None:
    """A path as it is saved: whoever resumes the session may be in another folder."""
    return None if path is None else make_absolute(settings.world, fspath(path))


def resume_session(
    save: SavedSession, recipe: str | Recipe | None, more: SessionOptions, extensions: Iterable[ExtensionSource]
) -> SessionParts:
    """The session of a save, with world, count and inspect of `more`.

    It reads no files except a recipe that is not built in: the project may be gone.
    """
    options = replace(
        more, memories=save.memories, on_change=save.on_change, hook_limit=save.hook_limit,
        max_depth=save.max_depth, keep=save.keep,
    )  # fmt: skip
    settings = SessionSettings(
        recipe or save.recipe, save.cwd, save.home, save.root, save.config or None, more.world or RealWorld(),
        save.budget, _choose_resumed_counter(save, more.count), options=options,
    )  # fmt: skip
    info = save.state.session if save.session else None
    setup = SessionSetup(settings, collect_caller_fields(save.given), None, info)
    setup.toolbox = Toolbox(save.tools, save.places, reported=True)
    setup.toolbox.active, setup.requested_names = set(save.active), set(save.asked)
    session = SessionParts(setup, save.resources, extensions)
    session.extensions.loaded = tuple(map(_load_extension, save.extensions))
    session.extensions.due = bool(save.extensions or session.extensions.sources)
    session.current.saved_state, session.current.first_state = save.state, save.first
    session.current.sent_tools = save.told_tools
    session.current.use_recipe(_find_recipe(settings))
    _rebuild(session, save)
    session.history = session.make_history(save.messages, save.waiting)
    session.history.arrived_paths, session.history.handed_paths = list(save.arrived), set(save.handed)
    session.usage = save.usage
    session.depth, session.turn_number = save.depth, save.number
    session.mission = (save.state.mission.prompt if save.state.mission else "", save.mission_start)
    session.error_shown = save.error_shown
    trigger = Trigger("resume", f"{count_noun(len(save.messages), 'message')} from a save")
    session.turn = TurnState(save.task, save.changes, triggers=[trigger])
    session.queue = TurnQueue(messages=list(save.queued))
    return session


def _rebuild(session: SessionParts, save: SavedSession) -> None:
    """Rebuild the prompt as it was sent, and as it would be sent now."""
    current = session.current
    assert current.recipe is not None
    current.state = save.state
    built = build(current.recipe, save.state, counting=find_counter)
    if save.sent is None or not current.modes:
        current.delta = Delta(built, built)
    else:
        sent = build(current.recipe, save.sent, counting=find_counter)
        current.delta = Delta(sent, sent, save.told).resume(built, current.modes)
    current.budgeted.restore(current.delta.sent, session.setup.settings, save.cuts)


def _find_recipe(settings: SessionSettings) -> Recipe:
    """The recipe of a session that is resumed."""
    recipe = settings.recipe
    if isinstance(recipe, Recipe):
        return recipe
    return builtin(recipe) if recipe in BUILTIN and recipe is not None else settings.resolve().recipe


def _name_counter(settings: SessionSettings) -> str | None:
    """The name of a counter that was chosen or has cut the prompt; otherwise the next machine may choose."""
    if settings.counter is None and settings.budget is None:
        return None
    return (settings.counter or find_counter()).name


def _choose_resumed_counter(save: SavedSession, count: CountFunction | None) -> Counter | None:
    """The counter from before the save. Another one would cut elsewhere, and the bytes would differ."""
    if count is not None:
        return as_counter(count)
    if save.counter is None:
        return None
    counter = _find_named_counter(save.counter)
    if counter is None or counter.name != save.counter:
        hint = f"Here it is {counter.about}, or pass another with count=…" if counter else "Pass it again with count=…"
        raise SessionError(f"The session counts its tokens with {save.counter!r}.", hint=f"{hint}.")
    return counter


def _find_named_counter(name: str) -> Counter | None:
    """The counter of that name, or what counts in its place here; None for a program's own."""
    return find_counter(name) if name in COUNTER_NAMES else None


def restore_saved_turn(save: SavedSession, path: str) -> tuple[Turn, tuple[Diagnostic, ...]]:
    """The turn that the session would continue, with its diagnostics. No hook or extension runs."""
    more = SessionOptions(count=_find_saved_counter(save, path))
    current = resume_session(save, None, more, ()).current
    assert current.delta is not None
    base = current.budgeted.shown or current.delta.sent
    prompt = current.edit(base, save.changes)
    messages = tuple(message for message in save.messages if message.sent)
    entry = Entry(save.number, (), prompt.results, None, frozenset(), messages=len(messages))
    return Turn(save.number, prompt, messages, entry), _report_difference(base, save, path)


def _find_saved_counter(save: SavedSession, path: str) -> Counter | None:
    """The counter of a save, or the estimate if it is not installed. With a budget that is an error."""
    counter = None if save.counter is None else _find_named_counter(save.counter)
    if save.counter is None or (counter is not None and counter.name == save.counter):
        return counter
    if save.budget is not None:
        raise SessionError(
            f"{path}: its budget was computed with {save.counter!r}, which is not installed, "
            "so its cuts can't be repeated.",
            hint="Resume it in Python, with count=….",
        )
    return ESTIMATE


def _report_difference(base: Prompt, save: SavedSession, path: str) -> tuple[Diagnostic, ...]:
    """A warning if the recipe changed since the save: the saved bytes can't be rebuilt then."""
    if save.fingerprint is None or base.fingerprint == save.fingerprint:
        return ()
    difference = f"recipe {save.recipe!r} has changed since the session was saved"
    return (warning("save-differs", f"{difference}: this is what it would send now", path),)

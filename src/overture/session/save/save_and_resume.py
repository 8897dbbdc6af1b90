"""Makes a save of a session, and resumes a session from one."""

from collections.abc import Callable, Iterable
from os import fspath
from typing import Any, Literal, TypeVar

from ...assemble.build import build
from ...discover.disk.location import Path
from ...discover.disk.real_world import RealWorld
from ...discover.disk.world import World
from ...discover.load_tokenizer import COUNTER_NAMES, find_counter
from ...errors import OvertureError, SessionError
from ...model.recipe.recipe import Recipe
from ...recipes import BUILTIN, builtin
from ...tokens.counter import ESTIMATE, Counter, CountFunction, as_counter
from ..extensions.extensions import ExtensionChanges, ExtensionSource, LoadedExtension
from ..files.reload import prepare_prompt
from ..files.session_files import collect_given_fields, plain_fields
from ..options import SessionOptions
from ..session_parts import SessionParts
from ..toolbox import Toolbox
from ..triggers import Trigger
from ..turn.on_change import Delta
from .save_file import VERSION, SavedExtension, SavedSession

S = TypeVar("S", bound=SessionParts)


def make_save(session: SessionParts) -> SavedSession:
    """All that is needed to go on with the same bytes."""
    try:
        prepare_prompt(session, look=False)  # a turn that goes on keeps its bytes
    except OvertureError:
        # What can't be counted or cut can't be sent, but kept; a session that never began has nothing to keep.
        if session.current.state is None:
            raise
    current, talk, options = session.current, session.talk, session.current.options
    with session.lock:
        assert current.recipe is not None and current.state is not None
        assert current.toolbox is not None and current.delta is not None
        box = current.toolbox
        asked = options.recipe
        return SavedSession(
            version=VERSION,
            recipe=asked if isinstance(asked, str) else current.recipe.name,
            state=current.state,
            sent=current.delta.kept if current.delta.told else None,
            first=current.first,
            cwd=_text(options.cwd) or (current.ground.settled.cwd if current.ground else None),
            home=_text(options.home),
            root=_text(options.root),
            config=dict(options.config or {}),
            given=plain_fields(current.given),
            session=current.info is not None,
            tools=tuple(box.known.values()),
            places=tuple(sorted(box.places, key=box.places.__getitem__)),
            active=box.names,
            asked=tuple(sorted(current.asked_names)),
            memories=options.memories,
            on_change=options.on_change if isinstance(options.on_change, str) else dict(options.on_change),
            hook_limit=options.hook_limit,
            max_depth=options.max_depth,
            keep=options.keep,
            budget=options.budget,
            counter=_counted(options),
            cuts=current.within.cuts,
            depth=session.depth,
            number=session.number,
            mission_start=session.mission[1],
            fingerprint=(current.within.shown or current.delta.sent).fingerprint,
            task=session.task,
            messages=tuple(talk.all),
            waiting=tuple(talk.waiting),
            queued=tuple(session.queued),
            told=current.delta.told,
            arrived=tuple(talk.arrived),
            handed=tuple(sorted(talk.handed)),
            changes=session.changes,
            resources=session.added,
            extensions=tuple(map(_extension, session.extensions.loaded)),
        )


def _extension(loaded: LoadedExtension) -> SavedExtension:
    brought = loaded.brought
    given = {name: (_written(name, old), _written(name, new)) for name, (old, new) in brought.given.items()}
    return SavedExtension(loaded.id, loaded.name, brought.known, brought.active, given, brought.added)


def _loaded(saved: SavedExtension) -> LoadedExtension:
    given = {name: (_typed(name, old), _typed(name, new)) for name, (old, new) in saved.given.items()}
    return LoadedExtension(saved.id, saved.name, ExtensionChanges(saved.known, saved.active, given, saved.added))


def _written(name: str, value: tuple[Any, ...]) -> tuple[Any, ...]:
    return (plain_fields({name: value[0]})[name],) if value else ()


def _typed(name: str, value: tuple[Any, ...]) -> tuple[Any, ...]:
    return (collect_given_fields({name: value[0]})[name],) if value else ()


def _text(path: Path | None) -> str | None:
    return None if path is None else fspath(path)


def resume_session(
    kind: Callable[..., S],
    save: SavedSession,
    recipe: str | Recipe | None,
    world: World | None,
    count: CountFunction | None,
    extensions: Iterable[ExtensionSource],
) -> S:
    """The session again. Nothing is read but a recipe that is not built in: the project may be gone."""
    options = SessionOptions(
        recipe or save.recipe, save.cwd, save.home, save.root, save.config or None, world or RealWorld(),
        _memories(save), save.on_change, save.hook_limit, save.max_depth, save.keep,
        save.budget, _counter(save, count),
    )  # fmt: skip
    session = kind(world=options.world, keep=save.keep, extensions=extensions)
    session.extensions.loaded = tuple(map(_loaded, save.extensions))
    session.extensions.due = bool(save.extensions or session.extensions.given)
    current = session.current
    current.options = options
    current.given = collect_given_fields(save.given)
    current.info = save.state.session if save.session else None
    current.saved, current.first = save.state, save.first
    current.toolbox = Toolbox(save.tools, save.places, told=True)
    current.toolbox.active = set(save.active)
    current.asked_names = set(save.asked)
    current.use(_recipe(options))
    _rebuild(session, save)
    session.talk = session.talk_of(save.messages, save.waiting)
    session.talk.arrived, session.talk.handed = list(save.arrived), set(save.handed)
    session.queued, session.changes, session.task = list(save.queued), save.changes, save.task
    session.depth, session.number, session.added = save.depth, save.number, save.resources
    session.mission = (save.state.mission.prompt if save.state.mission else "", save.mission_start)
    session.pending = []
    session.triggers = [Trigger("resume", f"{len(save.messages)} messages from a save")]
    return session


def _rebuild(session: SessionParts, save: SavedSession) -> None:
    """The prompt as it was sent, and as it would be sent now."""
    current = session.current
    assert current.recipe is not None
    current.state = save.state
    built = build(current.recipe, save.state, counting=find_counter)
    if save.sent is None:
        current.delta = Delta(built, built)
    else:
        sent = build(current.recipe, save.sent, counting=find_counter)
        current.delta = Delta(sent, sent, save.told).resumed(built, current.how)
    current.within.restore(current.delta.sent, current.options, save.cuts)


def _recipe(options: SessionOptions) -> Recipe:
    asked = options.recipe
    if isinstance(asked, Recipe):
        return asked
    return builtin(asked) if asked in BUILTIN and asked is not None else options.settle().recipe


def _counted(options: SessionOptions) -> str | None:
    """The name of what counts, where it was chosen or has cut; else the next machine may choose."""
    if options.counter is None and options.budget is None:
        return None
    return (options.counter or find_counter()).name


def _counter(save: SavedSession, count: CountFunction | None) -> Counter | None:
    """What counted before the save. Another would cut elsewhere, and the bytes would not be the same."""
    if count is not None:
        return as_counter(count)
    if save.counter is None:
        # Saves that name none although they were cut are older than the names: the estimate cut them.
        return ESTIMATE if save.budget is not None else None
    found = find_counter(save.counter) if save.counter in COUNTER_NAMES else None
    if found is None or found.name != save.counter:
        way = (
            f"Here it is {found.about}, or hand over another with count=…"
            if found
            else "Hand it over again with count=…"
        )
        raise SessionError(f"The session counts its tokens with {save.counter!r}. {way}.")
    return found


def _memories(save: SavedSession) -> Literal["live", "frozen"] | None:
    return "live" if save.memories == "live" else "frozen" if save.memories == "frozen" else None

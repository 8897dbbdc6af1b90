"""What extensions change in a session: read out of it as a copy, and put back."""

from ...model.state.state import State
from ..messages.skill_text import USE_SKILL, with_loader
from ..session_parts import Live
from .undo_changes import Registry, withdraw


def registry_of(session: Live) -> Registry:
    """A copy of what extensions change."""
    current, box = session.current, session.current.toolbox
    assert box is not None
    hooks = {event: list(hooks) for event, hooks in session.hooks.items()}
    return Registry(dict(box.known), set(box.active), dict(current.given), session.added, hooks)


def put(session: Live, registry: Registry) -> None:
    """Let the session have exactly this."""
    current, box = session.current, session.current.toolbox
    assert box is not None
    box.known, box.active = dict(registry.known), set(registry.active)
    current.given, session.added = dict(registry.given), registry.added
    session.hooks = {event: list(hooks) for event, hooks in registry.hooks.items()}


def bare_state(session: Live) -> State:
    """The state without the tools of extensions, so that each finds what it found the first time."""
    current = session.current
    with session.lock:
        registry = registry_of(session)
        for each in reversed(session.extensions.loaded):
            withdraw(registry, each.brought)
    assert current.state is not None and current.recipe is not None and current.toolbox is not None
    names = sorted(registry.active, key=current.toolbox.places.__getitem__)
    tools = tuple(registry.known[name] for name in names)
    state = current.state
    return state.replace(tools=with_loader(tools, state.skills, current.recipe, USE_SKILL in current.asked_names))

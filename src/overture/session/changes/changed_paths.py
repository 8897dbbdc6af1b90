"""Which paths concern a session: whether a changed file matters, and whether the configuration is to be read again."""

from collections.abc import Iterable

from ...errors import OvertureError
from ...model.diagnostic import warning
from ..live_session import Live
from .project_files import Ground, look

CONFIGURATION = ("overture.toml", "pyproject.toml")


def matters(session: Live, path: str) -> bool:
    """Whether a change of this path may change the prompt: it was looked at, or lies above what was."""
    ground = grounded(session)
    if ground is None:
        return False
    # What is new in a folder that is searched was never looked at itself.
    return (
        path in ground.paths
        or path in ground.settled.recipe.files
        or any(path.startswith(f"{place}/") for place in ground.places)
        or path.rstrip("/") in ground.folders
    )


def files_changed(session: Live, paths: Iterable[str]) -> bool:
    """Note that files changed on disk; whether any of them matters to the prompt."""
    matter = [path for path in dict.fromkeys(paths) if matters(session, path)]
    if matter:
        with session.lock:
            session.resettle |= any(settles(session, path) for path in matter)
            session.trigger("file", ", ".join(matter))
    return bool(matter)


def settles(session: Live, path: str) -> bool:
    """Whether a change of this path is one of the configuration or of the recipe itself."""
    recipe = session.current.recipe
    return path.rpartition("/")[2] in CONFIGURATION or (recipe is not None and path in recipe.files)


def grounded(session: Live) -> Ground | None:
    """What the session stands on; for one that was resumed, what it would stand on, where that is still there."""
    current = session.current
    if current.ground is None and current.spare is None and current.state is not None:
        try:
            current.spare = look(current.options.settle(), session.added + session.hooked, None)
        except OvertureError as problem:
            session.notes.append(warning("project-gone", f"the session goes on with what it has: {problem}"))
    return current.ground or current.spare

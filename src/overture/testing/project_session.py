"""The session of the fixture `overture_session`: it is one, and it makes others in the same folder."""

from pathlib import Path
from typing import Any, NamedTuple

from ..model.state.agent_and_task import SessionInfo
from ..session.files.given_fields import collect_given_fields
from ..session.session import Session
from .isolated_world import IsolatedWorld


class SessionFolders(NamedTuple):
    """Where the session of a test looks, and nowhere else."""

    project: Path
    home: Path


class ProjectSession(Session):
    """A session of `house` in a test's own folder. Called, it makes a session of another recipe or other options there.

    Its id, clock, host and platform are fixed; neither the environment nor anything outside the two folders counts.
    """

    def __init__(self, folders: SessionFolders, recipe: Any = None, **options: Any) -> None:
        self.folders = folders
        self.others: list[Session] = []
        world = IsolatedWorld(*map(str, folders))
        state = {"session": SessionInfo("test"), **collect_given_fields(options.pop("state", None) or {})}
        given = {"cwd": folders.project, "home": folders.home, "root": folders.project, "world": world, **options}
        super().__init__(recipe, state=state, **given)

    def __call__(self, recipe: Any = None, **options: Any) -> "ProjectSession":
        """Another session in the same folder; `options` are those of `overture.Session`."""
        session = ProjectSession(self.folders, recipe, **options)
        self.others.append(session)
        return session

    def close_all(self) -> None:
        """Close it, and those that it made."""
        for session in (self, *self.others):
            session.close()

"""The parts of a State, each as one function of discovery finds it."""

from typing import NamedTuple

from ..model.state.agent_and_task import Agent, User
from ..model.state.files import Origin, Overrides, Skill, TextFile, WorkspaceFile
from ..model.state.runtime import Git, Runtime


class InstructionFiles(NamedTuple):
    """The files that tell an agent what to do."""

    workspace: tuple[WorkspaceFile, ...] = ()
    context: tuple[TextFile, ...] = ()
    skills: tuple[Skill, ...] = ()


class People(NamedTuple):
    """Who speaks in a prompt, to whom, and what they remember. A file of one kind gives some of it."""

    agent: Agent | None = None
    user: User | None = None
    overrides: Overrides | None = None
    memories: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    """Further folders that the agent works in."""
    origins: dict[str, Origin] = {}
    """The file of each value, by its path in the State."""


class Machine(NamedTuple):
    """What git and the host say."""

    git: Git | None
    runtime: Runtime

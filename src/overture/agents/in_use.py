"""Finds the agents that are in use or likely here: by signs of them, and by what each finds as it starts."""

import os
import posixpath
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated

from ..discovery.world import World
from ..errors import RecipeError, explain_unknown
from ..known_agents import AGENTS, agent_facts
from ..model.struct import Frozen, note

COMMON_AGENTS = ("claude-code", "codex", "copilot-cli", "cursor", "gemini-cli")
"""Agents that are likely in any project with files that they load."""


class Signs(Frozen, frozen=True):
    """What shows that an agent is used here."""

    project: Annotated[tuple[str, ...], note("files and folders of the project")] = ()
    user: Annotated[tuple[str, ...], note("folders under home, and programs on the PATH")] = ()

    def __bool__(self) -> bool:
        return bool(self.project or self.user)


def find_signs(world: World, name: str, folders: Sequence[str], home: str) -> Signs:
    """The signs of an agent; `folders` are those of the project."""
    signs, path = agent_facts(name).signs, world.machine.environment().get("PATH", "")
    here = [posixpath.join(folder, sign) for folder in folders for sign in signs.project]
    programs = [f for f in path.split(os.pathsep) if f.startswith("/")] if signs.programs else []
    user = [f"~/{sign}" for sign in signs.home if world.exists(posixpath.join(home, sign))]
    user += [f"the program {each}" for each in signs.programs if any(world.exists(f"{f}/{each}") for f in programs)]
    return Signs(tuple(filter(world.exists, here)), tuple(user))


def choose_agents(
    signs: Mapping[str, Signs], loads: Callable[[str], tuple[int, int]], *, of_user: bool = True
) -> list[str]:
    """The agents in use: those with signs in the project, those of this user that load something, and likely ones.

    AGENTS.md is no sign of one agent, and most agents read it: of the most used, those are likely that load a file,
    or where none does, a skill. `loads` counts both.
    """
    set_up = [name for name, found in signs.items() if found.project]
    users = [name for name, found in signs.items() if of_user and found.user and any(loads(name))]
    likely = [name for name in COMMON_AGENTS if loads(name)[0]]
    likely = likely or [name for name in COMMON_AGENTS if loads(name)[1]]
    return list(dict.fromkeys((*set_up, *users, *likely)))


def find_agent_name(name: str) -> str:
    """The name of an agent, also for an earlier name of it; an unknown one is an error that suggests a likely one."""
    typed = name.casefold().replace(" ", "-").replace("_", "-")
    for each in AGENTS:
        if name == each or name in agent_facts(each).also_called:
            return each
    titles = (each for each in AGENTS if typed == agent_facts(each).title.casefold().replace(" ", "-"))
    likely = next(titles, None) or next((e for e in AGENTS if len(typed) > 2 and (e in typed or typed in e)), None)
    if likely:
        raise RecipeError(f"Unknown agent {name!r}. Did you mean {likely!r}?")
    raise RecipeError(explain_unknown("Agent", name, AGENTS))

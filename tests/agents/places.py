"""Projects in memory: what agents are told there, and what becomes of it when a plan is carried out."""

from collections.abc import Iterable, Mapping, Sequence

from overture.agents.advice.plan_changes import ChangePlan, plan_in_folder
from overture.agents.agents_in_use import find_agent_name, resolve_for_agent
from overture.agents.loaded_lines import list_file_lines

from overture.agents.agent_project import resolve_in_folder
from overture.agents.diff_agents import AgentsDiff, FoundForAgent, diff_agents
from overture.testing import FakeWorld


def project(files: Mapping[str, str], links: Mapping[str, str] | None = None, cwd: str = "/p") -> FakeWorld:
    """A repository at /p with these files."""
    placed = {name if name.startswith("/") else f"/p/{name}": text for name, text in files.items()}
    return FakeWorld({"/p/.git/HEAD": "", **placed}, links={f"/p/{k}": v for k, v in (links or {}).items()}, cwd=cwd)


def plan(world: FakeWorld, *names: str) -> ChangePlan:
    """The plan for some agents."""
    return plan_in_folder(resolve_in_folder(world=world), names)


def carry_out(world: FakeWorld, made: ChangePlan) -> None:
    """Write what a plan says."""
    for change in made.changes:
        if change.link is not None:
            world.links[change.path] = change.link
        else:
            world.files[change.path] = (change.after or "").encode()


def told(world: FakeWorld, name: str, touching: Sequence[str] = ()) -> FoundForAgent:
    """An agent, and what is found for it, also when it works on some files."""
    project = resolve_for_agent(resolve_in_folder(world=world), find_agent_name(name))._replace(
        touching=tuple(touching)
    )
    return name, project.find()


def lines_told(world: FakeWorld, name: str, touching: Sequence[str] = ()) -> list[str]:
    """The lines of files that an agent is told, in its order."""
    _, found = told(world, name, touching)
    return [line.key for line in list_file_lines(found.files, found.wants)]


def compared(world: FakeWorld, first: str, second: str) -> AgentsDiff:
    """Two agents side by side."""
    return diff_agents(told(world, first), told(world, second))


def written(made: ChangePlan) -> dict[str, str | None]:
    """What would be written, by path: the text, or where a link leads."""
    return {change.path: f"-> {change.link}" if change.link else change.after for change in made.changes}


def everyone(world: FakeWorld, names: Iterable[str], touching: Sequence[str] = ()) -> dict[str, set[str]]:
    """What each of them is told."""
    return {name: set(lines_told(world, name, touching)) for name in names}

"""Runs one agent once in one world, and keeps what it sent."""

import shutil
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.contract.agents.lab.folder import HERE, LAB, NODE
from tests.contract.agents.lab.marked import MarkedFile, marked_files
from tests.contract.agents.worlds import WORLDS, World, make_world, write_world
from tests.contract.agents.worlds.settings import MOVED

from .agents import Agent
from .sandbox import run_inside

PLAIN = {"TERM": "xterm-256color", "LANG": "C.UTF-8", "SHELL": "/bin/bash", "USER": "lab", "NO_COLOR": "1"}


class Run(NamedTuple):
    """A run that is over."""

    world: World
    files: dict[str, MarkedFile]
    """The world's files before the run: agents write copies of what they send into the home."""
    log: Path
    complaint: str


def run_agent(agent: Agent, name: str) -> Run:
    """Write the world anew, and run the agent in it."""
    return run_in(agent, WORLDS[name])


def run_in(agent: Agent, world: World) -> Run:
    """The same for any world."""
    files = lay_out(agent, world)
    log = LAB / "runs" / agent.name / f"{world.name}.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    reads = [str(HERE / path) for path in world.reads]
    command = [agent.said(part, world.cwd) for part in (*agent.run, *(agent.reading if reads else ()))]
    complaint = run_inside(command, HERE / world.cwd, _env(agent, world), log, reads)
    return Run(world, files, log, complaint)


def lay_out(agent: Agent, world: World) -> dict[str, MarkedFile]:
    """Write a world where agents are run, and beside it what the agent needs; its files, before that."""
    shutil.rmtree(HERE, ignore_errors=True)
    write_world(world, HERE)
    files = marked_files(HERE)
    write_own_files(agent, world)
    return files


def read_again(agent: Agent, name: str) -> Run:
    """The last run of an agent in a world, from what was written down of it."""
    with TemporaryDirectory() as folder:
        world = make_world(name, Path(folder))
        files = {key: _as_there(file, folder) for key, file in marked_files(Path(folder)).items()}
        return Run(world, files, LAB / "runs" / agent.name / f"{name}.jsonl", "")


def _as_there(file: MarkedFile, folder: str) -> MarkedFile:
    """A file as it stood in the run, since some lines hold the path of the world."""
    return replace(file, lines=tuple(line.replace(folder, str(HERE)) for line in file.lines))


def write_own_files(agent: Agent, world: World) -> None:
    """What the agent needs at home, joined with what the world says there; also in the folders that are moved."""
    for name, text in agent.files.items():
        said = agent.said(text, world.cwd)
        write_joined(HERE / "home" / name, said)
        for variable, folder in MOVED.items():
            if variable in world.env and name.startswith(f"{folder}/"):
                moved = world.env[variable].replace("{folder}", str(HERE))
                write_joined(Path(moved) / name.removeprefix(f"{folder}/"), said)


def write_joined(path: Path, text: str) -> None:
    """Add settings to a file: keys of JSON at its beginning, TOML at its end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    there = path.read_text(encoding="utf-8") if path.is_file() else ""
    if there and path.suffix == ".json":
        inner = text.strip()[1:-1]
        path.write_text(there.replace("{", f"{{{inner}, ", 1), encoding="utf-8")
    else:
        path.write_text(f"{there}{text.lstrip()}", encoding="utf-8")


def _env(agent: Agent, world: World) -> dict[str, str]:
    own = {name: agent.said(value, world.cwd) for name, value in agent.env.items()}
    moved = {name: value.replace("{folder}", str(HERE)) for name, value in world.env.items()}
    path = f"{NODE}:/usr/local/bin:/usr/bin:/bin"
    kept = {"NODE_COMPILE_CACHE": str(LAB / "compiled")}  # so that Node starts faster from the second run on
    return {"PATH": path, "HOME": str(HERE / "home"), **PLAIN, **kept, **own, **moved}

"""In trees that nobody thought of, what is said of each file is what the prompt holds: for every agent."""

import os
from pathlib import Path

import pytest

import overture

from ..effort import examples
from .lab.marked import MarkedFile, arrived, marked_files
from .worlds import World, write_world
from .worlds.random_trees import random_tree
from .worlds.random_trees.tree import KITS

pytestmark = pytest.mark.slow


def plant(seed: int, folder: Path) -> World:
    """Write the tree of a seed, drawn from what one of the agents reads."""
    return write_world(random_tree(sorted(KITS)[seed % len(KITS)], seed).world, folder)


def in_prompt(agent: str, cwd: Path, home: Path, files: dict[str, MarkedFile]) -> set[str]:
    """The files of which a marked line stands in what the agent is told, where they really lie."""
    prompt = overture.build(agent, cwd=cwd, home=home)
    text = "\n".join([prompt.text, *(block.text for block in prompt.messages)])
    return {each.file.path for each in arrived(text, files)}


def said_to_be_told(uses: tuple[overture.Use, ...], folder: Path, *kinds: str) -> set[str]:
    """The files of which the table says so, where they really lie."""
    getting = ("loaded", "truncated", "listed")
    told = [use for use in uses if use.how in getting and use.tokens and (not kinds or use.kind in kinds)]
    named = [use for use in uses if use.how == "on_demand" and use.reason.code == "model" and not kinds]
    return {os.path.relpath(os.path.realpath(use.path), folder) for use in (*told, *named)}


@pytest.mark.parametrize("seed", range(examples(60)))
def test_what_is_said_of_files_is_what_the_prompt_holds(seed: int, tmp_path: Path) -> None:
    """None is told without being listed, none is listed without being told, each once and with a reason."""
    folder = Path(os.path.realpath(tmp_path))
    world = plant(seed, folder)
    files, cwd, home = marked_files(folder), folder / world.cwd, folder / "home"
    marked = {file.path for file in files.values()}
    table = overture.agents(cwd=cwd, home=home, everyone=True)
    for agent in table.agents:
        uses = table.at(agent.name)
        told, said = in_prompt(agent.name, cwd, home, files), said_to_be_told(uses, folder)
        whole = said_to_be_told(uses, folder, "instructions", "rule") & marked
        assert told <= said, (agent.name, told - said)
        assert whole <= told, (agent.name, whole - told)
        assert len({use.path for use in uses}) == len(uses), agent.name
        assert all(table.explain(use) for use in uses), agent.name

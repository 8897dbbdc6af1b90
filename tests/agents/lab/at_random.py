"""`python -m tests.agents.lab.at_random AGENT… [--seeds 0-99]`: whether agents read in random trees what Overture says.

A tree in which the two differ is made smaller, file by file, as long as they do; each try is a run.
"""

import argparse
import sys
from collections.abc import Collection
from typing import NamedTuple

from tests.contract.agents.lab.folder import HERE
from tests.contract.agents.our_run import our_look, unlike
from tests.contract.agents.worlds.random_trees import random_tree

from .agents import Agent, read_agents
from .inside import STOPPED
from .install import install_all
from .looks import look_at
from .run import lay_out, run_in

MOST_RUNS = 25
"""How many runs making one tree smaller may cost."""


class Tried(NamedTuple):
    """A run, and in what it is not as Overture says: what, sent, ours."""

    told: str
    unlike: tuple[tuple[str, str, str], ...] = ()

    @property
    def kinds(self) -> set[str]:
        """In which of its parts."""
        return {what for what, *_ in self.unlike}


def main() -> int:
    """Run, tell, shrink; 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.agents.lab.at_random")
    parser.add_argument("agents", nargs="+", metavar="AGENT")
    parser.add_argument("--seeds", default="0-9", help="one, or the first and the last: 0-99")
    parser.add_argument("--keep", help="numbers of the pieces to keep, as it is said of a small tree: 0,3,7")
    parser.add_argument("--no-shrink", action="store_true", help="only say what differs")
    asked = parser.parse_args()
    install_all(tuple(asked.agents))
    first, _, last = asked.seeds.partition("-")
    kept = None if asked.keep is None else [int(number) for number in asked.keep.split(",") if number]
    found = 0
    for name in asked.agents:
        for seed in range(int(first), int(last or first) + 1):
            found += _seed(read_agents()[name], seed, kept, not asked.no_shrink)
    return 1 if found else 0


def _seed(agent: Agent, seed: int, kept: list[int] | None, shrinks: bool) -> bool:
    """Whether the two differ in a seed's tree; said, with the smallest tree in which they do."""
    there = list(range(len(random_tree(agent.name, seed).pieces))) if kept is None else kept
    tried = try_tree(agent, seed, there)
    _say(f"{agent.name}, seed {seed}: {tried.told}")
    _tell(tried)
    if tried.unlike and shrinks:
        there, tried = shrink(agent, seed, there, tried)
        _show(agent, seed, there, tried)
    return bool(tried.unlike)


def try_tree(agent: Agent, seed: int, kept: Collection[int]) -> Tried:
    """Overture looks at the tree first: an agent leaves files behind."""
    world = random_tree(agent.name, seed, kept).world
    files = lay_out(agent, world)
    ours = our_look(agent.name, world, HERE, files)
    run = run_in(agent, world)
    look = look_at(run)
    if look.get("refused"):
        return Tried(f"no request came, {run.complaint}" if run.complaint.startswith(STOPPED) else "it refused")
    differs = tuple(unlike(look, ours))
    counted = f"{len(look['sent'])} files, {len(look.get('skills', []))} skills"
    return Tried(f"{'differs' if differs else 'same'}, {counted}", differs)


def shrink(agent: Agent, seed: int, kept: list[int], tried: Tried) -> tuple[list[int], Tried]:
    """Fewer pieces in which the same still differs: first without whole halves, then without one after the other."""
    runs, step = 0, max(len(kept) // 2, 1)
    at = 0
    while runs < MOST_RUNS and kept:
        fewer = kept[:at] + kept[at + step :]
        again, runs = try_tree(agent, seed, fewer), runs + 1
        if again.kinds & tried.kinds:
            kept, tried = fewer, again
        else:
            at += step
        if at >= len(kept):
            if step == 1:
                break
            at, step = 0, max(step // 2, 1)
    return kept, tried


def _show(agent: Agent, seed: int, kept: list[int], tried: Tried) -> None:
    """The small tree, and how to make it again."""
    world, pieces = random_tree(agent.name, seed)
    inner = "".join(f", a {each.kind} at {each.path}" for each in world.repositories)
    where = f"from {world.cwd}{'' if world.git else ', no git'}{inner}"
    _say(f"  smallest, {where}{f', reads {list(world.reads)}' if world.reads else ''}:")
    for number in kept:
        piece = pieces[number]
        said = f"-> {piece.link}" if piece.link else f"{piece.size} characters" if piece.size else list(piece.lines)
        odd = [each for each in (repr(piece.end), piece.encoding) if each not in ("'\\n'", "utf-8")]
        _say(f"    {piece.path} {said} {' '.join(odd)}".rstrip())
    _tell(tried)
    numbers = ",".join(map(str, kept))
    _say(f"  python -m tests.agents.lab.at_random {agent.name} --seeds {seed} --keep {numbers}")


def _tell(tried: Tried) -> None:
    for what, sent, ours in tried.unlike:
        _say(f"    {what}: sent {sent}; ours {ours}")


def _say(line: str) -> None:
    """At once: a campaign takes hours."""
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())

"""`python -m tests.agents.lab [AGENT…] [--world NAME…] [--update|--missing]`: run agents, and say what has moved."""

import argparse
import sys
from collections.abc import Container
from datetime import UTC, datetime
from typing import Any

from tests.contract.agents.lab.compare import Move, moves, table
from tests.contract.agents.lab.folder import LAB
from tests.contract.agents.lab.seen import read_seen, write_seen
from tests.contract.agents.worlds import WORLDS

from .agents import Agent, read_agents
from .inside import STOPPED
from .install import install_all, installed_version
from .looks import look_at
from .packages import PACKAGES
from .progress import Progress
from .requests import lengths, main_requests, read_requests
from .run import read_again, run_agent


def main() -> int:
    """Install, run, compare; 1 where something has moved."""
    asked = _arguments()
    failed = install_all(tuple(asked.agents))
    agents = read_agents()
    packages = [each for each in PACKAGES if not asked.agents or each.agent in asked.agents]
    progress = Progress(len(packages))
    found: list[Move] = []
    for package in packages:
        version = installed_version(package)
        progress.start_agent(f"{package.agent} {version}")
        if version is None:
            progress.say(f"could not be installed: {failed.get(package.agent, 'nothing lies there')}")
            continue
        found += _agent_moves(agents[package.agent], version, asked, progress)
    print(table(found) if found else "Nothing has moved.")
    print(progress.sum_up(len(found)))
    return 1 if found and not asked.update else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.agents.lab", description=f"Runs agents in {LAB}.")
    parser.add_argument("agents", nargs="*", metavar="AGENT", help="default: all that can be installed")
    parser.add_argument("--world", action="append", choices=sorted(WORLDS), help="default: all")
    parser.add_argument("--update", action="store_true", help="write what was seen into the data of the project")
    parser.add_argument(
        "--missing", action="store_true", help="only worlds that the data lacks, and write them into it"
    )
    parser.add_argument("--recorded", action="store_true", help="run nothing: read the requests of the last run again")
    asked = parser.parse_args()
    asked.update = asked.update or asked.missing
    return asked


def _agent_moves(agent: Agent, version: str, asked: argparse.Namespace, progress: Progress) -> list[Move]:
    """Run an agent in each world that is asked for."""
    kept = read_seen(agent.name)
    now = {"version": version, "checked": datetime.now(UTC).date().isoformat()}
    # Worlds that are added do not make the others newer: the file keeps its version and date, and those have their own.
    dated = {key: kept[key] for key in now} if asked.missing and kept else now
    before = {world["name"]: world for world in kept.get("world", [])}
    after = dict(before)
    found: list[Move] = []
    own = kept.get("own", {})
    names = worlds_asked(asked, before)
    progress.start_worlds(len(names))
    for name in names:
        run = read_again(agent, name) if asked.recorded else run_agent(agent, name)
        look = look_at(run)
        if look.get("refused") and run.complaint.startswith(STOPPED):
            # It was too slow to say anything, which tells nothing of what it would have sent.
            progress.end_world(name, f"no result; {run.complaint}")
            continue
        # Of a world that the data lacks nothing can have moved.
        found += moves(agent.name, version, before[name], look) if name in before else []
        after[name] = {"name": name, "cwd": look["cwd"], **(now if dated != now else {}), **look}
        if name == "none" and (sent := main_requests(read_requests(run.log))):
            own = lengths(sent[0])
        progress.end_world(name, _told(look, run.complaint))
        if asked.update:
            # After each run, so that an interruption loses none.
            write_seen(agent.name, _file(agent, dated, own, after))
    if all(look.get("refused") for look in after.values()):
        progress.say(f"could not be run: no request came, see {LAB / 'runs' / agent.name}")
    return found


def worlds_asked(asked: argparse.Namespace, before: Container[str]) -> list[str]:
    """The worlds to run in; what was recorded is read again where the data knows of it."""
    wanted = [name for name in WORLDS if not asked.world or name in asked.world]
    if asked.recorded and not asked.world:
        wanted = [name for name in wanted if name in before]
    return [name for name in wanted if not asked.missing or name not in before]


def _told(look: dict[str, Any], complaint: str) -> str:
    sent = "no request" if look.get("refused") else f"{len(look['sent'])} files, {len(look.get('skills', []))} skills"
    return f"{sent}; {complaint}" if complaint else sent


def _file(
    agent: Agent, dated: dict[str, str], own: dict[str, int], worlds: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """The agent's file: how it was run, how long its own prompt is, then the worlds in the order of the project."""
    program = " ".join(part.rpartition("/")[2] if part.startswith("$AGENT") else part for part in agent.run)
    given = {
        f"home/{name}": agent.files[name].replace("$FOLDER", "{folder}").replace("$CWD", "{cwd}").strip() + "\n"
        for name in agent.given
    }
    head = {"agent": agent.name, **dated, "run": program}
    ordered = [worlds[name] for name in WORLDS if name in worlds]
    return {**head, "own": own, "given": given, "world": ordered}


if __name__ == "__main__":
    sys.exit(main())

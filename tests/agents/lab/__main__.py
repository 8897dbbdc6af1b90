"""`python -m tests.agents.lab [AGENT…] [--world NAME…] [--update]`: run the agents, and say what has moved."""

import argparse
import sys
from datetime import UTC, datetime
from typing import Any

from ..worlds import WORLDS
from .agents import Agent, read_agents
from .compare import Move, moves, table
from .folder import LAB
from .install import install_all, installed_version
from .looks import look_at
from .packages import PACKAGES
from .requests import lengths, main_requests, read_requests
from .run import read_again, run_agent
from .seen import read_seen, write_seen


def main() -> int:
    """Install, run, compare; 1 where something has moved."""
    asked = _arguments()
    failed = install_all(tuple(asked.agents))
    agents = read_agents()
    found: list[Move] = []
    for package in PACKAGES:
        if asked.agents and package.agent not in asked.agents:
            continue
        version = installed_version(package)
        if version is None:
            print(f"{package.agent}: could not be installed: {failed.get(package.agent, 'nothing lies there')}")
            continue
        found += _agent_moves(agents[package.agent], version, asked)
    print(table(found) if found else "Nothing has moved.")
    return 1 if found and not asked.update else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.agents.lab", description=f"Runs agents in {LAB}.")
    parser.add_argument("agents", nargs="*", metavar="AGENT", help="default: all that can be installed")
    parser.add_argument("--world", action="append", choices=sorted(WORLDS), help="default: all")
    parser.add_argument("--update", action="store_true", help="write what was seen into the data of the project")
    parser.add_argument("--recorded", action="store_true", help="run nothing: read the requests of the last run again")
    return parser.parse_args()


def _agent_moves(agent: Agent, version: str, asked: argparse.Namespace) -> list[Move]:
    """Run an agent in each world that is asked for."""
    kept = read_seen(agent.name)
    before = {world["name"]: world for world in kept.get("world", [])}
    after = dict(before)
    found: list[Move] = []
    own = kept.get("own", {})
    for name in asked.world or (before if asked.recorded else WORLDS):
        run = read_again(agent, name) if asked.recorded else run_agent(agent, name)
        look = look_at(run)
        found += moves(agent.name, version, before.get(name, {}), look)
        after[name] = look
        if name == "none" and (sent := main_requests(read_requests(run.log))):
            own = lengths(sent[0])
        print(f"{agent.name} {version}: {name}: {_told(look, run.complaint)}", file=sys.stderr, flush=True)
        if asked.update:
            write_seen(agent.name, _file(agent, version, own, after))
    if not any(look.get("sent") or look.get("skills") or not look.get("refused") for look in after.values()):
        print(f"{agent.name} {version}: could not be run: no request came, see {LAB / 'runs' / agent.name}")
    return found


def _told(look: dict[str, Any], complaint: str) -> str:
    sent = "no request" if look.get("refused") else f"{len(look['sent'])} files, {len(look.get('skills', []))} skills"
    return f"{sent}; {complaint}" if complaint else sent


def _file(agent: Agent, version: str, own: dict[str, int], worlds: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The agent's file: how it was run, how long its own prompt is, then the worlds in the order of the project."""
    program = " ".join(part.rpartition("/")[2] if part.startswith("$AGENT") else part for part in agent.run)
    given = {
        f"home/{name}": agent.files[name].replace("$FOLDER", "{folder}").replace("$CWD", "{cwd}").strip() + "\n"
        for name in agent.given
    }
    head = {"agent": agent.name, "version": version, "checked": datetime.now(UTC).date().isoformat(), "run": program}
    ordered = [worlds[name] for name in WORLDS if name in worlds]
    return {**head, "own": own, "given": given, "world": ordered}


if __name__ == "__main__":
    sys.exit(main())

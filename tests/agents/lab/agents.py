"""How each agent is run, read from agents.toml."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

from tests.contract.agents.lab.folder import CHIP, HERE
from tests.contract.agents.lab.upstream import PORT

from .install import agent_folder

PROMPT = "Say ok."


@dataclass(frozen=True)
class Agent:
    """What an agent needs in order to send one request to the upstream."""

    name: str
    run: tuple[str, ...]
    reading: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    given: tuple[str, ...] = ()

    def said(self, text: str, cwd: str) -> str:
        """A value with what it stands for."""
        url = f"http://127.0.0.1:{PORT}"
        known = {"URL": url, "KEY": f"made-up-{'0' * 32}", "FOLDER": str(HERE), "CWD": str(HERE / cwd)}
        return Template(text).safe_substitute(known, CHIP=CHIP, AGENT=str(agent_folder(self.name)), PROMPT=PROMPT)


def read_agents() -> dict[str, Agent]:
    """Every agent that the laboratory can run."""
    read = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {name: _agent(name, table) for name, table in read.items()}


def _agent(name: str, table: Mapping[str, object]) -> Agent:
    given = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    return Agent(name, **given)  # type: ignore[arg-type]

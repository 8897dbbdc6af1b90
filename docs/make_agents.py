"""Write docs/agents/*.md from the agents' records: `make reference`."""

import sys
from pathlib import Path

from agent_page import agent_page
from agents_table import agents_table
from known_agents import known_agents

FOLDER = Path(__file__).parent / "agents"
MADE = "<!-- Made by docs/make_agents.py. Change the agent's recipe, then run `make docs`. -->\n\n"


def pages() -> dict[str, str]:
    """Every page by its file name: one for each agent, and the table of all."""
    agents = known_agents()
    made = {f"{each.name}.md": agent_page(each, agents) for each in agents}
    return {name: MADE + text.rstrip() + "\n" for name, text in {"README.md": agents_table(agents), **made}.items()}


def main() -> None:
    """Write all pages."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        sys.stdout.write(f"docs/agents/{name}\n")


if __name__ == "__main__":
    main()

"""The five configurations whose sizes Moltis's document estimates, as states to measure."""

from ...model.agent import Agent, User
from ...model.files import Skill, TextFile, WorkspaceFile
from ...model.recipe import Size
from ...model.runtime import Runtime, Sandbox
from ...model.schema import takes, text
from ...model.state import State
from ...model.tool import Tool
from .tools import TOOLS

RULE = "- Run the checks before you commit, and say in the message why the change is needed.\n"
PERSON = State(
    agent=Agent(name="Rex", emoji="🦊", creature="fox", vibe="dry and quick"),
    user=User(name="Robin"),
)
TYPICAL = PERSON.replace(
    tools=TOOLS,
    runtime=Runtime(
        host="devbox",
        os="linux",
        arch="x86_64",
        shell="zsh",
        provider="openai",
        model="gpt-5",
        timezone="Europe/Paris",
        sandbox=Sandbox(enabled=True, mode="all", backend="docker", network=False),
    ),
)
FULL = TYPICAL.replace(
    context_files=(TextFile("/work/CLAUDE.md", RULE * 20), TextFile("/work/app/CLAUDE.md", RULE * 12)),
    workspace_files=(WorkspaceFile("/home/robin/.moltis/TOOLS.md", RULE * 4, "TOOLS.md"),),
    skills=tuple(
        Skill(f"skill-{i}", "Use when a form has to be filled in or a table read.", f"/skills/skill-{i}/SKILL.md")
        for i in range(5)
    ),
)
MCP = tuple(
    Tool(
        f"server_{i}_query",
        "Query the server for records that match, newest first.",
        takes({"query": text("what to find")}),
    )
    for i in range(50)
)

SIZES = (
    Size("Minimal (no tools, no context)", "~200 characters, ~50 tokens", state=State()),
    Size("Soul + identity + guidelines", "~2,000 characters, ~500 tokens", state=PERSON),
    Size("Typical with tools", "~5,000 characters, ~1,250 tokens", state=TYPICAL),
    Size("Full (tools + project context + skills)", "~7,000-10,000 characters, ~1,750-2,500 tokens", state=FULL),
    Size(
        "Large (many MCP tools + full context)",
        "~12,000-15,000 characters, ~3,000-3,750 tokens",
        state=FULL.replace(tools=(*TOOLS, *MCP)),
    ),
)

"""Each agent comes from a registry by its package's name."""

from typing import Literal, NamedTuple

from tests.contract.agents.lab.folder import CHIP


class Package(NamedTuple):
    """Where an agent comes from, and where its version stands."""

    agent: str
    registry: Literal["npm", "pypi"]
    name: str
    version: str = ""
    """Asked for where the newest cannot be installed; empty for the newest."""

    @property
    def asked(self) -> str:
        """The package as the registry's own program takes it."""
        between = "@" if self.registry == "npm" else "=="
        return f"{self.name}{between}{self.version}" if self.version else self.name


NODE_PACKAGE = Package("node", "npm", f"node-linux-{CHIP}", "24")
"""Comes first: where the machine's Node is old, npm takes old releases of some agents without a word."""

PACKAGES = (
    Package("codex", "npm", "@openai/codex"),
    Package("claude-code", "npm", "@anthropic-ai/claude-code"),
    Package("gemini-cli", "npm", "@google/gemini-cli"),
    Package("qwen-code", "npm", "@qwen-code/qwen-code"),
    Package("opencode", "npm", "opencode-ai"),
    Package("kilo", "npm", f"@kilocode/cli-linux-{CHIP}"),
    Package("pi-coding-agent", "npm", "@earendil-works/pi-coding-agent", "0.87.1"),
    Package("copilot-cli", "npm", "@github/copilot"),
    Package("cline", "npm", "cline"),
    Package("droid", "npm", "droid"),
    Package("kimi", "npm", "@moonshot-ai/kimi-code"),
    Package("vibe", "pypi", "mistral-vibe"),
    Package("continue-cli", "npm", "@continuedev/cli"),
    Package("gptme", "pypi", "gptme"),
    Package("openhands", "pypi", "openhands"),
    Package("aider", "pypi", "aider-chat"),
    Package("auggie", "npm", "@augmentcode/auggie"),
)

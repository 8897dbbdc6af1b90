"""Files and folders that other tools read, and whose they are: so that one which a recipe does not read has a name."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

INSTRUCTIONS = {
    "AGENTS.md": "many agents",
    "AGENTS.override.md": "Codex",
    "AGENTS.local.md": "Roo Code",
    "AGENT.md": "Amp",
    "CLAUDE.md": "Claude Code",
    "CLAUDE.local.md": "Claude Code",
    ".claude/CLAUDE.md": "Claude Code",
    ".claude/rules/*.md": "Claude Code",
    "GEMINI.md": "Gemini CLI",
    "QWEN.md": "Qwen Code",
    "CRUSH.md": "Crush",
    "CRUSH.local.md": "Crush",
    "COPILOT.md": "gptme",
    "WARP.md": "Warp",
    "CODEX.md": "Continue",
    "OPAL.md": "Opal",
    ".agents/AGENTS.md": "Opal",
    ".opal/AGENTS.md": "Opal",
    ".github/copilot-instructions.md": "GitHub Copilot",
    ".github/instructions/*.instructions.md": "GitHub Copilot",
    ".cursorrules": "Cursor",
    ".cursor/rules/*.mdc": "Cursor",
    ".cursor/rules/*.md": "Cursor",
    ".windsurfrules": "Windsurf",
    ".windsurf/rules/*.md": "Windsurf",
    ".devin/rules/*.md": "Devin",
    ".clinerules": "Cline",
    ".clinerules/*.md": "Cline",
    ".cline/rules/*.md": "Cline",
    ".roorules": "Roo Code",
    ".roo/rules/*.md": "Roo Code",
    ".kilocoderules": "Kilo Code",
    ".kilocode/rules/*.md": "Kilo Code",
    ".kilo/rules/*.md": "Kilo Code",
    ".continue/rules/*.md": "Continue",
    ".kiro/steering/*.md": "Kiro",
    ".junie/AGENTS.md": "Junie",
    ".junie/guidelines.md": "Junie",
    ".junie/guidelines/*.md": "Junie",
    ".agents/rules/*.md": "Antigravity",
    ".agent/rules/*.md": "Antigravity",
    ".qwen/rules/*.md": "Qwen Code",
    ".goosehints": "Goose",
    ".rules": "Zed",
    ".augment-guidelines": "Augment",
    ".augment/rules/*.md": "Augment",
    "CONVENTIONS.md": "Aider",
    "replit.md": "Replit",
}
"""A path below a folder of a project -> the tool that reads it; where several do, the one that it is named after."""

SKILLS = {
    ".agents/skills": "many agents",
    ".claude/skills": "Claude Code",
    ".github/skills": "GitHub Copilot",
    ".codex/skills": "Codex",
    ".cursor/skills": "Cursor",
    ".gemini/skills": "Gemini CLI",
    ".opencode/skills": "opencode",
    ".opencode/skill": "opencode",
    ".opal/skills": "Opal",
    ".sf/skills": "pi",
    ".pi/skills": "pi",
    ".moltis/skills": "Moltis",
    ".factory/skills": "Droid",
    ".goose/skills": "Goose",
    ".qwen/skills": "Qwen Code",
    ".cline/skills": "Cline",
    ".clinerules/skills": "Cline",
    ".roo/skills": "Roo Code",
    ".kilocode/skills": "Kilo Code",
    ".kilo/skills": "Kilo Code",
    ".continue/skills": "Continue",
    ".crush/skills": "Crush",
    ".openhands/skills": "OpenHands",
    ".warp/skills": "Warp",
    ".kiro/skills": "Kiro",
    ".junie/skills": "Junie",
    ".agent/skills": "Antigravity",
    "skills": "a collection or a plugin",
}
"""A folder of a project that holds skills -> the tool that looks there."""

PLUGINS = "plugins"
COLLECTION = SKILLS["skills"]
"""Whose skills are that lie in `plugins/NAME/skills`, in `NAME/skills`, or right in the project."""


def by_first_step(paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Paths by their first step: a glance at a folder tells which of them may lie there."""
    steps: dict[str, tuple[str, ...]] = {}
    for path in paths:
        step = path.partition("/")[0]
        steps[step] = (*steps.get(step, ()), path)
    return steps


def known_as(path: str) -> tuple[str, str] | None:
    """The name under which a file is looked for, with `*` where others lie beside it, and the tool that reads it."""
    parts = path.split("/")
    for count in range(min(len(parts), 5), 0, -1):
        tail = "/".join(parts[-count:])
        for pattern, tool in INSTRUCTIONS.items():
            # A rules folder has folders of its own; `*` stands for those too.
            if fnmatchcase(tail, pattern):
                return (pattern if pattern.count("/") == count - 1 else tail), tool
    return None

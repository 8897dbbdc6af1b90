"""The names under which instructions are known to be kept, in a project and at home."""

RULES = {
    ".claude/rules/hit.md": {"paths": '["**/*.txt"]'},
    ".claude/rules/miss.md": {"paths": '["**/*.zzz"]'},
    ".github/instructions/all.instructions.md": {"applyTo": '"**"'},
    ".github/instructions/hit.instructions.md": {"applyTo": '"**/*.txt"', "description": "text files"},
    ".github/instructions/miss.instructions.md": {"applyTo": '"**/*.zzz"'},
    ".cursor/rules/always.mdc": {"description": "always", "alwaysApply": "true"},
    ".cursor/rules/hit.mdc": {"description": "by glob", "globs": '"**/*.txt"', "alwaysApply": "false"},
    ".cursor/rules/asked.mdc": {"description": "asked for", "alwaysApply": "false"},
    ".windsurf/rules/windsurf.md": {"trigger": "always_on"},
    ".devin/rules/devin.md": {"trigger": "always_on"},
    ".augment/rules/augment.md": {"type": "always_apply"},
    ".openhands/microagents/repo.md": {"name": "repo", "agent": "CodeActAgent"},
    ".openhands/microagents/known.md": {"name": "known", "triggers": '["zzz"]'},
    ".kiro/steering/kiro.md": {"inclusion": "always"},
}
"""Names whose files begin with frontmatter, and what it says."""

NAMES = (
    *("AGENTS.md", "AGENTS.override.md", "AGENTS.local.md", "AGENT.txt"),
    *(f"{folder}/AGENTS.md" for folder in (".agents", ".github", ".codex", ".claude", ".pi", ".opencode", ".factory")),
    *(f"{folder}/AGENTS.md" for folder in (".vibe", ".kimi", ".kimi-code", ".qwen", ".gemini", ".kilo", ".junie")),
    *("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".github/CLAUDE.md"),
    *(".claude/rules/plain.md", ".claude/rules/sub/deep.md", ".agents/rules/agents.md"),
    *("GEMINI.md", ".gemini/GEMINI.md", ".github/GEMINI.md", ".gemini/system.md"),
    *("QWEN.md", "QWEN.local.md", ".qwen/QWEN.md", ".qwen/QWEN.local.md", ".qwen/rules/qwen.md"),
    *("CRUSH.md", "CRUSH.local.md", "WARP.md", "DESIGN.md", "CONVENTIONS.md", "CONTEXT.md"),
    *(".github/copilot-instructions.md", ".github/instructions/bare.instructions.md"),
    *(".cursorrules", ".windsurfrules", ".roorules", ".kilocoderules", ".continuerules", ".rules", "rules.md"),
    *(".clinerules/cline.md", ".cline/rules/cline2.md", ".roo/rules/roo.md", ".kilocode/rules/kilocode.md"),
    *(".kilo/rules/kilo.md", ".continue/rules/continue.md", ".trae/rules/project_rules.md"),
    *(".amazonq/rules/amazonq.md", ".junie/guidelines.md", ".augment-guidelines", ".goosehints"),
    *(".openhands_instructions", ".pi/APPEND_SYSTEM.md", ".aider.conventions.md"),
    *("README.md", "CONTRIBUTING.md", "SOUL.md", "MEMORY.md"),
)

HOME_NAMES = (
    *("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".agents/AGENTS.md", ".agents/rules/agents.md"),
    *(".config/AGENTS.md", ".config/agents/AGENTS.md", ".codex/AGENTS.md"),
    *(".claude/CLAUDE.md", ".claude/AGENTS.md", ".claude/rules/plain.md"),
    *(".gemini/GEMINI.md", ".gemini/AGENTS.md", ".qwen/QWEN.md", ".qwen/AGENTS.md", ".qwen/rules/qwen.md"),
    *(".config/opencode/AGENTS.md", ".config/opencode/CLAUDE.md", ".opencode/AGENTS.md"),
    *(".pi/agent/AGENTS.md", ".pi/agent/CLAUDE.md", ".pi/agent/APPEND_SYSTEM.md"),
    *(".config/crush/CRUSH.md", ".config/goose/.goosehints", ".config/amp/AGENTS.md"),
    *(".copilot/copilot-instructions.md", ".copilot/AGENTS.md", ".copilot/instructions/bare.instructions.md"),
    *(".config/kilo/AGENTS.md", ".config/kilo/rules/kilo3.md", ".kilo/rules/kilo.md", ".kilocode/rules/kilocode.md"),
    *("Documents/Cline/Rules/cline3.md", "Cline/Rules/cline4.md", ".cline/rules/cline5.md", ".cline/AGENTS.md"),
    *(".continue/rules/continue2.md", ".augment/rules/augment2.md", ".roo/rules/roo.md"),
    *(".factory/AGENTS.md", ".factory/CLAUDE.md", ".factory/DESIGN.md"),
    *(".kimi/AGENTS.md", ".kimi-code/AGENTS.md", ".vibe/AGENTS.md", ".vibe/instructions.md"),
    *(".openhands/microagents/user.md", ".codeium/windsurf/memories/global_rules.md"),
    *(".config/gptme/AGENTS.md", ".junie/AGENTS.md", ".qwen/memories/MEMORY.md"),
)

MAIN = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", ".github/copilot-instructions.md")
"""The names that most agents have as their own."""
RULE_OF_EACH = (".clinerules/rule.md", ".continue/rules/rule.md")
"""One file for each agent that reads none of the main names at the root."""
HOME_MAIN = (
    *(".codex/AGENTS.md", ".claude/CLAUDE.md", ".gemini/GEMINI.md", ".qwen/QWEN.md", ".config/opencode/AGENTS.md"),
    *(".config/kilo/AGENTS.md", ".pi/agent/AGENTS.md", ".copilot/copilot-instructions.md", ".factory/AGENTS.md"),
    *(".kimi-code/AGENTS.md", ".vibe/AGENTS.md", ".continue/rules/rule.md", ".cline/rules/rule.md"),
    *(".config/gptme/AGENTS.md", ".openhands/microagents/user.md", ".augment/rules/rule.md"),
)

"""States from which Moltis's prompts are built in these tests."""

from typing import Any

EXEC: dict[str, Any] = {"name": "exec", "description": "Run a shell command."}
SANDBOX: dict[str, Any] = {
    "enabled": True,
    "mode": "all",
    "backend": "docker",
    "scope": "session",
    "image": "moltis-sandbox:abc123",
    "workspace_mount": "ro",
    "network": False,
}
RUNTIME: dict[str, Any] = {
    "cwd": "/home/user/project",
    "host": "moltis-devbox",
    "os": "macos",
    "arch": "aarch64",
    "shell": "zsh",
    "provider": "openai",
    "model": "gpt-5",
    "session": "main",
    "sudo_non_interactive": True,
    "accept_language": "fr-FR",
    "sandbox": SANDBOX,
}
MINIMAL: dict[str, Any] = {}
SIMPLE: dict[str, Any] = {
    "tools": [EXEC],
    "context_files": [
        {"path": "/CLAUDE.md", "content": "Sign every commit.\n"},
        {"path": "/home/user/project/CLAUDE.md", "content": "# Project\n\nRun `make test` before you finish.\n"},
    ],
}
FULL: dict[str, Any] = {
    "agent": {
        "name": "Molty",
        "emoji": "🦞",
        "creature": "lobster",
        "vibe": "calm and dry",
        "soul": "\nSpeak plainly.\r\n\r\nNever hurry anyone.\n",
    },
    "user": {"name": "Ada", "timezone": "Europe/Paris", "location": "Lyon"},
    "context_files": [
        {"path": "/home/user/project/CLAUDE.md", "content": "Run `make test` before you finish.\n"},
        {"path": "/home/user/project/.claude/rules/style.md", "content": "Tabs, not spaces.\n"},
    ],
    "runtime": RUNTIME,
    "skills": [
        {"name": "commit", "description": "Create git commits", "location": "/skills/commit/SKILL.md"},
        {
            "name": "pdf",
            "description": "Read and fill in PDF files",
            "location": "/plugins/pdf/SKILL.md",
            "source": "plugin",
        },
        {"name": "secret", "description": "Hidden", "location": "/s/secret/SKILL.md", "disable_model_invocation": True},
    ],
    "workspace_files": [
        {"name": "TOOLS.md", "path": "/home/user/.moltis/TOOLS.md", "content": "Prefer ripgrep."},
        {
            "name": "AGENTS.md",
            "path": "/home/user/.moltis/AGENTS.md",
            "content": "<!-- a note\nto myself -->\n\n<!-- and another -->\nAnswer in the user's language.\n",
        },
    ],
    "tools": [
        EXEC,
        {"name": "memory_search", "description": "Search what was kept."},
        {"name": "memory_save"},
        {"name": "browser", "description": "Opens\n  pages."},
    ],
}
FALLBACK: dict[str, Any] = {
    "native_tools": False,
    "tools": [
        {
            "name": "exec",
            "description": "\nRun a shell command.\n\nIt is given to `sh -c`.\n",
            "parameters": {
                "type": "object",
                "required": ["command"],
                "properties": {"command": {"type": "string", "description": "the command line"}},
            },
        },
        {"name": "clock", "description": "Tell the time."},
    ],
}
STATES = {"minimal": MINIMAL, "simple": SIMPLE, "full": FULL, "fallback": FALLBACK}

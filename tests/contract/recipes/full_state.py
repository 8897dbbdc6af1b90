"""A state in which every field is given."""

from typing import Any

RECIPES = ("opal", "pi", "moltis", "nova", "ptc", "house")

FULL: dict[str, Any] = {
    "limits": {"most": 100},
    "agent": {
        "name": "Ada",
        "emoji": "🦊",
        "creature": "fox",
        "vibe": "dry",
        "soul": "Be kind.",
        "identity": "You are Ada, who keeps the harbour.",
        "instructions": "Answer in a sentence.",
        "role": "keeper",
        "responsibilities": [{"title": "Bookings", "content": "Keep the book.\nNever delete."}],
        "capabilities": ["files", "memory"],
    },
    "user": {"name": "Robin", "timezone": "Europe/Paris", "location": "Brest"},
    "overrides": {"append": "Mind the tide."},
    "context_files": [{"path": "/AGENTS.md", "content": "Outer."}, {"path": "/p/AGENTS.md", "content": "Inner."}],
    "workspace_files": [{"name": "TOOLS.md", "path": "/home/u/TOOLS.md", "content": "Prefer rg."}],
    "skills": [
        {"name": "tides", "description": "Reads the tide table.", "location": "/p/.agents/skills/tides/SKILL.md"}
    ],
    "tools": [
        {"name": "read", "description": "Read a file.", "parameters": {"type": "object", "properties": {}}},
        {"name": "bash", "snippet": "Run a command", "guidelines": ["Quote paths."]},
        {"name": "read_file"},
        {"name": "exec"},
        {"name": "memory_search"},
        {"name": "notify_user"},
        {"name": "use_skill"},
        {"name": "planner", "signature": "(goal :string) -> :map", "planning_only": True},
    ],
    "servers": [{"name": "tides", "instructions": "Ask for one day."}],
    "native_tools": False,
    "runtime": {
        "cwd": "/p",
        "directories": ["/shared"],
        "host": "quay",
        "os": "linux",
        "timezone": "America/Chicago",
        "home": "/home/u",
        "docs": {"main": "/docs"},
        "sandbox": {"enabled": True, "network": False},
    },
    "git": {
        "root": "/p",
        "branch": "moorings",
        "head": "1a2b3c4d5e6f",
        "status": [" M crane.py"],
        "more": 3,
        "commits": [{"id": "1a2b3c4", "subject": "Oil the winch"}],
    },
    "now": "2026-03-07T08:55:05-06:00",
    "session": {"id": "s1"},
    "channel": "telegram",
    "memories": ["Robin likes tea.", "The crane is broken."],
    "task": {"id": 7, "title": "Mend the crane", "status": "active", "steps": [{"title": "Look", "done": True}]},
    "background": True,
    "audience": "private",
    "secrets": "redact",
    "mission": {
        "prompt": "Count the ships of {{port}}.",
        "data": {"port": "Brest", "ships": [{"id": 1}], "_token": "x"},
        "output_signature": "{count :int}",
        "max_turns": 3,
        "error": {"type": "parse_error", "message": "Unexpected token", "details": {"at": 45}},
    },
    "extra": {"conventions": ["silent", "status"]},
}

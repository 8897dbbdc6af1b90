"""Worlds that ask what an agent's own settings, and variables that move its folders, change."""

import json

from .files import write_data
from .names import HOME_MAIN
from .places import PLACES
from .tree import Tree
from .world import World

MOVED = {
    "CODEX_HOME": ".codex",
    "CLAUDE_CONFIG_DIR": ".claude",
    "PI_CODING_AGENT_DIR": ".pi/agent",
    "COPILOT_HOME": ".copilot",
    "VIBE_HOME": ".vibe",
    "KIMI_CODE_HOME": ".kimi-code",
    "QWEN_HOME": ".qwen",
    "XDG_CONFIG_HOME": ".config",
}
"""A variable, and the folder at home that it moves."""


def _names(tree: Tree) -> None:
    """Files that only a setting has an agent read, beside AGENTS.md where there is one."""
    write_data(tree)
    tree.everywhere(["AGENTS.md", "CLAUDE.md", "GEMINI.md", "NOTES.md", "docs/more.md"], ["root"])
    tree.everywhere(["CLAUDE.md", "NOTES.md"], ["mid1"])
    tree.everywhere(["NOTES.md", "CONVENTIONS.md"], ["mid2", "cwd"])


def settings(tree: Tree) -> None:
    """Settings that name further files."""
    _names(tree)
    tree.text("home", ".codex/config.toml", 'project_doc_fallback_filenames = ["CLAUDE.md", "NOTES.md"]\n')
    for folder in (".gemini", ".qwen"):
        named = {"context": {"fileName": ["AGENTS.md", "NOTES.md"]}}
        tree.text("home", f"{folder}/settings.json", json.dumps(named) + "\n")
    for name in ("opencode.json", "kilo.json"):
        tree.text("root", name, json.dumps({"instructions": ["docs/*.md", "NOTES.md"]}) + "\n")
    excluded = [str(tree.folder / PLACES["mid1"] / "CLAUDE.md")]
    tree.text("root", ".claude/settings.json", json.dumps({"claudeMdExcludes": excluded}) + "\n")
    tree.text("cwd", ".claude/settings.json", json.dumps({"claudeMdExcludes": excluded}) + "\n")
    tree.text("root", ".aider.conf.yml", "read:\n  - NOTES.md\n  - docs/more.md\n")


def limits(tree: Tree) -> None:
    """A setting that lifts a limit."""
    write_data(tree)
    tree.large("root", "AGENTS.md", 24_000)
    tree.large("cwd", "AGENTS.md", 60_032)
    tree.text("home", ".codex/config.toml", "project_doc_max_bytes = 50000\n")


def commented(tree: Tree) -> None:
    """Settings with comments and commas too many, as people leave them."""
    _names(tree)
    for folder in (".gemini", ".qwen"):
        text = '// a comment\n{"context": {"fileName": ["NOTES.md"]} /* another */}\n'
        tree.text("home", f"{folder}/settings.json", text)
    for name in ("opencode.jsonc", "kilo.jsonc"):
        tree.text("root", name, '// a comment\n{"instructions": ["NOTES.md",],}\n')


def moved(tree: Tree) -> None:
    """Files in the usual folders at home, and in those to which variables move them."""
    write_data(tree)
    tree.everywhere(HOME_MAIN, ["home"])
    for folder in MOVED.values():
        inside = [name.removeprefix(f"{folder}/") for name in HOME_MAIN if name.startswith(f"{folder}/")]
        tree.everywhere([f"moved/{folder.strip('.')}/{name}" for name in inside], ["home"])
    tree.everywhere(["AGENTS.md"], ["root"])


WORLDS = (
    World("settings", "Do settings add files, or take some away?", settings),
    World("settings-limit", "Does a setting lift the limit?", limits),
    World("settings-comments", "Are settings with comments read?", commented),
    World(
        "home-moved",
        "Do variables move the files at home?",
        moved,
        env={name: f"{{folder}}/home/moved/{folder.strip('.')}" for name, folder in MOVED.items()},
    ),
)

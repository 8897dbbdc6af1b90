"""Worlds that ask what excludeAgent and COPILOT_CUSTOM_INSTRUCTIONS_DIRS change."""

from .files import write_data
from .places import PLACES, ROOT
from .tree import Tree
from .world import World

EXCLUDED = {
    "bare": "",
    "coding": '"coding-agent"',
    "plain": "coding-agent",
    "single": "'coding-agent'",
    "cloud": '"cloud-agent"',
    "review": '"code-review"',
    "cli": '"copilot-cli"',
    "capitals": '"Coding-Agent"',
    "list": '["coding-agent"]',
    "both": '["code-review", "coding-agent"]',
    "comma": '"code-review,coding-agent"',
    "truth": "true",
    "unknown": '"somebody-else"',
    "block": "\n  - coding-agent",
}
"""A name, and what `excludeAgent` says."""

READS = (f"{PLACES['child']}/data.txt",)
DIRS = "{folder}/home/shared,{folder}/home/other, rel,~/tilde,{folder}/home/one:{folder}/home/two,{folder}/home/shared"
NAMES = (
    *("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".claude/CLAUDE.md", ".github/copilot-instructions.md"),
    *("copilot-instructions.md", "any.instructions.md", "notes.md", "deep/inner.instructions.md", "deep/AGENTS.md"),
    *("instructions/kept.instructions.md", ".github/instructions/all.instructions.md", ".claude/rules/plain.md"),
)


def excluded(tree: Tree) -> None:
    """Files for all paths and for some, and others with the same key."""
    write_data(tree)
    for name, value in EXCLUDED.items():
        front = {"excludeAgent": value} if value else {}
        tree.small("root", f".github/instructions/{name}.instructions.md", {"applyTo": '"**"', **front})
    only = {"excludeAgent": '"coding-agent"'}
    tree.small("root", ".github/instructions/free.instructions.md", only)
    tree.small("root", ".github/instructions/hit.instructions.md", {"applyTo": '"**/*.txt"', **only})
    tree.small("root", ".claude/rules/rule.md", only)
    tree.small("root", ".github/copilot-instructions.md", only)
    tree.small("root", "AGENTS.md", only)
    tree.small("home", ".copilot/instructions/own.instructions.md", {"applyTo": '"**"', **only})
    tree.small("child", ".github/instructions/low.instructions.md", {"applyTo": '"**"', **only})


def shared(tree: Tree) -> None:
    """The same names in the project and in two folders that the variable names."""
    write_data(tree)
    tree.everywhere(["AGENTS.md"], ["root"])
    for folder in ("shared", "other"):
        tree.everywhere((f"{folder}/{name}" for name in NAMES), ["home"])
    tree.small("root", ".github/instructions/own.instructions.md")
    tree.small("root", "rel/rel.instructions.md")
    tree.small("cwd", "rel/low.instructions.md")
    for path in ("tilde/tilde", "one/one", "two/two", ".copilot/instructions/mine"):
        tree.small("home", f"{path}.instructions.md")
    for name, glob in (("all", "**"), ("hit", "**/*.txt"), ("miss", "**/*.zzz")):
        tree.small("home", f"shared/{name}.instructions.md", {"applyTo": f'"{glob}"'})


WORLDS = (
    World(
        "exclude-agent", "Does excludeAgent keep a file out?", excluded, ROOT, reads=(f"{PLACES['child']}/data.txt",)
    ),
    World(
        "custom-dirs",
        "Which files do further folders for instructions bring?",
        shared,
        ROOT,
        reads=READS,
        env={"COPILOT_CUSTOM_INSTRUCTIONS_DIRS": DIRS},
    ),
)

"""Worlds that ask which names are read in which folders, and in which order."""

from pathlib import PurePosixPath

from .names import HOME_NAMES, MAIN, NAMES, RULES
from .places import IN_REPO, PLACES, ROOT
from .tree import Tree
from .world import World

DATA = ("child", "sib", "root", "cwd")
TOUCHED = (f"{PLACES['child']}/data.txt", f"{PLACES['sib']}/data.txt")


def write_data(tree: Tree) -> None:
    """Plain files, so that folders are not empty and there is something to read."""
    for place in DATA:
        tree.text(place, "data.txt", f"plain data in {place}\n")
    tree.text("root", "src/main.py", "print('hello')\n")


def files(tree: Tree, without: tuple[str, ...] = ()) -> None:
    """Many names in every place, but those whose last part begins with one of `without`."""
    write_data(tree)
    for place in PLACES:
        rules = {} if place == "home" else RULES
        for name in (*(HOME_NAMES if place == "home" else NAMES), *rules):
            if place == "home" or not PurePosixPath(name).name.startswith(without or "\0"):
                tree.small(place, name, rules.get(name))


def agents_md(tree: Tree) -> None:
    """AGENTS.md in every folder, and nothing else."""
    write_data(tree)
    tree.everywhere(["AGENTS.md"], ["above", *IN_REPO])


def rare(tree: Tree) -> None:
    """Rarer spellings beside the common ones."""
    write_data(tree)
    spelled = ("AGENT.md", "agent.md", "CODEX.md", "COPILOT.md", "INSTRUCTIONS.md", "RULES.md", "CLAUDE.override.md")
    tree.everywhere([*MAIN, *spelled], ["root", "cwd"])


def only_readme(tree: Tree) -> None:
    """No instructions at all: only what every project has."""
    write_data(tree)
    tree.everywhere(["README.md", "CONTRIBUTING.md"], ["above", *IN_REPO])


WORLDS = (
    World("none", "How long is the agent's own prompt?", write_data, cwd=ROOT),
    World("files", "Which of many names are read in which folder?", files),
    World("files-root", "Which of them are read from the git root?", files, cwd=ROOT),
    World("files-no-git", "Which of them are read where there is no repository?", files, git=False),
    World("files-no-override", "And without AGENTS.override.md?", lambda tree: files(tree, ("AGENTS.override",))),
    World("files-no-agents", "What is read where there is no AGENTS.md?", lambda tree: files(tree, ("AGENTS",))),
    World("files-no-claude", "What is read where there is no CLAUDE.md?", lambda tree: files(tree, ("CLAUDE",))),
    World("files-neither", "And where there is neither?", lambda tree: files(tree, ("AGENTS", "CLAUDE"))),
    World("agents-md", "Which AGENTS.md are read where there is nothing else?", agents_md),
    World("agents-md-no-git", "Which AGENTS.md are read without a repository?", agents_md, git=False),
    World("rare", "Does a rare spelling hide a common one?", rare),
    World("readme", "Is a README read?", only_readme),
    World("touching", "What does reading a file below, then beside, add?", files, reads=TOUCHED),
    World("touching-agents-md", "And where there is only AGENTS.md?", agents_md, reads=TOUCHED),
)

"""Worlds that ask what counts in one project with several services, whose folders have files of different names."""

from .places import ROOT, SERVICES
from .skills import plain
from .tree import Tree
from .world import World

COPILOT, GEMINI = ".github/copilot-instructions.md", "GEMINI.md"
NAMES = {
    "root": ("AGENTS.md", GEMINI, COPILOT, ".claude/rules/style.md"),
    "services": ("CLAUDE.md", GEMINI),
    "api": ("AGENTS.md", GEMINI, COPILOT, ".claude/rules/errors.md"),
    "web": ("AGENTS.md", "CLAUDE.md", GEMINI, COPILOT),
}
"""No folder has all names, and the outermost CLAUDE.md lies below the root."""
CONDITIONS = {
    "root": {"python": "**/*.py", "typescript": "**/*.ts", "api": "services/api/**", "web": "web/**"},
    "services": {"near": "api/**", "far": "services/api/**"},
    "api": {"tests": "tests/**", "python": "**/*.py", "main": "main.py"},
    "web": {"near": "src/**", "far": "web/src/**", "typescript": "*.ts"},
}
"""Rules of each folder, and the paths for which they are: some as seen from the folder, some from the root."""
SKILLS = {
    "root": (".agents/skills", ".claude/skills"),
    "api": (".claude/skills", ".gemini/skills", ".github/skills", ".opencode/skills"),
    "web": (".agents/skills", ".claude/skills"),
}
DATA = {"api": ("main.py", "tests/test_main.py"), "web": ("src/app.ts",)}


def project(tree: Tree) -> None:
    """Instructions of several names, rules for paths and skills at the root, in a service, in its API, in the web."""
    for place, names in DATA.items():
        for name in names:
            tree.text(place, name, "plain data\n")
    for place, names in NAMES.items():
        tree.everywhere(names, [place])
    for place, rules in CONDITIONS.items():
        for name, glob in rules.items():
            tree.small(place, f".claude/rules/{name}.md", {"paths": f'["{glob}"]'})
            tree.small(place, f".github/instructions/{name}.instructions.md", {"applyTo": f'"{glob}"'})
    for place, folders in SKILLS.items():
        for folder in folders:
            plain(tree, place, folder, f"sk-{place}-{folder.split('/')[0].strip('.')}")


API, WEB = SERVICES["api"], SERVICES["web"]
WORLDS = (
    World(
        "nested-files",
        "What does a read two folders below the root, one beside it and another near the first add?",
        project,
        ROOT,
        reads=(f"{API}/main.py", f"{WEB}/src/app.ts", f"{API}/tests/test_main.py"),
    ),
    World("nested-start", "And a read beside, from within a service?", project, API, reads=(f"{WEB}/src/app.ts",)),
)

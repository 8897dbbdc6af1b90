"""Worlds that ask where a project ends: worktrees, bare repositories, submodules, a repository within another."""

from .files import write_data
from .git import Repository
from .helpers import write_helper
from .places import PLACES, ROOT, WALKED
from .skills import plain, slug
from .tree import Tree
from .world import World

NAMES = (
    *("AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "QWEN.md"),
    *(".claude/rules/plain.md", ".qwen/rules/qwen.md", ".kilo/rules/kilo.md", ".continue/rules/continue.md"),
    *(".github/copilot-instructions.md", ".github/instructions/bare.instructions.md", ".clinerules/cline.md"),
    *(".factory/AGENTS.md", ".augment/rules/augment.md", ".openhands/microagents/repo.md", ".pi/APPEND_SYSTEM.md"),
)
HELPERS = (
    *(".claude/agents/{}.md", ".github/agents/{}.agent.md", ".gemini/agents/{}.md", ".qwen/agents/{}.md"),
    *(".opencode/agent/{}.md", ".kilo/agent/{}.md", ".factory/droids/{}.md", ".claude/commands/{}.md"),
)
SKILLS = (".agents/skills", ".claude/skills")
MID1, MID2, SIB = PLACES["mid1"], PLACES["mid2"], PLACES["sib"]
INSIDE = ".claude/worktrees/one"
"""Where Claude Code makes its own worktrees, below the root."""


def everything(tree: Tree) -> None:
    """Instructions, a rule, skills, sub-agents and commands in every folder."""
    write_data(tree)
    for place in (*WALKED, "child", "sib"):
        _fill(tree, place)


def in_claude(tree: Tree) -> None:
    """The same, and in a worktree where Claude Code keeps its own; data to read in it and in a folder beside."""
    everything(tree)
    _fill(tree, "root", f"{INSIDE}/")
    for place, name in (("root", f"{INSIDE}/data.txt"), ("mid1", "data.txt")):
        tree.text(place, name, "plain data\n")


def _fill(tree: Tree, place: str, inner: str = "") -> None:
    tree.everywhere((f"{inner}{name}" for name in NAMES), [place])
    for folder in SKILLS:
        plain(tree, place, f"{inner}{folder}", f"sk-{place}-{slug(inner + folder)}")
    for pattern in HELPERS:
        write_helper(tree, place, "helper", f"{inner}{pattern}")


def agents_md(tree: Tree) -> None:
    """AGENTS.md in every folder, and nothing else."""
    write_data(tree)
    tree.everywhere(["AGENTS.md"], [*WALKED, "child", "sib"])


def outer_claude(tree: Tree) -> None:
    """CLAUDE.md in the checkout alone, AGENTS.md in the worktree."""
    write_data(tree)
    tree.everywhere(["CLAUDE.md", ".claude/CLAUDE.md"], ["root", "mid1"])
    tree.everywhere(["AGENTS.md"], ["mid2", "cwd"])


def outer_alone(tree: Tree) -> None:
    """Files in the checkout, none in the worktree."""
    write_data(tree)
    _fill(tree, "root")


WORKTREE = (Repository("worktree", MID2, ROOT),)
CLAUDE = Repository("worktree", f"{ROOT}/{INSIDE}", ROOT)
SUBMODULES = (Repository("submodule", MID1, ROOT), Repository("submodule", MID2, MID1))
OUTSIDE = (Repository("plain", "w/above/main"), Repository("worktree", ROOT, "w/above/main"))
BARE = (Repository("bare", ROOT), Repository("worktree", MID1, ROOT))
HIDDEN = (Repository("bare", f"{ROOT}/.bare"), Repository("worktree", MID1, f"{ROOT}/.bare"))
ACROSS = (SUBMODULES[0], Repository("plain", SIB), CLAUDE)
READS = tuple(f"{path}/data.txt" for path in (MID1, SIB, f"{ROOT}/{INSIDE}"))

WORLDS = (
    World("worktree-claude", "What counts in .claude/worktrees?", in_claude, CLAUDE.path, repositories=(CLAUDE,)),
    World("worktree-inside", "And in one elsewhere in its checkout?", everything, repositories=WORKTREE),
    World("worktree-agents-md", "And where there is only AGENTS.md?", agents_md, repositories=WORKTREE),
    World("worktree-outer-claude", "Does the checkout's CLAUDE.md count there?", outer_claude, repositories=WORKTREE),
    World("worktree-outer-alone", "And where the worktree has no files?", outer_alone, MID2, repositories=WORKTREE),
    World("worktree-outside", "And in one outside its checkout?", everything, git=False, repositories=OUTSIDE),
    World("bare-worktree", "And in one within a bare repository?", everything, git=False, repositories=BARE),
    World("bare-hidden", "And in one beside a bare repository?", everything, git=False, repositories=HIDDEN),
    World("submodule", "Where does a submodule end?", everything, repositories=SUBMODULES[:1]),
    World("submodule-inner", "And a submodule in a submodule?", everything, repositories=SUBMODULES),
    World("repository-inner", "And a repository in another?", everything, repositories=(Repository("plain", MID1),)),
    World(
        "touching-repositories",
        "What does a read in a submodule, in a repository within this one, in a worktree add?",
        in_claude,
        ROOT,
        reads=READS,
        repositories=ACROSS,
    ),
)

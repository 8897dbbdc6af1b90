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
PLAIN = "trees/two"
"""A worktree like any other, below the root."""
BESIDE = "main"
"""A checkout beside the root."""
INSIDE = ".claude/worktrees/one"
"""Where Claude Code makes its own worktrees, below the root."""


def everything(tree: Tree) -> None:
    """Instructions, a rule, skills, sub-agents and commands in every folder."""
    write_data(tree)
    for place in (*WALKED, "child", "sib"):
        _fill(tree, place)


def in_claude(tree: Tree) -> None:
    """The same, and in a worktree where Claude Code keeps its own."""
    everything(tree)
    _fill(tree, "root", f"{INSIDE}/")


def across(tree: Tree) -> None:
    """The same, with a worktree under a plain name too, and data to read in each."""
    in_claude(tree)
    _fill(tree, "root", f"{PLAIN}/")
    for place, name in (("root", f"{INSIDE}/data.txt"), ("root", f"{PLAIN}/data.txt"), ("mid1", "data.txt")):
        tree.text(place, name, "plain data\n")


def _fill(tree: Tree, place: str, inner: str = "") -> None:
    tree.everywhere((f"{inner}{name}" for name in NAMES), [place])
    for folder in SKILLS:
        plain(tree, place, f"{inner}{folder}", f"sk-{place}-{slug(inner + folder)}")
    for pattern in HELPERS:
        write_helper(tree, place, "helper", f"{inner}{pattern}")


def with_main(tree: Tree) -> None:
    """The same, and in a checkout beside it."""
    everything(tree)
    _fill(tree, "above", f"{BESIDE}/")


def main_alone(tree: Tree) -> None:
    """Files in a checkout beside the worktree, and in the worktree only where the agent starts."""
    write_data(tree)
    _fill(tree, "above", f"{BESIDE}/")
    _fill(tree, "cwd")


def agents_md(tree: Tree) -> None:
    """AGENTS.md in every folder, and nothing else."""
    write_data(tree)
    tree.everywhere(["AGENTS.md"], [*WALKED, "child", "sib"])


def outer_claude(tree: Tree) -> None:
    """CLAUDE.md in the checkout alone, AGENTS.md in the worktree."""
    write_data(tree)
    tree.everywhere(["CLAUDE.md", ".claude/CLAUDE.md"], ["root", "mid1"])
    tree.everywhere(["AGENTS.md"], ["mid2", "cwd"])


def outer_local(tree: Tree) -> None:
    """CLAUDE.local.md in the checkout alone, AGENTS.md in both."""
    write_data(tree)
    tree.everywhere(["CLAUDE.local.md", "AGENTS.md"], ["root"])
    tree.everywhere(["AGENTS.md"], ["mid2", "cwd"])


def outer_alone(tree: Tree) -> None:
    """Files in the checkout, none in the worktree."""
    write_data(tree)
    _fill(tree, "root")


WORKTREE = (Repository("worktree", MID2, ROOT),)
CLAUDE = Repository("worktree", f"{ROOT}/{INSIDE}", ROOT)
SUBMODULES = (Repository("submodule", MID1, ROOT), Repository("submodule", MID2, MID1))
OUTSIDE = (Repository("plain", f"w/above/{BESIDE}"), Repository("worktree", ROOT, f"w/above/{BESIDE}"))
BARE = (Repository("bare", ROOT), Repository("worktree", MID1, ROOT))
HIDDEN = (Repository("bare", f"{ROOT}/.bare"), Repository("worktree", MID1, f"{ROOT}/.bare"))
ACROSS = (SUBMODULES[0], Repository("plain", SIB), CLAUDE, Repository("worktree", f"{ROOT}/{PLAIN}", ROOT))
READS = tuple(f"{path}/data.txt" for path in (MID1, SIB, CLAUDE.path, f"{ROOT}/{PLAIN}"))

WORLDS = (
    World("worktree-claude", "What counts in .claude/worktrees?", in_claude, CLAUDE.path, repositories=(CLAUDE,)),
    World("worktree-inside", "And in one elsewhere in its checkout?", everything, repositories=WORKTREE),
    World("worktree-agents-md", "And where there is only AGENTS.md?", agents_md, repositories=WORKTREE),
    World("worktree-outer-claude", "Does the checkout's CLAUDE.md count there?", outer_claude, repositories=WORKTREE),
    World("worktree-outer-local", "Does its CLAUDE.local.md?", outer_local, repositories=WORKTREE),
    World("worktree-outer-alone", "And where the worktree has no files?", outer_alone, MID2, repositories=WORKTREE),
    World("worktree-outside", "And in one outside its checkout?", with_main, git=False, repositories=OUTSIDE),
    World("worktree-outside-alone", "And where that has no files?", main_alone, git=False, repositories=OUTSIDE),
    World("bare-worktree", "And in one within a bare repository?", everything, git=False, repositories=BARE),
    World("bare-hidden", "And in one beside a bare repository?", everything, git=False, repositories=HIDDEN),
    World("submodule", "Where does a submodule end?", everything, repositories=SUBMODULES[:1]),
    World("submodule-inner", "And a submodule in a submodule?", everything, repositories=SUBMODULES),
    World("repository-inner", "And a repository in another?", everything, repositories=(Repository("plain", MID1),)),
    World(
        "touching-repositories",
        "What does a read in a submodule, in a repository within this one, in a worktree add?",
        across,
        ROOT,
        reads=READS,
        repositories=ACROSS,
    ),
)

"""Worlds that ask which of several names wins, and what of empty, linked and oddly spelled files becomes."""

from collections.abc import Mapping

from .files import write_data
from .names import HOME_MAIN, MAIN, RULE_OF_EACH
from .places import ROOT
from .tree import Tree, mark
from .world import World

AGENTS, CLAUDE = "AGENTS.md", "CLAUDE.md"


def mix(name: str, question: str, files: Mapping[str, tuple[str, ...]], **empty: str) -> World:
    """A world of small files; `empty` gives a place one CLAUDE.md that says nothing."""

    def build(tree: Tree) -> None:
        write_data(tree)
        for place, names in files.items():
            tree.everywhere(names, [place])
        for place, text in empty.items():
            tree.text(place, CLAUDE, text)

    return World(name, question, build)


def empty(tree: Tree) -> None:
    """AGENTS.md without a word at the root and with white space where the agent starts, others beside it."""
    write_data(tree)
    tree.everywhere([*MAIN[1:], *RULE_OF_EACH], ["root", "cwd"])
    tree.text("root", AGENTS, "")
    tree.text("cwd", AGENTS, "  \n\n")


def all_empty(tree: Tree) -> None:
    """Every main file without a word."""
    write_data(tree)
    for name in MAIN:
        tree.text("root", name, "")


def letter_case(tree: Tree) -> None:
    """Another spelling in each folder."""
    write_data(tree)
    tree.everywhere(["agents.md", "claude.md", "gemini.md", "qwen.md"], ["root"])
    tree.everywhere(["Agents.md", "Claude.md", "Gemini.md", "Qwen.md"], ["mid1"])
    tree.everywhere(["AGENTS.MD", "CLAUDE.MD", "GEMINI.MD", "QWEN.MD"], ["mid2"])
    tree.everywhere(["agents.md", "claude.md", "gemini.md", "qwen.md"], ["cwd"])


def links(tree: Tree) -> None:
    """Every name a link: at the root to AGENTS.md beside it, where the agent starts to a file above the root."""
    write_data(tree)
    tree.small("root", AGENTS)
    for name in MAIN[1:]:
        tree.link("root", name, "../" * name.count("/") + AGENTS)
    tree.small("above", "outside.md")
    for name in MAIN[:4]:
        tree.link("cwd", name, "../../../../outside.md")


def linked_again(tree: Tree) -> None:
    """In each folder below the root AGENTS.md is a link to the root's, beside names that come after it."""
    write_data(tree)
    tree.small("root", AGENTS)
    tree.link("mid1", AGENTS, "../AGENTS.md")
    tree.link("cwd", AGENTS, "../../../AGENTS.md")
    tree.everywhere(MAIN[1:4], ["mid1", "mid2", "cwd"])


def equal_bytes(tree: Tree) -> None:
    """One text under every name; its marks are those of AGENTS.md."""
    write_data(tree)
    for name in MAIN:
        tree.text("root", name, "".join(f"{mark('root', AGENTS, line)} the same text\n" for line in (1, 2, 3)))


def linked_folder(tree: Tree) -> None:
    """A folder of rules that is a link to one elsewhere in the repository."""
    write_data(tree)
    tree.small("root", "shared/shared.md")
    for name in (".claude/rules", ".clinerules", ".continue/rules", ".kilo/rules", ".qwen/rules"):
        tree.link("root", name, "../" * name.count("/") + "shared")


def home_only(tree: Tree) -> None:
    """Files at home, none in the repository."""
    write_data(tree)
    tree.everywhere(HOME_MAIN, ["home"])


WORLDS = (
    mix(
        "mix",
        "Which name wins, folder by folder?",
        {"above": (AGENTS,), "root": (AGENTS,), "mid1": (CLAUDE,), "mid2": (AGENTS, CLAUDE), "cwd": (AGENTS,)},
    ),
    mix(
        "claude-at-root",
        "Does a CLAUDE.md at the root hide AGENTS.md below it?",
        {"root": (CLAUDE,), "cwd": (AGENTS,), "child": (AGENTS,)},
    ),
    mix(
        "claude-above",
        "Does a CLAUDE.md above the root hide AGENTS.md?",
        {"above": (CLAUDE,), "root": (AGENTS,), "cwd": (AGENTS,)},
    ),
    mix("claude-in-cwd", "Does a CLAUDE.md below hide AGENTS.md above it?", {"root": (AGENTS,), "cwd": (CLAUDE,)}),
    mix(
        "claude-local",
        "Does CLAUDE.local.md hide AGENTS.md?",
        {"root": (AGENTS,), "mid1": ("CLAUDE.local.md",), "cwd": (AGENTS,)},
    ),
    mix(
        "claude-folder",
        "Does .claude/CLAUDE.md hide AGENTS.md?",
        {"root": (AGENTS,), "mid1": (".claude/CLAUDE.md",), "cwd": (AGENTS,)},
    ),
    mix(
        "claude-rules",
        "Does a rule in .claude/rules hide AGENTS.md?",
        {"root": (AGENTS,), "mid1": (".claude/rules/rule.md",), "cwd": (AGENTS,)},
    ),
    mix(
        "claude-empty",
        "Does an empty CLAUDE.md hide AGENTS.md?",
        {"root": (AGENTS,), "cwd": (AGENTS,), "home": (".claude/CLAUDE.md",)},
        root="",
        cwd=" \n",
    ),
    mix(
        "override",
        "What does AGENTS.override.md replace?",
        {
            "root": (AGENTS, "AGENTS.override.md"),
            "mid1": ("AGENTS.override.md",),
            "mid2": (CLAUDE, "AGENTS.override.md"),
            "cwd": (AGENTS,),
            "home": tuple(
                f"{where}/{name}" for where in (".codex", ".pi/agent") for name in (AGENTS, "AGENTS.override.md")
            ),
        },
    ),
    World("empty", "Does an empty AGENTS.md count as there?", empty),
    World("all-empty", "Does an empty file leave a trace?", all_empty, cwd=ROOT),
    World("letter-case", "Do other spellings of a name count?", letter_case),
    World("links", "Are links followed, also out of the repository?", links),
    World("linked-again", "Does a link to a file that is read already hide the next name?", linked_again),
    World("equal-bytes", "Is one text under two names sent twice?", equal_bytes, cwd=ROOT),
    World("linked-folder", "Is a linked folder of rules read?", linked_folder, cwd=ROOT),
    World("home-only", "Which files at home are read?", home_only),
)

"""Worlds that ask which sub-agents and commands are told to the model."""

from .files import write_data
from .places import WALKED
from .tree import Tree
from .world import World

SUB_AGENTS = (
    *(".claude/agents/{}.md", ".agents/agents/{}.md", ".codex/agents/{}.md", ".github/agents/{}.agent.md"),
    *(".gemini/agents/{}.md", ".qwen/agents/{}.md", ".opencode/agent/{}.md", ".opencode/agents/{}.md"),
    *(".kilo/agent/{}.md", ".kilo/agents/{}.md", ".factory/droids/{}.md", ".pi/agents/{}.md", ".cursor/agents/{}.md"),
    *(".kimi-code/agents/{}.md", ".cline/agents/{}.md", ".openhands/agents/{}.md", ".vibe/agents/{}.md"),
)
HOME_SUB_AGENTS = (".config/opencode/agent/{}.md", ".copilot/agents/{}.agent.md", ".config/kilo/agent/{}.md")

COMMANDS = (
    *(".claude/commands/{}.md", ".codex/prompts/{}.md", ".github/prompts/{}.prompt.md", ".opencode/command/{}.md"),
    *(".opencode/commands/{}.md", ".qwen/commands/{}.md", ".clinerules/workflows/{}.md", ".pi/prompts/{}.md"),
    *(".factory/commands/{}.md", ".agents/commands/{}.md", ".kilocode/workflows/{}.md", ".kilo/command/{}.md"),
)


def write_helper(tree: Tree, place: str, kind: str, pattern: str) -> None:
    """A sub-agent or command; its description and its body carry marks."""
    owner = pattern.rpartition("/")[0].strip(".").replace("/", "-").replace(".", "")
    name = f"{kind}-{place}-{owner}"
    front = ["---", f"name: {name}", "description: {mark} for work in the laboratory", "---", ""]
    tree.lines(place, pattern.format(name), [*front, "{mark} body"])


def helpers(tree: Tree) -> None:
    """A sub-agent and a command in each folder for them, at the root, where the agent starts, and at home."""
    write_data(tree)
    for place in ("root", "cwd", "home"):
        for pattern in (*SUB_AGENTS, *(HOME_SUB_AGENTS if place == "home" else ())):
            write_helper(tree, place, "agent", pattern)
        for pattern in COMMANDS:
            write_helper(tree, place, "command", pattern)


def on_the_way(tree: Tree) -> None:
    """One in each folder from above the root down to where the agent starts."""
    write_data(tree)
    for place in WALKED:
        for pattern in SUB_AGENTS:
            write_helper(tree, place, "agent", pattern)
        for pattern in COMMANDS:
            write_helper(tree, place, "command", pattern)


def like_skills(tree: Tree) -> None:
    """Commands with the names of skills: of the folder, of the frontmatter, of a hidden one, of one at home."""
    write_data(tree)
    both = (".claude/skills", ".claude/commands")
    for name, front in (("twin", ""), ("by-folder", "by-front"), ("quiet", ""), ("alone", "")):
        hidden = ["disable-model-invocation: true"] if name == "quiet" else []
        head = ["---", f"name: {front or name}", "description: {mark} a skill", *hidden, "---", ""]
        tree.lines("root", f"{both[0]}/{name}/SKILL.md", [*head, "{mark} body"])
    for folder in (".claude/skills", ".copilot/skills"):
        head = ["---", "name: from-home", "description: {mark} a skill at home", "---", ""]
        tree.lines("home", f"{folder}/from-home/SKILL.md", [*head, "{mark} body"])
    for name in ("twin", "by-folder", "by-front", "quiet", "from-home", "other"):
        head = ["---", "description: {mark} a command", "---", ""]
        tree.lines("root", f"{both[1]}/{name}.md", [*head, "{mark} body"])


LONG = [
    "# Heading",
    "",
    "{mark} one",
    "{mark} two",
    "",
    "## Another",
    "",
    "{mark} three",
    "",
    "{mark} four",
    "{mark} five",
]


def undescribed(tree: Tree) -> None:
    """A command and a skill without a description, and with a long text."""
    write_data(tree)
    tree.lines("root", ".claude/commands/long-command.md", LONG)
    tree.lines("root", ".claude/skills/long-skill/SKILL.md", ["---", "name: long-skill", "---", *LONG])


WORLDS = (
    World("helpers-like-skills", "Is a command told that has the name of a skill?", like_skills),
    World("helpers-undescribed", "How much is told of a text that stands for a description?", undescribed),
    World("helpers", "Which sub-agents and commands are told?", helpers),
    World("helpers-no-git", "And where there is no repository?", on_the_way, git=False),
)

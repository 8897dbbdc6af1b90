"""Factory's droid: CLAUDE.md and AGENTS.md of every folder, nearest first, 80,000 characters of them together."""

from .kit import *

FACTS = AgentFacts(
    title="Factory droid", version="0.215.0", checked=date(2026, 11, 16), known="run", evidence="Seen in runs.",
    own=OwnPrompt(characters=4084, tools=7, tool_characters=24085, messages=8008),
    signs=Signs(project=(".factory",), home=(".factory",), programs=("droid",)),
    owns={".factory": "Factory droid", ".agent": "Factory droid", ".agents/CLAUDE.md": "Factory droid"},
    notes=(
        "Its documentation says that the first file wins, but the program sends all of them.",
        "It is unknown whether DESIGN.md counts towards the 80,000 characters.",
    ),
)  # fmt: skip

PROGRAM = {"ways": ("proxy",)}
FOLDERS = {"folder": (".factory",)}

OWN_NAMES = ("CLAUDE.md|Claude.md", "AGENTS.md|Agents.md|agents.md")
NAMES = (*OWN_NAMES, ".factory/CLAUDE.md|.factory/Claude.md",
    ".factory/AGENTS.md|.factory/Agents.md|.factory/agents.md", ".agents/CLAUDE.md|.agents/Claude.md",
    ".agents/AGENTS.md|.agents/Agents.md|.agents/agents.md", ".agent/CLAUDE.md|.agent/Claude.md",
    ".agent/AGENTS.md|.agent/Agents.md|.agent/agents.md")  # fmt: skip
PROJECT = Step("project", NAMES, links="never", blank="keep",
    remark="A symlinked file is skipped, and an empty one leaves an empty frame.")  # fmt: skip
DESIGN = Step("design", ("DESIGN.md|Design.md|design.md",), links="never", blank="keep")
USER = Step("user", OWN_NAMES, "home", ("{folder}", ".agents", ".agent"), links="never", blank="keep")
USER_DESIGN = Step("user-design", DESIGN.names, "home", ("{folder}",), links="never", blank="keep")
NESTED = Step("nested", NAMES, "later", links="never", remark="Also for a file beside the working directory.")
AGENTS = Step("agents", (".factory/droids/*.md", "~/{folder}/droids/*.md"), kind="agent", tells="description")
LIMIT = FileLimit("guidelines", of=("project", "user"), most=80000, frames=41, kept=59,
    says="... [truncated - guidelines exceed 80000 character limit]")  # fmt: skip
CONFIG = Settings(("~/{folder}/settings.json", ".factory/settings.json"), unmodelled=("enabledPlugins",))
VARIABLES = ("FACTORY_APPEND_SYSTEM_PROMPT",)
SKILLS = Skills(project=(".factory/skills", ".agents/skills", ".agent/skills"),
    home=("{folder}/skills", ".agents/skills", ".agent/skills"), depth=8, dotted=True,
    needs=("frontmatter", "name", "description", "lower-case-name"),
    menu=SkillMenu(most=10000, bare="{{ name }}", counts="names", entry=1024, mark="…", over="names",
        remark="About 10,000 characters, as seen in three runs; over it, only names."),
    later=True)  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """All names of each folder, nearest first, then those under home; and of folders on the way to a file."""
    yield from look.each(PROJECT, look.walk[::-1])
    yield from look.each(DESIGN, look.walk[::-1])
    yield from look.each(USER)
    yield from look.each(USER_DESIGN)
    yield from look.each(NESTED, look.beside())


def agents(look: Look) -> Iterator[Found]:
    """Droids, which are its sub-agents: those of the project, nearest first, then those under home."""
    for name in AGENTS.names:
        yield from look.each(AGENTS, look.walk[::-1], [name])


def skills(look: Look) -> list[Skill]:
    """Those of the project's folders, nearest first, then those under home and below; listed as they are found."""
    folders, own = list_places(look, look.upward[::-1], SKILLS.project), list_places(look, [look.home], SKILLS.home)
    below = list_places(look, look.below(), SKILLS.project)
    return pick(look, SKILLS, search(look, SKILLS, [*folders, *own, *below], sort=in_order_of_path))


DESIGN_FRAME = "% cat {{ path }}\n<design_guidelines>\n{{ text }}\n</design_guidelines>"
SECTIONS = (
    AgentSection("skills", place="user", menu="{{ name }}: {{ description }}", opens="<system-reminder>\n",
        closes="\n</system-reminder>"),
    AgentSection("sub-agents", place="user", files=("agents",), each="- {{ name }}: {{ description }}", between="\n"),
    AgentSection("instructions", place="user", files=("project", "design", "user", "user-design"),
        opens="<system-reminder>\n",
        each={"": "% cat {{ path }}\n<coding_guidelines>\n{{ text }}\n</coding_guidelines>", "design": DESIGN_FRAME,
            "user-design": DESIGN_FRAME},
        closes="\n</system-reminder>"),
    AgentSection("added", place="user", files=("nested",), opens="<system-reminder>\n",
        each="## {{ path }}\n<coding_guidelines>\n{{ text }}\n</coding_guidelines>", closes="\n</system-reminder>"),
)  # fmt: skip

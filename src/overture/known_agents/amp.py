"""Amp: AGENTS.md, else CLAUDE.md, in the working directory and every folder above it."""

from .kit import *

FACTS = AgentFacts(
    title="Amp", version="bundle of 2026-05-04, names compared with that of 2026-07-15", checked=date(2026, 7, 15),
    known="code", evidence="Known from its published bundle.",
    signs=Signs(project=(".amp",), home=(".config/amp",), programs=("amp",)), owns={"AGENT.md": "Amp"},
    notes=(
        "Later releases do not show their prompts and were not examined.",
        "It skips `/`, `/home` and `/Users` themselves.",
        "It also loads a file for the whole machine, before all others; the path of that file is unknown.",
        "An `@path` may contain patterns for up to 1,000 files; here it names one file.",
        "An imported file with `globs` in its frontmatter is loaded once a matching file has been read.",
        "The setting `amp.skills.disableClaudeCodeSkills` excludes .claude/skills; ~/.claude/skills comes after the project's.",
    ),
)  # fmt: skip

PROGRAM = {"ways": ("proxy",)}

NAMES = ("AGENTS.md", "Agents.md", "agents.md", "AGENT.md", "Agent.md", "agent.md", "CLAUDE.md")
IMPORTS = Imports(depth=64, place="after", within="anywhere", home=True)
STRIPPED: Stripped = ("frontmatter",)
USER = Step("user", NAMES, "home", (".config/amp", ".config"), imports=IMPORTS, strip=STRIPPED)
PROJECT = Step("project", NAMES, imports=IMPORTS, strip=STRIPPED, remark="It also searches above the repository.")
NESTED = Step("nested", NAMES, "later", imports=IMPORTS, strip=STRIPPED)
CONFIG = Settings(("~/.config/amp/settings.json", ".amp/settings.json"),
    unmodelled=('"amp.skills.path"', '"amp.skills.disableClaudeCodeSkills"'))  # fmt: skip
VARIABLES = ("AMP_SETTINGS_FILE",)
SKILLS = Skills(needs_known=False, project=(".agents/skills", ".claude/skills"),
    home=(".config/agents/skills", ".config/amp/skills", ".claude/skills"),
    needs=("frontmatter", "yaml", "description"))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """One file of the user, one of each folder from the working directory up, and later of folders that it works in."""
    yield from look.first(look.spots(USER))
    yield from look.first(look.spots(PROJECT, look.above[::-1]))
    yield from look.first(look.spots(NESTED, look.below()))


def skills(look: Look) -> list[Skill]:
    """Those under home, then those of each folder from the nearest up, of which the first of a name wins; by name."""
    return by_name(list_skills(look, SKILLS, look.upward[::-1], home_first=True))


FRAME = "Contents of {{ path }}:\n\n<instructions>\n{{ text }}\n</instructions>"
SECTIONS = (
    AgentSection("instructions", files=("user", "project"), each=FRAME),
    AgentSection("skills", menu="- {{ name }}: {{ description }}"),
    AgentSection("added", place="user", files=("nested",), each=FRAME),
)  # fmt: skip

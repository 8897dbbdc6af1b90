"""JetBrains' Junie: one guidelines file of the project, and one under home."""

from .kit import *

FACTS = AgentFacts(
    title="Junie", version="documentation of 2026, read by others", checked=date(2026, 11, 15), known="reported",
    evidence="Known from what others report of its documentation.",
    signs=Signs(project=(".junie",), home=(".junie",), programs=("junie",)),
    notes=(
        "The frame of the files is unknown, except that it marks user and project files.",
        "The IDE setting `Guidelines path` sets another name; it is not followed here.",
        "Older vendor pages name .junie/guidelines.md as the only file that is loaded without a setting.",
    ),
)  # fmt: skip

PROJECT = Step("project", (".junie/AGENTS.md", "AGENTS.md", ".junie/guidelines.md", ".junie/guidelines/*.md"),
    remark="It loads one file: an AGENTS.md hides .junie/guidelines.md.")  # fmt: skip
USER = Step("user", ("AGENTS.md",), "home", (".junie",))
VARIABLES = ("JUNIE_GUIDELINES_FILENAME",)
SKILLS = Skills(needs_known=False, project=(".junie/skills", ".agents/skills"), home=(".junie/skills",),
    needs=("frontmatter", "yaml", "description"))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """The first of its names at the project's top, then the user's own file."""
    yield from look.first(look.spots(PROJECT, [look.project]))
    yield from look.each(USER)


def skills(look: Look) -> list[Skill]:
    """Those at the project's top, then those under home, by name; of two with one name the first."""
    return by_name(list_skills(look, SKILLS, [look.project]))


SECTIONS = (
    AgentSection("instructions", files=("project", "user"), each="{{ path }}\n\n{{ text }}"),
    AgentSection("skills", menu="- {{ name }}: {{ description }}"),
)  # fmt: skip

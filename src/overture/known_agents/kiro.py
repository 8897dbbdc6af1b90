"""Kiro: steering files of home and of the project, and AGENTS.md."""

from .kit import *

FACTS = AgentFacts(
    title="Kiro", version="documentation of 2026", checked=date(2026, 11, 15), known="docs",
    evidence="Known from its documentation.",
    signs=Signs(project=(".kiro", ".kiroignore"), home=(".kiro",), programs=("kiro", "kiro-cli")),
    notes=(
        "It works in the opened folder; here that is the repository's root.",
        "The order of the files and their frame are unknown; if they contradict each other, the project's file wins over the user's.",
        "A steering file may refer to other files; how they are loaded is unknown, and they are not followed here.",
        "Users report that a steering file under home with `inclusion: fileMatch` is never loaded.",
    ),
)  # fmt: skip

WHEN = RuleConditions(always=("inclusion=always",), globs=("fileMatchPattern",), model=("inclusion=auto",),
    manual=("inclusion=manual",))  # fmt: skip
STRIPPED: Stripped = ("frontmatter",)
USER = Step("user", ("AGENTS.md", "*.md"), "home", (".kiro/steering",), conditions=WHEN, strip=STRIPPED)
PROJECT = Step("project", (".kiro/steering/*.md",), conditions=WHEN, strip=STRIPPED)
AGENTS = Step("agents", ("AGENTS.md",), remark="It is always loaded: `inclusion` has no effect in it.")
SKILLS = Skills(needs_known=False, project=(".kiro/skills",), home=(".kiro/skills",),
    needs=("frontmatter", "yaml", "description"))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """Steering files under home, then those at the project's top, then its AGENTS.md."""
    yield from look.each(USER)
    yield from look.each(PROJECT, [look.project])
    yield from look.each(AGENTS, [look.project])


def skills(look: Look) -> list[Skill]:
    """Those at the project's top, then those under home, by name; of two with one name the first."""
    return by_name(list_skills(look, SKILLS, [look.project]))


SECTIONS = (
    AgentSection("instructions", files=("user", "project", "agents"), each="{{ path }}\n\n{{ text }}"),
    AgentSection("skills", menu="- {{ name }}: {{ description }}"),
)  # fmt: skip

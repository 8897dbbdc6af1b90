"""Google's Antigravity: GEMINI.md, AGENTS.md and rules with triggers."""

from .kit import *

FACTS = AgentFacts(
    title="Antigravity", version="documentation of 2026, read by others", checked=date(2026, 11, 15), known="reported",
    evidence="Known from what others report of its documentation.",
    signs=Signs(project=(".agents/rules", ".agent"),
        home=(".antigravity", ".gemini/antigravity", ".gemini/antigravity-cli"), programs=("antigravity", "agy")),
    notes=(
        "It works in the opened folder; here that is the repository's root.",
        "The order of the files, their frame, and what happens over the limit are unknown.",
        "The meaning of a rule without frontmatter is unknown; here it is always loaded.",
        "A rule may name files with `@file`; how they are loaded is unknown, and they are not followed here.",
        "The IDE looks for skills in ~/.gemini/config/skills, the CLI in ~/.gemini/antigravity-cli/skills.",
        "It reads AGENTS.md since version 1.20.3 of the IDE.",
    ),
)  # fmt: skip

# Its calls of a model go by this variable alone, not by a proxy. It was not run here: that is taken from claude-tap
# 0.1.146, which taps it.
PROGRAM = {
    "name": "antigravity", "names": ("agy",), "provider": "gemini", "ways": ("base", "proxy"),
    "set": {"CLOUD_CODE_URL": "$GEMINI"}, "upstreams": {"gemini": "https://daily-cloudcode-pa.googleapis.com"},
}  # fmt: skip

USER = Step("user", ("GEMINI.md",), "home", (".gemini",), remark="Gemini CLI reads the same file.")
PROJECT = Step("project", ("GEMINI.md", "AGENTS.md"))
RULES = Step("rules", (".agents/rules/*.md", ".agent/rules/*.md"),
    conditions=RuleConditions(always=("trigger=always_on",), globs=("globs",), model=("trigger=model_decision",),
        manual=("trigger=manual",)),
    strip=("frontmatter",))  # fmt: skip
LIMIT = FileLimit("rule", of=("rules",), most=12000, over="file")
SKILLS = Skills(needs_known=False, project=(".agents/skills", ".agent/skills"),
    home=(".gemini/config/skills", ".gemini/antigravity-cli/skills"),
    needs=("frontmatter", "yaml", "description"))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """The user's file, then the files and the rules of the repository's root."""
    yield from look.each(USER)
    for step in (PROJECT, RULES):
        yield from look.each(step, [look.project])


def skills(look: Look) -> list[Skill]:
    """Those of the repository's root, then those under home, of which the first of a name wins; by name."""
    return by_name(list_skills(look, SKILLS, [look.project]))


SECTIONS = (
    AgentSection("instructions", files=("user", "project", "rules"), each="{{ path }}\n\n{{ text }}"),
    AgentSection("skills", menu="- {{ name }}: {{ description }}"),
)  # fmt: skip

"""Devin Desktop, formerly Windsurf: rules with triggers, and AGENTS.md at the root and in folders below."""

from .kit import *

FACTS = AgentFacts(
    title="Devin Desktop", version="documentation of 2026", checked=date(2026, 11, 15), known="docs",
    evidence="Known from its documentation.",
    signs=Signs(project=(".devin", ".windsurf", ".windsurfrules"), home=(".codeium/windsurf", ".config/devin"),
        programs=("devin", "windsurf")),
    owns={".devin": "Devin", ".windsurf": "Windsurf", ".windsurfrules": "Windsurf"},
    also_called=("windsurf", "devin-desktop", "cascade"),
    notes=(
        "Windsurf has had this name since June 2026.",
        "The order of the files, their frame, and what happens over the limit are unknown; older pages name 6,000 characters per file and 12,000 together.",
        "The meaning of a rule without frontmatter is not documented; here it is always loaded.",
        "Its CLI also reads ~/.config/devin/AGENTS.md.",
        "It also looks for skills in .claude/skills if its user lets it read the configuration of Claude Code.",
    ),
)  # fmt: skip

RULE_NAMES = (".devin/rules/*.md", ".windsurf/rules/*.md")
BY_TRIGGER = RuleConditions(always=("trigger=always_on",), globs=("globs",), model=("trigger=model_decision",),
    manual=("trigger=manual",))  # fmt: skip
STRIPPED: Stripped = ("frontmatter",)
USER = Step("user", ("global_rules.md",), "home", (".codeium/windsurf/memories",))
RULES = Step("rules", RULE_NAMES, conditions=BY_TRIGGER, strip=STRIPPED)
AGENTS = Step("agents", ("AGENTS.md|agents.md",))
NESTED = Step("nested", AGENTS.names, "later", from_root=True,
    remark="It applies to the files of its folder, like a rule for `folder/**`.")  # fmt: skip
NESTED_RULES = Step("nested-rules", RULE_NAMES, "later", conditions=BY_TRIGGER, strip=STRIPPED)
LIMIT = FileLimit("rule", of=("rules", "nested-rules"), most=12000, over="file")
SKILLS = Skills(project=(".windsurf/skills", ".agents/skills"), home=(".codeium/windsurf/skills", ".agents/skills"),
    needs=("frontmatter", "name", "description"))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """The user's file, rules from the root down and AGENTS.md at the root; the same below, on the way to a file."""
    yield from look.each(USER)
    yield from look.each(RULES, look.walk)
    yield from look.each(AGENTS, [look.project])
    yield from look.each(NESTED, look.below(look.project))
    yield from look.each(NESTED_RULES, look.below())


def skills(look: Look) -> list[Skill]:
    """Those of the root, then those under home, which lose to one of the same name; listed by name."""
    return by_name(list_skills(look, SKILLS, [look.project]))


SECTIONS = (
    AgentSection("instructions", files=("user", "rules", "agents"), each="{{ path }}\n\n{{ text }}"),
    AgentSection("skills", menu="- {{ name }}: {{ description }}"),
    AgentSection("added", place="user", files=("nested", "nested-rules"), each="{{ path }}\n\n{{ text }}"),
)  # fmt: skip

"""Cursor: the rules in .cursor/rules, AGENTS.md at the root and in folders below."""

from .kit import *

FACTS = AgentFacts(
    title="Cursor", version="documentation of 2026", checked=date(2026, 11, 15), known="docs",
    evidence="Known from its documentation.",
    signs=Signs(project=(".cursor", ".cursorrules", ".cursorignore"), home=(".cursor",),
        programs=("cursor", "cursor-agent")),
    notes=(
        "It works in the opened folder; here that is the repository's root.",
        "Rules of the team and of the user are in its service and its settings, not in files. Team rules win over project rules, and those over user rules.",
        "The order of the files and their frame are unknown.",
        "A rule may name files with `@file`; how they are loaded is unknown, and they are not followed here.",
        "Rules do not apply to completions in the editor.",
    ),
)  # fmt: skip

# It speaks to servers of its own in a form of its own.
PROGRAM = {
    "name": "cursor", "names": ("cursor-agent",), "ways": ("proxy",),
    "notes": {"proxy": "requests to its own servers stay encrypted and are not recorded"},
}  # fmt: skip

RULE_NAMES = (".cursor/rules/**/*.mdc",)
BY_GLOBS = RuleConditions(globs=("globs",), always=("alwaysApply=true",), model=("description",), bare="manual",
    broken="lines")  # fmt: skip
STRIPPED: Stripped = ("frontmatter", "broken-frontmatter")
RULES = Step("rules", RULE_NAMES, conditions=BY_GLOBS, strip=STRIPPED,
    remark="Other files there, such as a plain .md file, are skipped.")  # fmt: skip
AGENTS = Step("agents", ("AGENTS.md",))
CLI = Step("cli", ("CLAUDE.md",), remark="Its CLI reads it; for the editor, that is not documented.")
OLD = Step("old", (".cursorrules",), remark="An older form that still works.")
NESTED = Step("nested", AGENTS.names, "later", from_root=True)
NESTED_RULES = Step("nested-rules", RULE_NAMES, "later", from_root=True, conditions=replace(BY_GLOBS, base="folder"),
    strip=STRIPPED, known="reported", remark="Only older pages mention rules in folders below.")  # fmt: skip
SKILL_FOLDERS = (".agents/skills", ".cursor/skills", ".claude/skills", ".codex/skills")
SKILLS = Skills(project=SKILL_FOLDERS, home=SKILL_FOLDERS, depth=6, needs=("frontmatter", "name", "description"),
    hidden_by=("disable-model-invocation", "paths"), later=True)  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """Rules and three names at the repository's root; rules and AGENTS.md of the folders on the way to a file."""
    for step in (RULES, AGENTS, CLI, OLD):
        yield from look.each(step, [look.project])
    for step in (NESTED, NESTED_RULES):
        yield from look.each(step, look.below(look.project))


def skills(look: Look) -> list[Skill]:
    """Those of the root, then those under home, then those below the working directory; listed by name."""
    own, below = list_places(look, [look.home], SKILLS.home), list_places(look, look.below(), SKILLS.project)
    places = [*list_places(look, [look.project], SKILLS.project), *own, *below]
    return by_name(pick(look, SKILLS, search(look, SKILLS, places)))


SECTIONS = (
    AgentSection("instructions", files=("rules", "agents", "cli", "old"), each="{{ path }}\n\n{{ text }}"),
    AgentSection("skills", menu="- {{ name }}: {{ description }}"),
    AgentSection("added", place="user", files=("nested", "nested-rules"), each="{{ path }}\n\n{{ text }}"),
)  # fmt: skip

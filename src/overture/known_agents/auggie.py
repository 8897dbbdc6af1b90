"""Augment's Auggie: guidelines, AGENTS.md, CLAUDE.md and rules of the repository's root."""

from .kit import *

FACTS = AgentFacts(
    title="Auggie", version="0.36.0", checked=date(2026, 11, 16), known="run",
    evidence="Seen in runs: the prompt itself is built elsewhere.", own=OwnPrompt(messages=28543),
    signs=Signs(project=(".augment", ".augment-guidelines"), home=(".augment",), programs=("auggie",)),
    owns={".augment": "Augment", ".augment-guidelines": "Augment"}, also_called=("augment",),
    notes=(
        "Its service builds the prompt. Only the upload was seen: one body, not split into system prompt and tools.",
        "The frame of the files is unknown: they are uploaded as JSON values, whose keys are shown here.",
    ),
)  # fmt: skip

STRIPPED: Stripped = ("frontmatter", "broken-frontmatter")
SPOILED: Flaws = ("bom", "blank-lines", "unended")
GUIDELINES = Step("guidelines", (".augment-guidelines",), links="never", strip=STRIPPED, spoiled_by=SPOILED,
    blank="keep")  # fmt: skip
PROJECT = Step("project", ("AGENTS.md", "CLAUDE.md"), links="never", strip=STRIPPED, spoiled_by=SPOILED, blank="keep")
RULES = Step("rules", (".augment/rules/**/*.md", ".augment/rules/**/*.mdc"), links="never", dotted="none",
    conditions=RuleConditions(manual=("type=manual",)), strip=STRIPPED, spoiled_by=SPOILED, blank="keep",
    remark="A rule of type agent_requested is uploaded whole, with its type; what the service does with it is unknown.")  # fmt: skip
USER = Step("user", ("rules/**/*.md", "rules/**/*.mdc"), "home", (".augment",), dotted="none", strip=STRIPPED,
    spoiled_by=SPOILED, blank="keep", remark="Rules under home are uploaded whatever their type.")  # fmt: skip
SKILL_FOLDERS = (".augment/skills", ".claude/skills", ".agents/skills")
SKILLS = Skills(project=SKILL_FOLDERS, home=SKILL_FOLDERS, depth=8, nested=True,
    needs=("frontmatter", "yaml", "name", "description", "lower-case-name", "keys-once"), spoiled_by=SPOILED,
    longest_name=64, longest=1024, hidden_by=("hidden=true",),
    menu=SkillMenu(remark="Every skill is uploaded whole; what the service does with them is unknown."))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """The guidelines, instruction files and rules of the repository's root, then the user's rules."""
    for step in (GUIDELINES, PROJECT, RULES):
        yield from look.each(step, [look.project])
    yield from look.each(USER)


def skills(look: Look) -> list[Skill]:
    """Of each folder of skills the one under home, then the repository's; in each by their paths.

    Of skills at the same place in such folders, and of those with the same name, it sees only the first.
    """
    levels = [look.home, look.project]
    places = [place for name in SKILL_FOLDERS for place in list_places(look, levels, [name])]
    return pick(look, SKILLS, search(look, SKILLS, places, sort=in_order_of_path, once_a_place=True))


SECTIONS = (
    AgentSection("instructions", files=("guidelines", "project", "rules", "user"),
        each={"guidelines": "workspace_guidelines\n{{ text }}",
            "project": "path\n{{ in_project }}\ncontent\n{{ text }}",
            "rules": "path\n{{ in_project }}\ncontent\n{{ text }}", "user": "path\n{{ path }}\ncontent\n{{ text }}"},
        between="\n"),
    AgentSection("skills", menu="- {{ name }}: {{ description }}"),
)  # fmt: skip

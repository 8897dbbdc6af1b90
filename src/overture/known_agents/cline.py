"""Cline: AGENTS.md and rules of the working directory and of home, sorted by the names of the rules."""

from .kit import *

FACTS = AgentFacts(
    title="Cline", version="3.0.65", checked=date(2026, 11, 16), known="run",
    evidence="Seen in runs of its CLI; places and order compared with the program.",
    own=OwnPrompt(characters=4282, tools=25, tool_characters=18113, messages=7),
    signs=Signs(project=(".clinerules", ".cline"), home=(".cline", "Documents/Cline"), programs=("cline",)),
    notes=(
        "Of rules with the same name the last place wins, so a rule under home hides the project's.",
        "`paths` in the frontmatter of a rule has no effect: the rule is always loaded. `disabled: true` disables it.",
        "A rule may set another name in its frontmatter; here it has the name of its file.",
        ".cursorrules and .windsurfrules are no longer loaded, and no files are loaded on demand.",
        "The extension for VS Code (4.1.13) has the same loader.",
    ),
)  # fmt: skip

PROGRAM = {"ways": ("proxy",)}
FOLDERS = {"folder": (".cline", "CLINE_DIR")}
RULES = Step("rules", ("AGENTS.md", ".clinerules", ".clinerules/*.md", ".clinerules/*.markdown", ".clinerules/*.txt",
        ".cline/rules/*.md", ".cline/rules/*.markdown", ".cline/rules/*.txt", "~/.agents/AGENTS.md",
        "~/{folder}/rules/*.md", "~/{folder}/rules/*.markdown", "~/{folder}/rules/*.txt", "~/Cline/Rules/*.md",
        "~/Cline/Rules/*.markdown", "~/Cline/Rules/*.txt", "~/Documents/Cline/Rules/*.md",
        "~/Documents/Cline/Rules/*.markdown", "~/Documents/Cline/Rules/*.txt"),
    called={"AGENTS.md": "Workspace AGENTS.md", "~/.agents/AGENTS.md": "Global AGENTS.md"},
    conditions=RuleConditions(never=("disabled=true", "enabled=false"), broken="never"), strip=("frontmatter",),
    remark="Only the working directory, not the root or the folders above.")  # fmt: skip
VARIABLES = ("CLINE_DATA_DIR",)
SKILLS = Skills(unordered="menu", project=(".clinerules/skills", ".cline/skills", ".agents/skills"),
    home=("{folder}/skills", ".agents/skills"), needs=("yaml", "words"), hidden_by=("disabled",),
    menu=SkillMenu(remark="Only names, never descriptions; no limit was seen."))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """The rules of the working directory and of home, sorted by name; of several with one name, only the last counts."""
    spots = look.spots(RULES, [look.cwd])
    last = {spot.called: spot for spot in spots}
    for spot in spots:
        if (winner := last[spot.called]) is not spot:
            look.hide(spot, because("hidden", winner.path, "later"))
    rules = sorted(last.items(), key=lambda rule: (rule[0].casefold(), rule[1].path))
    yield from look.read(spot for _, spot in rules)


def skills(look: Look) -> list[Skill]:
    """Those of the repository's root and then of home, in the order of the disk; of several with one name, the last."""
    return list_skills(look, SKILLS, [look.project], last=True)


SECTIONS = (
    AgentSection("skills", about="In the description of the tool `skills`.", menu="{{ name }}"),
    AgentSection("instructions", files=("rules",), opens="# Rules\n", each="## {{ name }}\n{{ text }}"),
)  # fmt: skip

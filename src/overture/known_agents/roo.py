"""Roo Code: rules of its mode, AGENTS.md and .roo/rules of the opened folder."""

import posixpath

from .kit import *

FACTS = AgentFacts(
    title="Roo Code", version="source of 2026-04-14 (3.52.1)", checked=date(2026, 4, 14), known="code",
    evidence="Known from its source.",
    signs=Signs(project=(".roo", ".roorules", ".roomodes", ".rooignore"), home=(".roo",)),
    owns={"AGENTS.local.md": "Roo Code"}, also_called=("roo-code", "roo-cline"),
    notes=(
        "Its vendor discontinued it in May 2026 with release 3.54.0.",
        "It works in the opened folder, here the working directory.",
        "A mode other than `code` loads the rules with its own name: `rules-architect`.",
        "With its setting `enableSubfolderRules`, folders below with a .roo are searched too; that setting can't be read from outside.",
        "Above the files of its rules folders it writes another line: `# Rules from rules-code directories:` or `# Rules from .roo directories:`.",
        "A symlinked rule has the name of its target.",
        "A skill that names other modes in `modeSlugs` or `mode` is not listed, which is not examined here.",
        "Its list of skills has those of .agents before those of .roo, and in each those under home first.",
        "A mode in .roomodes may add instructions of its own.",
        "Its commands in .roo/commands are for the user: the model does not get them.",
    ),
)  # fmt: skip
FOLDERS = {"mode": ("code",)}

BUT_NOT = ("*.DS_Store", "*.bak", "*.cache", "*.crdownload", "*.db", "*.dmp", "*.dump", "*.eslintcache", "*.lock",
    "*.log", "*.old", "*.part", "*.partial", "*.pyc", "*.pyo", "*.stackdump", "*.swo", "*.swp", "*.temp", "*.tmp")  # fmt: skip
MODE_RULES = Step("mode-rules", (".roo/rules-{mode}/**/*",), but_not=BUT_NOT, at_home=("",), blank="keep",
    same_file="each")  # fmt: skip
OLD_MODE_RULES = Step("old-mode-rules", (".roorules-{mode}", ".clinerules-{mode}"), but_not=BUT_NOT)
IGNORED = Step("ignored", (".rooignore",), kind="settings",
    remark="It is sent unchanged, so the model knows which files it cannot open.")  # fmt: skip
AGENTS = Step("agents", ("AGENTS.md", "AGENT.md"), same_file="each")
LOCAL = Step("local", ("AGENTS.local.md",), same_file="each")
RULES = Step("rules", (".roo/rules/**/*",), but_not=BUT_NOT, at_home=("",), blank="keep", same_file="each")
OLD_RULES = Step("old-rules", (".roorules", ".clinerules"), but_not=BUT_NOT)

AGENT_RULES = '"roo-cline.useAgentRules"'
CONFIG = Settings(("~/.config/Code/User/settings.json", ".vscode/settings.json"), enables={AGENT_RULES: "agents local"})
SKILL_FOLDERS = (".roo/skills-{mode}", ".agents/skills-{mode}", ".roo/skills", ".agents/skills")
SKILLS = Skills(project=SKILL_FOLDERS, home=SKILL_FOLDERS,
    needs=("frontmatter", "yaml", "name", "description", "name-is-folder", "lower-case-name"), longest=1024,
    hidden_by=(), menu=SkillMenu(escapes="xml"))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """Rules of the mode, .rooignore, AGENTS.md and the other rules; old rules files where a rules folder has nothing."""
    yield from _read_rules(look, MODE_RULES)
    yield from _read_old_rules(look, OLD_MODE_RULES, MODE_RULES)
    yield from look.each(IGNORED, [look.cwd])
    if look.last(AGENT_RULES, bool, CONFIG) is False:
        look.off |= {AGENTS.step, LOCAL.step}
    yield from look.first(look.spots(AGENTS, [look.cwd]), full=True)
    yield from look.each(LOCAL, [look.cwd])
    yield from _read_rules(look, RULES)
    yield from _read_old_rules(look, OLD_RULES, RULES)


def skills(look: Look) -> list[Skill]:
    """Those of the opened folder and those under home, of the mode first; of one name the first, listed by name."""
    return by_name(list_skills(look, SKILLS, [look.cwd]))


def _read_rules(look: Look, step: Step) -> Iterator[Found]:
    """The files of a rules folder, those under home first, each folder's by file name."""

    def rank(spot: Spot) -> tuple[bool, str]:
        return spot.folder == look.cwd, posixpath.basename(spot.path).casefold()

    yield from look.read(sorted(look.spots(step, [look.cwd]), key=rank))


def _read_old_rules(look: Look, step: Step, rules: Step) -> Iterator[Found]:
    """The first old rules file with text; any file in a rules folder hides them all, even an empty one."""
    hiding = [spot for spot in look.spots(rules, look.walk) if not spot.is_excluded]
    spots = look.spots(step, [look.cwd])
    if hiding:
        # The record names one of the repository's root before one under home.
        first = min(hiding, key=lambda spot: spot.folder != look.walk[0])
        for spot in spots:
            look.hide(spot, because("hidden", first.path, "everywhere", " and ".join(spot.step.names)))
    else:
        yield from look.first(spots, full=True)


SECTIONS = (
    AVAILABLE_SKILLS,
    AgentSection("instructions",
        files=("mode-rules", "old-mode-rules", "ignored", "agents", "local", "rules", "old-rules"),
        opens="USER'S CUSTOM INSTRUCTIONS\n\nRules:\n\n",
        each={"mode-rules": "# Rules from {{ relative }}:\n{{ text }}",
            "old-mode-rules": "# Rules from {{ name }}:\n{{ text }}",
            "ignored": "# .rooignore\n\n{{ text }}\n.rooignore",
            "AGENTS.md": "# Agent Rules Standard (AGENTS.md):\n{{ text }}",
            "AGENT.md": "# Agent Rules Standard (AGENT.md):\n{{ text }}",
            "AGENTS.local.md": "# Agent Rules Local (AGENTS.local.md):\n{{ text }}",
            "rules": "# Rules from {{ relative }}:\n{{ text }}", "old-rules": "# Rules from {{ name }}:\n{{ text }}"}),
)  # fmt: skip

"""Kilo Code's CLI: like opencode, on which it is based, and rules of the working directory."""

from ..discovery.paths import contains_path
from .kit import *
from .opencode import read_one_name

FACTS = AgentFacts(
    title="Kilo Code (CLI)", version="7.7.9", checked=date(2026, 11, 16), known="run",
    evidence="Seen in runs; rules compared with its source.",
    own=OwnPrompt(characters=13611, tools=21, tool_characters=44220, messages=210),
    signs=Signs(project=(".kilo", ".kilocode", ".kilocoderules", "kilo.json", "kilo.jsonc"),
        home=(".config/kilo", ".kilo", ".kilocode"), programs=("kilo",)),
    owns={".kilo": "Kilo Code", ".kilocode": "Kilo Code", ".kilocoderules": "Kilo Code"}, also_called=("kilocode",),
    notes=(
        "Of two skills with the same name, the last one read wins. The folders .kilo and .kilocode under home seem to be read last, which is not modelled here.",
        "Rules of a mode, .kilo/rules-MODE, apply only in that mode and are not examined here.",
        ".clinerules and .roorules are skipped.",
        "A file with only white space leaves its heading, an empty file nothing.",
    ),
)  # fmt: skip

PROGRAM = {"names": ("kilo", "kilocode"), "packages": ("@kilocode/cli",), "ways": ("proxy",)}
FOLDERS = {"folder": (".config/kilo", "XDG_CONFIG_HOME/kilo")}

NAMES = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md")
RULE_NAMES = (".kilo/rules/*.md", ".kilocode/rules/*.md")
USER = Step("user", ("~/{folder}/AGENTS.md", "~/.claude/CLAUDE.md"), "home", ("",),
    remark="The second name is known only from its source.")  # fmt: skip
PROJECT = Step("project", NAMES, links="inside",
    remark="One AGENTS.md, empty or not, hides every CLAUDE.md between here and the root.")  # fmt: skip
CONFIGURED = Step("configured", links="inside", known="code",
    remark="Named by `instructions` in its configuration, as with opencode.")  # fmt: skip
USER_RULES = Step("user-rules", RULE_NAMES, "home", ("",), "rule", unordered="rules")
RULES = Step("rules", (*RULE_NAMES, ".kilocoderules"), kind="rule", links="inside", unordered="rules",
    remark="Their frontmatter has no effect; of two with the same file name, .kilo/rules wins.")  # fmt: skip
NESTED = Step("nested", NAMES, "later", links="inside")
AGENTS = Step("agents", (".kilo/agent/**/*.md", ".kilo/agents/**/*.md", "~/{folder}/agent/**/*.md",
        "~/{folder}/agents/**/*.md", "~/.kilo/agent/**/*.md", "~/.kilo/agents/**/*.md"),
    kind="agent", tells="description")  # fmt: skip
CONFIG = Settings(("~/{folder}/kilo.json", "~/{folder}/kilo.jsonc", "kilo.json", "kilo.jsonc", "opencode.json",
        "opencode.jsonc", ".kilo/kilo.json", ".kilo/kilo.jsonc"),
    where="walk", adds={"instructions": "configured"},
    unmodelled=("permission.skill", "plugin", "agent", "mode", "command", "skills"))  # fmt: skip
VARIABLES = ("KILO_CONFIG", "KILO_CONFIG_CONTENT", "KILO_CONFIG_DIR", "KILO_DISABLE_PROJECT_CONFIG",
    "KILO_DISABLE_CLAUDE_CODE", "KILO_DISABLE_CLAUDE_CODE_PROMPT", "KILO_DISABLE_CLAUDE_CODE_SKILLS",
    "KILO_DISABLE_EXTERNAL_SKILLS")  # fmt: skip
OTHERS_SKILLS = (".claude/skills", ".agents/skills")
OWN_SKILLS = (".kilocode/skills", ".kilo/skills")
SKILLS = Skills(project=(*OTHERS_SKILLS, *OWN_SKILLS), home=(*OTHERS_SKILLS, "{folder}/skills", *OWN_SKILLS), depth=8,
    nested=True, needs=("frontmatter", "name", "description", "texts", "keys-once"), broken="mended",
    spoiled_by=("blank-lines",), dotted=OTHERS_SKILLS, hidden_by=(),
    menu=SkillMenu(remark="No limit was seen: 240 skills gave 296,807 characters."))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """The user's file, those of the project's first name, nearest first, those that its configuration names, and rules.

    Of the folders on the way to a file, the first name of each is loaded once it works there.
    """
    nearest_first = look.walk[::-1]
    named = look.names("instructions", CONFIG) or ()
    yield from look.first(look.spots(USER))
    yield from read_one_name(look, PROJECT, nearest_first)
    for name in named:
        yield from look.each(CONFIGURED, nearest_first, [name])
    yield from look.first(look.spots(USER_RULES), by_name=True)
    yield from look.first(look.spots(RULES, [look.cwd]), by_name=True)
    yield from look.first(look.spots(NESTED, look.below()[::-1]))


def agents(look: Look) -> Iterator[Found]:
    """Sub-agents of the project (outside a repository: of all folders above), of its checkout, and under home, by name."""
    spots = look.spots(AGENTS, [*look.climb, *look.lenders])
    yield from look.read(sorted(spots, key=lambda spot: (spot.called.casefold(), spot.path)))


def skills(look: Look) -> list[Skill]:
    """The last of a name of those under home, of the project, nearest first, and of a worktree's checkout; by name.

    Above the repository, or above the working directory without one, it searches only the two folders of its own.
    """
    top, upward = look.reader.real_or(look.place.base), look.upward[::-1]
    inside = [folder for folder in upward if contains_path(top, look.reader.real_or(folder))] or [look.cwd]
    own = list_places(look, inside, SKILLS.project)
    above = list_places(look, [folder for folder in upward if folder not in inside], OWN_SKILLS)
    borrowed = list_places(look, look.lenders, SKILLS.project)
    places = [*list_places(look, [look.home], SKILLS.home), *own, *above, *borrowed]
    return by_name(pick(look, SKILLS, search(look, SKILLS, places, sort=ignoring_case), last=True), folded=True)


FRAME = "Instructions from: {{ path }}\n{{ text }}"
SECTIONS = (
    AgentSection("instructions", files=("user", "project", "configured", "user-rules", "rules"), each=FRAME),
    AVAILABLE_SKILLS,
    AgentSection("sub-agents", about="In the description of the tool `task`.", files=("agents",),
        each="- {{ name }}: {{ description }}", between="\n"),
    AgentSection("added", place="user", files=("nested",), opens="<system-reminder>\n", each=FRAME,
        closes="\n</system-reminder>"),
)  # fmt: skip

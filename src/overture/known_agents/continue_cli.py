"""Continue's CLI: the first of four names in the working directory, and rules without a condition."""

from itertools import chain

from .kit import *

FACTS = AgentFacts(
    title="Continue CLI", version="1.5.47", checked=date(2026, 11, 16), known="run",
    evidence="Seen in runs; compared with the program.",
    own=OwnPrompt(characters=1307, tools=9, tool_characters=4250, messages=7),
    signs=Signs(project=(".continue",), home=(".continue",), programs=("cn",)),
    owns={".continue": "Continue", "CODEX.md": "Continue"}, also_called=("cn",),
    notes=(
        "The CLI never loads rules with globs, a regex or `invokable`.",
        "If the files do not fit into the context window, it refuses to send.",
        "The editor extension works differently: rules by the files of a message, rules.md next to the code.",
        "Rules in its configuration (config.yaml, --rule) are not examined here.",
    ),
)  # fmt: skip

PROGRAM = {"name": "continue", "packages": ("@continuedev/cli",), "ways": ("proxy",)}
FOLDERS = {"folder": (".continue", "CONTINUE_GLOBAL_DIR")}

SPOILED: Flaws = ("bom",)
WITHOUT_GLOBS = RuleConditions(globs=("globs", "regex"), always=("alwaysApply=true",), manual=("invokable=true",),
    never=("alwaysApply=false",), everything=(), excludes=True)  # fmt: skip
STRIPPED: Stripped = ("frontmatter",)
AGENT_FILE = Step("agent-file", ("AGENTS.md", "AGENT.md", "CLAUDE.md", "CODEX.md"),
    remark="An empty one hides the next name.")  # fmt: skip
RULES = Step("rules", (".continue/rules/**/*.md",), dotted="all", spoiled_by=SPOILED, kind="rule",
    conditions=WITHOUT_GLOBS, strip=STRIPPED)  # fmt: skip
USER_RULES = Step("user-rules", ("rules/**/*.md",), "home", ("{folder}",), dotted="all", spoiled_by=SPOILED,
    kind="rule", conditions=WITHOUT_GLOBS, strip=STRIPPED)  # fmt: skip
CONFIG = Settings(("~/{folder}/config.yaml",), unmodelled=("rules",))
SKILLS = Skills(unordered="menu", project=(".continue/skills", ".claude/skills"), home=("{folder}/skills",),
    needs=("frontmatter", "yaml", "name", "description", "texts", "keys-once"), spoiled_by=SPOILED, hidden_by=(),
    dotted=True, unfollowed="folders",
    menu=SkillMenu(
        remark="No limit was seen: all of 400 skills were listed. They are listed as each is read, so neighbours may swap."))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """The first of four names in the working directory, then rules there and under home, each text once."""
    first = look.first(look.spots(AGENT_FILE, [look.cwd]))
    yield from look.each_text_once(chain(first, look.each(RULES, [look.cwd]), look.each(USER_RULES)))


def skills(look: Look) -> list[Skill]:
    """All of the working directory's folders and of the one under home, of one name too, as they are on the disk."""
    return list_skills(look, SKILLS, [look.cwd], every=True)


SECTIONS = (
    AgentSection("instructions", files=("agent-file", "rules", "user-rules"), opens='<context name="userRules">\n',
        closes="\n</context>"),
    AgentSection("skills", about="In the description of the tool `Skills`.",
        menu="name: {{ name }}\ndescription: {{ description }}\n", between=",\n"),
)  # fmt: skip

"""OpenHands: the instruction files of four agents in the working directory and the repository's root, ignoring case."""

from .kit import *

FACTS = AgentFacts(
    title="OpenHands", version="1.16.0", checked=date(2026, 11, 16), known="run",
    evidence="Seen in runs; the source of its SDK says more than the release did.",
    own=OwnPrompt(characters=13961, tools=6, tool_characters=20841, messages=7),
    signs=Signs(project=(".openhands",), home=(".openhands",), programs=("openhands",)),
    notes=(
        "The source of August 2026 also loads files below cwd once the agent works on a file there; the tested release did not.",
        "That source sends CLAUDE.md to Claude models only and GEMINI.md to Gemini models only.",
        "A microagent with triggers is listed with its name and first words until a trigger is mentioned.",
        "The time with microseconds comes before all files, so no two runs share a prefix.",
        "Sub-agents are listed in the description of its tool task.",
        "An AGENT.md hides the AGENTS.md beside it.",
        "A file other than SKILL.md in a skills folder is loaded whole at the start, unless it has triggers; here it is listed.",
        "A file that is not UTF-8 disables its whole folder of skills or microagents; an instruction file that is not UTF-8 stops it with an error.",
    ),
)  # fmt: skip

PROGRAM = {
    "ways": ("proxy", "base"), "set": {"LLM_BASE_URL": "$OPENAI"},
    "notes": {"base": "its base URL is used for the OpenAI format"},
}  # fmt: skip

STRIPPED: Stripped = ("frontmatter",)
SPOILED: Flaws = ("bom", "unended")
BUT_NOT = ("README.md", "SKILL.md")
BY_TRIGGERS = RuleConditions(model=("triggers",), announced=("model",), broken="never")
AGENT_NAMES = (".agents/agents/*.md", ".openhands/agents/*.md")
LISTED = Listing(("utf-8", "yaml"), SPOILED, named="name")

PROJECT = Step("project", (".cursorrules", "GEMINI.md", "CLAUDE.md", "AGENT.md|AGENTS.md"), case="any", unordered="all",
    called={".cursorrules": "cursorrules", "GEMINI.md": "gemini", "CLAUDE.md": "claude",
        "AGENT.md|AGENTS.md": "agents"},
    remark="A file of the working directory hides the root's of the same name.")  # fmt: skip
MICROAGENTS = Step("microagents", (".openhands/microagents/**/*.md",), but_not=BUT_NOT, dotted="all", unordered="all",
    conditions=BY_TRIGGERS, strip=STRIPPED, spoiled_by=SPOILED)  # fmt: skip
USER = Step("user", ("**/*.md",), "home", (".openhands/microagents",), but_not=BUT_NOT, dotted="all", unordered="all",
    conditions=BY_TRIGGERS, strip=STRIPPED, spoiled_by=SPOILED)  # fmt: skip
AGENTS = Step("agents", AGENT_NAMES, kind="agent", tells="description", listing=LISTED)
USER_AGENTS = Step("user-agents", AGENT_NAMES, "home", ("",), "agent", "description", listing=LISTED)  # fmt: skip
SKILL_FOLDERS = (".agents/skills", ".openhands/skills")
SKILLS = Skills(unordered="menu", project=SKILL_FOLDERS, home=SKILL_FOLDERS, hidden_by=(),
    needs=("yaml", "name-is-folder", "lower-case-name"), spoiled_by=SPOILED, longest_name=64, dotted=True,
    described="words", flat=True, any_case=True,
    menu=SkillMenu(entry=1024, mark="...",
        remark="Every skill is listed; the middle of a long description is replaced by a note with its path."))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """The files of four agents, then microagents: of the working directory, then of the root if it lacks the name.

    Microagents under home come last; one of the project's hides one of the same name there.
    """
    folders = look.ends[::-1]
    yield from look.first(look.spots(PROJECT, folders), by_name=True)
    taken: dict[str, str] = {}
    yield from look.first(look.spots(MICROAGENTS, folders), taken, by_name=True)
    yield from look.first(look.spots(USER), taken, by_name=True)


def agents(look: Look) -> Iterator[Found]:
    """Sub-agents of the working directory, then those under home; of each, the first of a name."""
    yield from look.first(look.spots(AGENTS, [look.cwd]), by_name=True)
    yield from look.first(look.spots(USER_AGENTS), by_name=True)


def skills(look: Look) -> list[Skill]:
    """Those of the working directory, of the root, then those under home; listed in this order."""
    return list_skills(look, SKILLS, look.ends[::-1])


SKILL_LINES = "  <skill>\n    <name>{{ name }}</name>\n    <description>{{ description }}</description>\n  </skill>"
SECTIONS = (
    AgentSection("instructions", files=("project", "microagents", "user"), opens="<REPO_CONTEXT>\n",
        each="[BEGIN context from [{{ name }}]]\n{{ text }}\n[END Context]", between="\n", closes="\n</REPO_CONTEXT>"),
    AgentSection("microagents", about="Those with triggers, among the skills.",
        files=("microagents:model", "user:model"), each=SKILL_LINES, between="\n"),
    AgentSection("skills", menu=SKILL_LINES, opens="<available_skills>\n", closes="\n</available_skills>"),
    AgentSection("sub-agents", files=("agents", "user-agents"), each="- **{{ name }}**: {{ description }}",
        between="\n"),
)  # fmt: skip

"""Qwen Code: every QWEN.md, then every AGENTS.md, from one folder above the repository down; rules."""

from .kit import *

FACTS = AgentFacts(
    title="Qwen Code", version="0.24.4", checked=date(2026, 11, 17), known="run",
    evidence="Seen in runs; order and imports compared with its source.",
    own=OwnPrompt(characters=25392, tools=10, tool_characters=27530, messages=9419),
    signs=Signs(project=("QWEN.md", ".qwen"), home=(".qwen",), programs=("qwen",)), shows="/memory show",
    notes=(
        "With folder trust enabled, an untrusted folder loses the project's files and keeps its skills.",
        "Outside a repository it searches up to the folder above home.",
        "It warns if the files loaded at the start have more than 10,000 tokens, and truncates nothing.",
        "It shows paths relative to the working directory, and paths of rules relative to the root.",
    ),
)  # fmt: skip

PROGRAM = {
    "packages": ("@qwen-code/qwen-code",), "ways": ("base", "proxy"),
    "set": {"OPENAI_BASE_URL": "$OPENAI", "ANTHROPIC_BASE_URL": "$ANTHROPIC", "GOOGLE_GEMINI_BASE_URL": "$GEMINI"},
}  # fmt: skip
FOLDERS = {"folder": (".qwen", "QWEN_HOME")}

IMPORTS = Imports(depth=5, begins="blank", tail=False, counts_in=("comment",),
    before="<!-- Imported from: {path} -->\n", after="\n<!-- End of import from: {path} -->",
    refused="<!-- Import failed: {path} - Path traversal attempt -->", again="<!-- File already processed: {path} -->")  # fmt: skip
WHEN = RuleConditions(globs=("paths",), everything=(), broken="items", patterns="path")
STRIPPED: Stripped = ("frontmatter", "broken-frontmatter", "comments")
SPOILED: Flaws = ("blank-lines", "unended", "blanks-after-first", "blanks-after-last")
LISTED = Listing(needs=("frontmatter", "name", "description"), spoiled_by=SPOILED, named="name",
    name_like="[A-Za-z0-9][A-Za-z0-9_-]{0,48}[A-Za-z0-9]", least=10)  # fmt: skip

MEMORY_NAMES = ("QWEN.md", "AGENTS.md")
MEMORY = Step("memory", MEMORY_NAMES, at_home=("{folder}",), remark="It also searches the folder above the repository.",
    imports=IMPORTS)  # fmt: skip
LANGUAGE = Step("language", (".qwen/output-language.md", "~/{folder}/output-language.md"),
    remark="The agent itself creates the one under home; one in the working directory replaces it.")  # fmt: skip
LOCAL = Step("local", (".qwen/QWEN.local.md",), remark="Only at the root of a repository.", imports=IMPORTS)
USER_RULES = Step("user-rules", ("rules/**/*.md",), "home", ("{folder}",), kind="rule", conditions=WHEN, strip=STRIPPED,
    spoiled_by=SPOILED, dotted="all")  # fmt: skip
RULES = Step("rules", (".qwen/rules/**/*.md",), kind="rule", conditions=WHEN, strip=STRIPPED, spoiled_by=SPOILED,
    dotted="all")  # fmt: skip
NOTES = Step("notes", ("memories/MEMORY.md",), "home", ("{folder}",))
AGENTS = Step("agents", (".qwen/agents/*.md",), kind="agent", tells="description", listing=LISTED)
USER_AGENTS = Step("user-agents", ("agents/*.md",), "home", ("{folder}",), kind="agent", tells="description",
    listing=LISTED)  # fmt: skip
COMMANDS = Step("commands", (".qwen/commands/**/*.md", ".qwen/commands/**/*.toml", "~/{folder}/commands/**/*.md",
        "~/{folder}/commands/**/*.toml"),
    kind="command", tells="description", dotted="all",
    listing=Listing(needs=("description",), spoiled_by=SPOILED, folders=":", hidden_by=("disable-model-invocation",)))  # fmt: skip

CONFIG = Settings(("~/{folder}/settings.json", ".qwen/settings.json"), replaces={"context.fileName": "memory"},
    unmodelled=("context.includeDirectories", "context.loadMemoryFromIncludeDirectories", "context.importFormat",
        "context.discoveryMaxDirs", "skills.disabled", "skills.enabled=false"))  # fmt: skip
VARIABLES = ("QWEN_SYSTEM_MD", "QWEN_SYSTEM_IDENTITY_MD", "QWEN_CODE_SYSTEM_SETTINGS_PATH",
    "QWEN_CODE_SYSTEM_DEFAULTS_PATH", "QWEN_CODE_TRUSTED_FOLDERS_PATH", "QWEN_CODE_MEMORY_BASE_DIR")  # fmt: skip
SKILLS = Skills(project=(".qwen/skills", ".agents/skills"), home=("{folder}/skills", ".agents/skills"),
    needs=("frontmatter", "name", "description"), spoiled_by=SPOILED, name_like="[\\w:.-]+", dotted=True,
    menu=SkillMenu(escapes="xml", remark="No limit was seen: 120 skills gave 140,499 characters."))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """Name after name, each under home and from above the repository down; then its language, rules and notes."""
    names = look.names("context.fileName", CONFIG, last=True)
    for name in names or MEMORY_NAMES:
        yield from look.each(MEMORY, _list_memory_folders(look), [name])
    yield from look.first(look.spots(LANGUAGE, [look.cwd]))
    yield from look.each(LOCAL, [look.root] if look.root else [])
    yield from look.each(USER_RULES)
    yield from look.each(RULES, [look.project])
    yield from look.each(NOTES)


def agents(look: Look) -> Iterator[Found]:
    """Sub-agents of the working directory, then those under home."""
    yield from look.each(AGENTS, [look.cwd])
    yield from look.each(USER_AGENTS)


def commands(look: Look) -> Iterator[Found]:
    """Commands of the working directory and under home, together by name; several of one name too."""
    yield from sorted(look.each(COMMANDS, [look.cwd]), key=lambda each: each.file.called.casefold())


def skills(look: Look) -> list[Skill]:
    """Those of the working directory and those under home; of one name the first, listed by name."""
    return by_name(list_skills(look, SKILLS, [look.cwd], sort=ignoring_case), folded=True)


def _list_memory_folders(look: Look) -> list[str]:
    """From the folder above the repository down; without a repository, from `/`."""
    start = look.above.index(look.root) - 1 if look.root else 0
    return look.above[max(start, 0) :]


SKILL_LINES = "<skill>\n<name>\n{{ name }}\n</name>\n<description>\n{{ description }}\n</description>\n</skill>"
SECTIONS = (
    AgentSection("instructions", files=("memory", "language", "local"),
        each="--- Context from: {{ relative }} ---\n{{ text }}\n--- End of Context from: {{ relative }} ---"),
    AgentSection("rules", files=("user-rules", "rules"),
        each="--- Rule from: {{ in_project }} ---\n{{ text }}\n--- End of Rule from: {{ in_project }} ---"),
    AgentSection("notes", files=("notes",), each="## {{ path }}\n\n{{ text }}"),
    AgentSection("skills", place="user", menu=SKILL_LINES, opens="<system-reminder>\n<available_skills>\n",
        closes="\n</available_skills>\n</system-reminder>"),
    AgentSection("commands", place="user", files=("commands",), each=SKILL_LINES, between="\n"),
    AgentSection("sub-agents", about="In the description of the tool `agent`.", files=("agents", "user-agents"),
        each="- **{{ name }}**: {{ description }}", between="\n"),
)  # fmt: skip

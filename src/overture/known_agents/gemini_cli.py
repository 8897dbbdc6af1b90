"""Google's Gemini CLI: GEMINI.md from the repository's root down, with imports; other names with a setting."""

from .kit import *

FACTS = AgentFacts(
    title="Gemini CLI", version="0.61.0", checked=date(2026, 11, 18), known="run",
    evidence="Seen in runs; order, imports and frames compared with its source.",
    own=OwnPrompt(characters=32033, tools=8, tool_characters=7583, messages=820),
    signs=Signs(project=("GEMINI.md", ".gemini/settings.json", ".gemini/commands", ".gemini/skills", ".gemini/agents",
            ".gemini/extensions", ".geminiignore"),
        home=(".gemini",), programs=("gemini",)), shows="/memory show, /memory list",
    notes=(
        "An untrusted folder loses the project's files and skills; without a terminal it then refuses to start.",
        "The project's files are sorted by path, so a folder that begins with a capital before G comes before the file above it.",
        "With context.importFormat = flat, imported files are listed instead of inserted.",
        "The names in context.fileName are added to GEMINI.md and do not replace it.",
        "GEMINI_SYSTEM_MD, or .gemini/system.md with it, replaces the agent's own prompt.",
        "Files of extensions and its own notes on a project are not examined here.",
        "In a run, the project's .gemini/agents and .gemini/commands were not sent.",
    ),
)  # fmt: skip

PROGRAM = {
    "provider": "gemini", "packages": ("@google/gemini-cli",), "ways": ("base", "proxy"),
    "set": {"GOOGLE_GEMINI_BASE_URL": "$GEMINI"},
    "notes": {"base": "with a Google login it calls another host: use --forward"},
}  # fmt: skip
FOLDERS = {"folder": (".gemini", "GEMINI_CLI_HOME/.gemini")}

NAMES = ("GEMINI.md",)
IMPORTS = Imports(depth=5, begins="blank", tail=False, counts_in=("comment", "tildes", "indented"),
    before="<!-- Imported from: {path} -->\n", after="\n<!-- End of import from: {path} -->",
    missing="<!-- Import failed: {path} - ENOENT: no such file or directory, access '{target}' -->",
    refused="<!-- Import failed: {path} - Path traversal attempt -->", again="<!-- File already processed: {path} -->")  # fmt: skip
SPOILED: Flaws = ("bom", "blank-lines", "unended", "blanks-after-first")
USER = Step("user", NAMES, "home", ("{folder}",), imports=IMPORTS, remark="Its imports stay within its own folder.")
PROJECT = Step("project", NAMES, imports=IMPORTS)
NESTED = Step("nested", NAMES, "later", imports=IMPORTS)
AGENT_KEYS = ("kind", "name", "description", "display_name", "tools", "mcp_servers", "model", "temperature",
    "max_turns", "timeout_mins")  # fmt: skip
"""With any other key, such as `color`, a sub-agent is not listed."""
USER_AGENTS = Step("user-agents", ("agents/*.md",), "home", ("{folder}",), "agent", tells="description",
    listing=Listing(needs=("frontmatter", "yaml", "name", "description", "texts", "keys-once"), spoiled_by=SPOILED, named="name",
        name_like="[a-z0-9_-]+", keys=AGENT_KEYS))  # fmt: skip

FILE_NAME = "context.fileName"
CONFIG = Settings(("/etc/gemini-cli/system-defaults.json", "~/{folder}/settings.json", ".gemini/settings.json",
        "/etc/gemini-cli/settings.json"),
    adds={FILE_NAME: "project"},
    unmodelled=("context.includeDirectories", "context.loadMemoryFromIncludeDirectories", "context.importFormat",
        "context.discoveryMaxDirs", "context.memoryBoundaryMarkers", "skills.disabled", "skills.enabled=false",
        "agents.overrides", "experimental.jitContext"))  # fmt: skip
VARIABLES = ("GEMINI_SYSTEM_MD", "GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
    "GEMINI_CLI_TRUSTED_FOLDERS_PATH")  # fmt: skip
SKILLS = Skills(project=(".gemini/skills", ".agents/skills"), home=("{folder}/skills", ".agents/skills"),
    needs=("frontmatter", "keys"), spoiled_by=SPOILED, hidden_by=(), unordered="menu",
    menu=SkillMenu(remark="No limit was seen: 120 skills gave 173,587 characters."))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """GEMINI.md under home, then from the repository's root down by path, and below once it works there.

    The names of a setting are added to it; under home and below, each folder's files are loaded by name.
    """
    names = sorted({*NAMES, *(look.names(FILE_NAME, CONFIG) or ())})
    yield from look.each(USER, names=names)
    yield from look.read(sorted(look.spots(PROJECT, look.walk, names), key=lambda spot: spot.path))
    yield from look.each(NESTED, look.below(), names)


def agents(look: Look) -> Iterator[Found]:
    """The sub-agents under home."""
    yield from look.each(USER_AGENTS)


def skills(look: Look) -> list[Skill]:
    """Those under home, then those of the working directory, each folder's backwards; of one name the last."""
    return list_skills(look, SKILLS, [look.cwd], home_first=True, sort=lambda found: found[::-1], last=True)


FRAME = "--- Context from: {{ path }} ---\n{{ text }}\n--- End of Context from: {{ path }} ---"
SECTIONS = (
    AgentSection("sub-agents", files=("user-agents",), opens="<available_subagents>\n",
        each="  <subagent>\n    <name>{{ name }}</name>\n    <description>{{ description }}</description>\n  </subagent>",
        between="\n", closes="\n</available_subagents>"),
    AVAILABLE_SKILLS,
    AgentSection("user-instructions", files=("user",), opens="<loaded_context>\n", each=FRAME,
        closes="\n</loaded_context>"),
    AgentSection("instructions", place="user", files=("project",), opens="<loaded_context>\n<project_context>\n",
        each=FRAME, closes="\n</project_context>\n</loaded_context>"),
    AgentSection("added", place="user", files=("nested",), opens="--- Newly Discovered Project Context ---\n",
        each=FRAME, closes="\n--- End Project Context ---"),
)  # fmt: skip

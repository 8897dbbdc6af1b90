"""Mistral's Vibe: AGENTS.md from the trusted folder down to the working directory."""

from .kit import *

FACTS = AgentFacts(
    title="Mistral Vibe", version="3.0.2", checked=date(2026, 11, 16), known="run",
    evidence="Seen in runs; headings compared with its source.",
    own=OwnPrompt(characters=18535, tools=10, tool_characters=13562, messages=7),
    signs=Signs(project=(".vibe",), home=(".vibe",), programs=("vibe",)), also_called=("mistral-vibe",),
    notes=(
        "It starts at the folder that is trusted in trusted_folders.toml; if none above the working directory is, the repository counts as trusted here.",
        "If only the working directory is trusted, it loads only the file there; if a folder above the repository is trusted, all from there down.",
        "If nothing is trusted, it loads only the file under home.",
    ),
)  # fmt: skip

PROGRAM = {"packages": ("mistral-vibe",), "ways": ("proxy",)}
FOLDERS = {"folder": (".vibe", "VIBE_HOME")}

NAMES = ("AGENTS.md",)
USER = Step("user", NAMES, "home", ("{folder}",))
PROJECT = Step("project", NAMES, remark="It is loaded if the folder is trusted.")
NESTED = Step("nested", NAMES, "later", remark="It is part of the result of the tool that read a file there.")

TRUSTED = Settings(("~/{folder}/trusted_folders.toml",))
CONFIG = Settings(("~/{folder}/config.toml", ".vibe/config.toml"),
    unmodelled=("skill_paths", "enabled_skills", "disabled_skills", "system_prompt_id", "agent_paths",
        "include_project_context=false"))  # fmt: skip
VARIABLES = ("VIBE_SKILL_PATHS", "VIBE_ENABLED_SKILLS", "VIBE_DISABLED_SKILLS", "VIBE_SYSTEM_PROMPT_ID",
    "VIBE_AGENT_PATHS", "VIBE_INCLUDE_PROJECT_CONTEXT")  # fmt: skip
SKILLS = Skills(unordered="menu", project=(".vibe/skills", ".agents/skills"),
    home=("{folder}/skills", ".agents/skills"),
    needs=("frontmatter", "yaml", "name", "description", "texts", "lower-case-name"), longest=1024, longest_name=64,
    dotted=True, menu=SkillMenu(remark="No limit was seen: 120 skills took 158,751 characters."))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """AGENTS.md under home and from the trusted folder down; below the working directory, once it reads a file there."""
    yield from look.each(USER)
    yield from look.each(PROJECT, _list_trusted(look))
    yield from look.each(NESTED, look.below())


def skills(look: Look) -> list[Skill]:
    """Those of the working directory, then those under home, in the order of the disk; of one name the first."""
    return list_skills(look, SKILLS, [look.cwd])


def _list_trusted(look: Look) -> list[str]:
    """The folders from the outermost that is trusted down; if none is, from the repository's top."""
    trusted = look.names("trusted", TRUSTED) or ()
    top = next((folder for folder in look.above if folder in trusted), None)
    return look.walk if top is None else look.above[look.above.index(top) :]


SECTIONS = (
    AgentSection("skills",
        menu="  <skill>\n    <name>{{ name }}</name>\n    <description>{{ description }}</description>\n    <path>{{ path }}</path>\n  </skill>",
        opens="<available_skills>\n", closes="\n</available_skills>"),
    AgentSection("user-instructions", files=("user",), opens="## User instructions\n\n",
        each="Contents of {{ path }} (user-level instructions):\n\n{{ text }}"),
    AgentSection("instructions", files=("project",), opens="## Project instructions (checked into the codebase)\n\n",
        each="Contents of {{ path }}:\n\n{{ text }}"),
    AgentSection("added", place="user", files=("nested",),
        each="Contents of {{ path }} (project instructions for this directory):\n\n{{ text }}"),
)  # fmt: skip

"""gptme: the instruction files of seven agents from home or the file system's root down, and the README."""

from .kit import *

FACTS = AgentFacts(
    title="gptme", version="0.35.1", checked=date(2026, 11, 16), known="run",
    evidence="Seen in runs; further names compared with its source.",
    own=OwnPrompt(characters=23452, tools=14, tool_characters=12138, messages=7),
    signs=Signs(project=("gptme.toml", ".gptme"), home=(".config/gptme",), programs=("gptme",)),
    owns={"COPILOT.md": "gptme"},
    notes=(
        "For a project below home it starts at home; files above home are skipped.",
        "An instruction file that is not UTF-8 stops it with an error before anything is sent.",
        "A process id in its third system message makes the prompt of every run different.",
        "It also runs the command in `context_cmd` of gptme.toml and sends its output.",
        "A skill is any file with a name in its frontmatter, also a plain .md file among the lessons, and a sub-agent of Cursor.",
        "Cursor's rules are sent unchanged, with their frontmatter; `files` in gptme.toml replaces README and rules.",
    ),
)  # fmt: skip

PROGRAM = {"ways": ("base", "proxy"), "set": {"OPENAI_BASE_URL": "$OPENAI", "ANTHROPIC_BASE_URL": "$ANTHROPIC"}}

NAMES = ("AGENTS.md", "CLAUDE.md", "COPILOT.md", "GEMINI.md", ".github/copilot-instructions.md", ".cursorrules",
    ".windsurfrules")  # fmt: skip
USER = Step("user", NAMES, "home", (".config/gptme",), blank="keep")
PROJECT = Step("project", NAMES, blank="keep", remark="It also searches above the repository.")
CONTEXT = Step("context", ("README.md", "README.rst", "README.txt", "README", ".cursor/rules/*.mdc", "pyproject.toml",
        "package.json", "Cargo.toml", "Makefile", "docker-compose.yml", "docker-compose.yaml"),
    links="inside", utf_8=True, blank="keep")  # fmt: skip
LIMIT = FileLimit("message", of=("user", "project", "context"), most=100_000, over="file", kept=67,
    says="\n\n[Content truncated to 100,000 characters]")  # fmt: skip
FILES = {"prompt.files": "context", "files": "context"}
UNMODELLED = ("context_cmd", "base_prompt", "prompt.context_cmd", "prompt.base_prompt", "lessons", "rag")
CONFIG = Settings(("gptme.toml",), replaces=FILES, unmodelled=UNMODELLED)
GITHUB_CONFIG = Settings((".github/gptme.toml",), replaces=FILES, unmodelled=UNMODELLED)
VARIABLES = ("GPTME_LESSONS_EXTRA_DIRS", "GPTME_LESSONS_AUTO_INCLUDE", "GPTME_LESSONS_MAX_SESSION", "GPTME_MEMORY_DIRS",
    "GPTME_AGENT_WORKSPACE", "GPTME_CONTEXT_TREE")  # fmt: skip
SKILLS = Skills(project=("lessons", ".gptme/lessons", "skills", ".gptme/skills", ".cursor"),
    home=(".config/gptme/lessons", ".agents/lessons", ".config/gptme/skills", ".claude/skills", ".agents/skills"),
    depth=6, nested=True, needs=("utf-8", "frontmatter", "yaml", "name"), spoiled_by=("bom", "blank-lines", "unended"),
    hidden_by=("status=automated", "status=deprecated", "status=archived"), flat=True, any_case=True, unfollowed="folders",
    menu=SkillMenu(entry=80, mark="...",
        remark="Every skill is listed, each with the first 80 characters of its description."))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """Every file of these names under home and in all folders above, then the README and files beside it."""
    yield from look.each(USER)
    yield from look.each(PROJECT, look.above)
    yield from look.each(CONTEXT, [look.cwd], _choose_context(look))


def _choose_context(look: Look) -> list[str] | None:
    """The files that gptme.toml names instead, or else the one in .github; None: the usual ones."""
    chosen: list[str] | None = None
    for settings in (GITHUB_CONFIG, CONFIG):
        for key in settings.replaces:
            names = look.names(key, settings)
            chosen = chosen if names is None else names
    return chosen


def skills(look: Look) -> list[Skill]:
    """Those under home, then those of the working directory, by name; a path below hides the same one further on."""
    return by_name(list_skills(look, SKILLS, [look.cwd], home_first=True, once_a_place=True))


FENCE = "````{{ nearby }}\n{{ text }}\n````"
SECTIONS = (
    AgentSection("skills", menu="- **{{ name }}**: {{ description }}\n  `{{ path }}`", opens="## Available Skills\n\n"),
    AgentSection("instructions", files=("user", "project"), opens="## Agent Instructions\n\n", each=FENCE),
    AgentSection("context", files=("context",), opens="## Selected files\n\n", each=FENCE),
)  # fmt: skip

"""OpenAI's Codex CLI: one AGENTS.md per folder, 32 KiB of them together."""

from .kit import *

FACTS = AgentFacts(
    title="Codex", version="0.166.0", checked=date(2026, 11, 18), known="run",
    evidence="Seen in runs; names and limits compared with its source.",
    own=OwnPrompt(characters=26347, tools=10, tool_characters=9511, messages=1007),
    signs=Signs(project=(".codex", "AGENTS.override.md"), home=(".codex",), programs=("codex",)),
    shows="codex debug prompt-input",
    notes=(
        "A project that is marked untrusted in config.toml loses its instruction files and keeps its skills.",
        "Outside a repository it starts only with --skip-git-repo-check, and loads only files in the working directory.",
        "It loads nothing on demand: files below the working directory are skipped.",
        "A symlink to a folder works as a skill; a symlinked SKILL.md is not found.",
        "If the model's context window is unknown, the list of skills has 8,000 characters; skills.max_context_tokens changes that.",
    ),
)  # fmt: skip

# With a login of ChatGPT it asks another host than with a key, so only a proxy sees both.
PROGRAM = {
    "provider": "openai", "ways": ("proxy", "base"), "arguments": ("-c", 'openai_base_url="$OPENAI"'),
    "notes": {"base": "with a ChatGPT login it needs the proxy"},
}  # fmt: skip
FOLDERS = {"folder": (".codex", "CODEX_HOME")}

NAMES = ("AGENTS.override.md", "AGENTS.md")
USER = Step("user", NAMES, "home", ("{folder}",),
    remark="It does not count towards project_doc_max_bytes. The first file with text is loaded, so an empty override hides nothing here.")  # fmt: skip
PROJECT = Step("project", NAMES, remark="An empty AGENTS.override.md hides the AGENTS.md beside it.")
LIMIT = FileLimit("project_doc_max_bytes", of=("project",), most=32768, unit="bytes")
TRUSTED = Settings(("/etc/codex/config.toml", "~/{folder}/config.toml"),
    unmodelled=("project_root_markers", "skills", "developer_instructions", "model_instructions_file",
        'projects."{project}".trust_level=untrusted'))  # fmt: skip
CONFIG = Settings(("/etc/codex/config.toml", "~/{folder}/config.toml", ".codex/config.toml"), where="walk",
    adds={"project_doc_fallback_filenames": "project"}, limits={"project_doc_max_bytes": "project_doc_max_bytes"})  # fmt: skip
SKILLS = Skills(project=(".codex/skills", ".agents/skills"),
    home=("{folder}/skills", ".agents/skills", "/etc/codex/skills"), depth=6, nested=True, unfollowed="files",
    needs=("utf-8", "frontmatter", "description", "keys-once"), spoiled_by=("bom", "blank-lines", "unended"),
    broken="mended", longest_name=64, hidden_by=(),
    menu=SkillMenu(most=20860, entry=1024, mark="...", over="shorten",
        remark="2 % of the model's window: about 20,860 characters in the run. Over it, all descriptions are shortened equally, without a mark; of 400 skills, all lost their descriptions and 64 were not listed."))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """The first file with text under home, then the first of each folder from the repository's root down."""
    more = look.names("project_doc_fallback_filenames", CONFIG, last=True) or ()
    look.limit("project_doc_max_bytes", look.last("project_doc_max_bytes", int, CONFIG))
    yield from look.first(look.spots(USER), full=True)
    yield from look.first(look.spots(PROJECT, look.walk, list(dict.fromkeys((*NAMES, *more)))))


def skills(look: Look) -> list[Skill]:
    """Those of the project's folders, nearest first, and those under home; each by name, several of one name too."""
    own = list_places(look, [look.home], SKILLS.home)
    found = search(look, SKILLS, [*list_places(look, look.walk[::-1], SKILLS.project), *own])
    home = tuple(place.path for place in own)
    return sorted(by_name(pick(look, SKILLS, found, every=True)), key=lambda skill: skill.location.startswith(home))


SECTIONS = (
    AgentSection("skills", menu="- {{ name }}: {{ description }} (file: {{ alias }})", opens="<skills_instructions>\n",
        closes="\n</skills_instructions>"),
    AgentSection("instructions", place="user", files=("user", "project"),
        opens="# AGENTS.md instructions for {{ runtime.cwd }}\n\n<INSTRUCTIONS>\n",
        turning="\n\n--- project-doc ---\n\n", closes="\n</INSTRUCTIONS>"),
)  # fmt: skip

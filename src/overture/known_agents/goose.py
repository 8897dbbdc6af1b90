"""Goose: .goosehints and AGENTS.md from the repository's root down, with imports."""

import json
import posixpath
from functools import partial

from ..discovery.globs import matches_glob
from ..discovery.paths import contains_path
from .kit import *

FACTS = AgentFacts(
    title="Goose", version="source of 2026-05-21", checked=date(2026, 5, 21), known="code",
    evidence="Known from its source.",
    signs=Signs(project=(".goosehints", ".goose"), home=(".config/goose",), programs=("goose",)),
    notes=(
        "Skills of plugins and built-in skills are also in its list.",
        "Agents and recipes, such as in .goose/agents and .claude/agents, are listed when the model asks for them.",
    ),
)  # fmt: skip

PROGRAM = {
    "ways": ("base", "proxy"),
    "set": {"ANTHROPIC_HOST": "$ANTHROPIC", "OPENAI_HOST": "$OPENAI_ADDRESS",
        "OPENAI_BASE_PATH": "$OPENAI_PATH/chat/completions", "OLLAMA_HOST": "$OLLAMA"},
}  # fmt: skip
FOLDERS = {"folder": (".config/goose", "GOOSE_PATH_ROOT/config", "XDG_CONFIG_HOME/goose")}

NAMES = (".goosehints", "AGENTS.md")


def _is_ignored(look: Look, real: str) -> bool:
    """Files that git ignores: the last matching line decides, of the file itself; lines for folders have no effect."""
    ignored = False
    for folder in look.walk:
        top = look.reader.real_or(folder)
        for line in look.read_ignore_lines(folder) if contains_path(top, real) else ():
            if not line.endswith("/") and matches_glob(line.removeprefix("!"), posixpath.relpath(real, top)):
                ignored = not line.startswith("!")
    return ignored


IMPORTS = Imports(depth=3, absolute=False, counts_in=("backticks", "span", "comment", "tildes", "indented"),
    before="--- Content from {path} ---\n", after="\n--- End of {path} ---", largest=131_072, repeats=True)  # fmt: skip
USER = Step("user", NAMES, "home", ("{folder}",), same_file="each", imports=replace(IMPORTS, within="folder"))
USER_AGENTS = Step("user-agents", ("AGENTS.md",), "home", (".agents",), remark="Only in versions after May 2026.")
PROJECT = Step("project", NAMES, same_file="each", imports=IMPORTS)
NESTED = Step("nested", NAMES, "later", same_file="each", imports=IMPORTS,
    remark="They are loaded once a tool uses a path there.")  # fmt: skip
CONFIG = Settings(("/etc/goose/config.yaml", "~/{folder}/config.yaml"), replaces={"CONTEXT_FILE_NAMES": "project"})
VARIABLES = ("GOOSE_ADDITIONAL_CONFIG_FILES", "GOOSE_MOIM_MESSAGE_FILE", "GOOSE_MOIM_MESSAGE_TEXT")
SKILLS = Skills(project=(".agents/skills", ".goose/skills", ".claude/skills"),
    home=(".agents/skills", "{folder}/skills", ".claude/skills", ".config/agents/skills"), depth=6,
    needs=("frontmatter", "yaml", "name"), hidden_by=())  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """Its own hints and those under .agents, then the project's; those of further folders once it works there.

    CONTEXT_FILE_NAMES, a variable or a setting, replaces both names. Files that git ignores are imported only by those
    of further folders.
    """
    look.skips_import = partial(_is_ignored, look)
    names = _choose_names(look)
    yield from look.each(USER, names=names)
    yield from look.each(USER_AGENTS)
    yield from look.each(PROJECT, look.walk, names)
    look.skips_import = None
    yield from look.each(NESTED, look.below(), names)


def _choose_names(look: Look) -> list[str] | None:
    """The names that CONTEXT_FILE_NAMES sets instead, as a variable or else in its settings; None: the usual ones."""
    configured = look.names("CONTEXT_FILE_NAMES", CONFIG, last=True)
    try:
        named = check_file_names(json.loads(look.env.get("CONTEXT_FILE_NAMES", "")))
    except (ValueError, RecursionError):
        named = None
    return configured if named is None else named


def skills(look: Look) -> list[Skill]:
    """Those in the working directory, then those under home, by name; of two with one name the first."""
    return by_name(list_skills(look, SKILLS, [look.cwd]))


SECTIONS = (
    AgentSection("user-instructions", files=("user", "user-agents"),
        opens="### Global Hints\nThese are my global goose hints.\n", between="\n"),
    AgentSection("instructions", files=("project",),
        opens="### Project Hints\nThese are hints for working on the project in this directory.\n", between="\n"),
    AgentSection("skills", menu="• {{ name }} - {{ description }}",
        opens="You have these skills at your disposal, when it is clear they can help you solve a problem or you are asked to use them:\n"),
    AgentSection("added", files=("nested",), opens="### Subdirectory Hints\n", between="\n"),
)  # fmt: skip

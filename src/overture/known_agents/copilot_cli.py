"""GitHub Copilot CLI: copilot-instructions.md, AGENTS.md, CLAUDE.md and GEMINI.md together, and files by pattern."""

from itertools import groupby
from operator import attrgetter
from posixpath import join, normpath

from .kit import *

FACTS = AgentFacts(
    title="Copilot CLI", version="1.0.102", checked=date(2026, 11, 18), known="run", evidence="Seen in runs.",
    own=OwnPrompt(characters=21576, tools=17, tool_characters=26261, messages=75),
    signs=Signs(project=(".github/copilot-instructions.md", ".github/instructions", ".github/agents", ".github/skills"),
        home=(".copilot",), programs=("copilot",)), owns={".github": "GitHub Copilot"},
    shows="copilot instruction list, /instructions, /env",
    notes=(
        "It truncates nothing: if the files do not fit into the context window, it refuses to send.",
        "Of files with the same text only the first is sent, whether copied or symlinked.",
        "A file for certain paths is listed at the start as one row of a table: its pattern, its path, its description.",
        "excludeAgent works in .github/instructions, .claude/rules and ~/.copilot/instructions, also as a list; its other values, such as code-review, have no effect here.",
        "COPILOT_HOME moves ~/.copilot; ~/.agents/skills is then not searched.",
        "--no-custom-instructions disables all of it. Custom agents get none of it unless they set include-custom-instructions.",
        "It names files that it adds by their path relative to the root.",
    ),
)  # fmt: skip

PROGRAM = {"ways": ("proxy",)}
FOLDERS = {"folder": (".copilot", "COPILOT_HOME")}


def _read_path(_: str, path: str) -> str:
    """What `@` names: up to a blank or a `<`, and no folder."""
    path = path.partition("\\ ")[0].partition("<")[0]
    return "" if path.endswith("/") else path


INSTRUCTIONS = ".github/copilot-instructions.md"
RULES = (".github/instructions/**/*.instructions.md", ".claude/rules/**/*.md")
IMPORTS = Imports(depth=8, max_files=64, place="below", begins="mark", reads=_read_path, absolute=False,
    counts_in=("comment", "indented"), only_in=("copilot-instructions.md", "agents.md", "claude.md"), utf_8=True,
    before='<imported_custom_instruction source="{target}">\n', after="\n</imported_custom_instruction>",
    again='<imported_custom_instruction source="{target}" skipped="already-loaded" />')  # fmt: skip
WHEN = RuleConditions(globs=("applyTo", "paths"), everything=("**", "**/*", "*"), patterns="relative", broken="lines",
    announced=("waiting",), never=("excludeAgent=coding-agent", "excludeAgent=cloud-agent"))  # fmt: skip
SPOILED: Flaws = ("blank-lines",)
LISTED_SPOILED: Flaws = ("blank-lines", "unended")

USER = Step("user", ("copilot-instructions.md",), "home", ("{folder}",), case="any", utf_8=True, imports=IMPORTS)
REPOSITORY = Step("repository", (INSTRUCTIONS,), case="any", imports=IMPORTS)
AGENTS_MD = Step("agents-md", ("AGENTS.md", "CLAUDE.md", "GEMINI.md"), case="any", imports=IMPORTS)
PARENTS = Step("parents", (INSTRUCTIONS, "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md"), case="any",
    imports=IMPORTS,
    remark="The folders between the root and the working directory come last, the nearest first; there it also loads .claude/CLAUDE.md.")  # fmt: skip
USER_BY_PATH = Step("user-by-path", ("instructions/**/*.instructions.md",), "home", ("{folder}",), "rule", case="any",
    dotted="none", utf_8=True, conditions=replace(WHEN, globs=("applyTo",)), spoiled_by=SPOILED)  # fmt: skip
BY_PATH = Step("by-path", RULES, kind="rule", case="any", dotted="none", conditions=WHEN, spoiled_by=SPOILED,
    remark="It reads applyTo in .github/instructions and paths in .claude/rules; without one, or with `**`, the file is loaded at the start.")  # fmt: skip
ADDED_RULES = Step("added-rules", RULES, "home", kind="rule", case="any", dotted="none", conditions=WHEN,
    spoiled_by=SPOILED, remark="It skips AGENTS.md files there.")  # fmt: skip
ADDED = Step("added", ("**/*.instructions.md",), "home", kind="rule", case="any", dotted="none", conditions=WHEN,
    spoiled_by=SPOILED)  # fmt: skip
NESTED = Step("nested", (*PARENTS.names, *RULES), "later", case="any", dotted="none",
    conditions=replace(WHEN, announced=()), imports=IMPORTS, spoiled_by=SPOILED,
    remark="Also for a file beside the working directory, up to the root.")  # fmt: skip
AGENTS = Step("agents", ("~/{folder}/agents/**/*.agent.md", ".github/agents/**/*.agent.md", ".claude/agents/**/*.md"),
    kind="agent", tells="description", case="any", dotted="none",
    listing=Listing(needs=("utf-8", "frontmatter", "yaml", "texts", "keys-once", "description"), named="name",
        spoiled_by=LISTED_SPOILED, hidden_by=("disable-model-invocation",)))  # fmt: skip
COMMANDS = Step("commands", (".claude/commands/*.md",), kind="command", tells="description", case="any", dotted="none",
    remark="They are listed among the skills.",
    listing=Listing(needs=("yaml", "texts", "keys-once"), named="name", longest_name=64, described="body", longest=1024,
        spoiled_by=SPOILED, hidden_by=("disable-model-invocation",)))  # fmt: skip
CONFIG = Settings(("~/{folder}/config.json", "~/{folder}/settings.json"),
    unmodelled=("disabledSkills", "disabled_skills", "skillDirectories", "skill_directories", "enabledPlugins"))  # fmt: skip
SKILLS = Skills(project=(".github/skills", ".agents/skills", ".claude/skills"),
    home=("{folder}/skills", ".agents/skills"), depth=8, needs=("frontmatter", "yaml", "texts", "keys-once"),
    spoiled_by=LISTED_SPOILED, longest_name=64, name_like="[A-Za-z0-9][A-Za-z0-9_ .:-]*", longest=1024,
    described="body",
    menu=SkillMenu(most=15000, bare="{{ name }},", bare_most=4956, over="names", escapes="xml",
        remark="SKILL_CHAR_BUDGET sets the first number; of 800 skills, 542 were not listed at all."))  # fmt: skip


def skills(look: Look) -> list[Skill]:
    """Each of its folders from the working directory up, then those under home.

    Neighbours from one place are listed by name: from the working directory, from above it, or from a folder at home.
    """
    look.limit("menu.most", look.env.get("SKILL_CHAR_BUDGET"))
    own = list_places(look, [look.home], SKILLS.home)
    places = [place for name in SKILLS.project for place in list_places(look, look.upward[::-1], [name])]
    # Home may be one of the folders above: its folders then come with those under home.
    read = search(look, SKILLS, [*sorted(places, key=own.__contains__), *own])
    found = [(replace(skill, name=skill.name.replace(" ", "-")), place) for skill, place in read]
    sources = {skill.location: place.name if place in own else place.level == look.cwd for skill, place in found}
    groups = groupby(pick(look, SKILLS, found), key=lambda skill: sources[skill.location])
    return [skill for _, group in groups for skill in by_name(group)]


def files(look: Look) -> Iterator[Found]:
    """The user's, those of the root and of the working directory, those between; then files for certain paths.

    Of files with the same text, whatever their names, only the first is loaded. COPILOT_CUSTOM_INSTRUCTIONS_DIRS
    names more folders. What lies in other folders is loaded once it works there.
    """
    yield from look.each_text_once(_list_files(look))


def _list_files(look: Look) -> Iterator[Found]:
    """The user's, those of the root and cwd, those of the folders between; then files for paths, and on demand."""
    yield from look.each(USER)
    yield from look.each(REPOSITORY, look.ends)
    yield from look.each(AGENTS_MD, look.ends)
    yield from look.each(PARENTS, look.walk[-2:0:-1])
    yield from look.each(USER_BY_PATH)
    yield from look.each(BY_PATH, look.ends)
    added = _list_added_folders(look)
    yield from look.each(ADDED_RULES, added)
    yield from look.each(ADDED, added)
    yield from look.each(NESTED, look.beside()[::-1])


def _list_added_folders(look: Look) -> list[str]:
    """The folders that a variable adds, relative to the working directory."""
    names = look.env.get("COPILOT_CUSTOM_INSTRUCTIONS_DIRS", "").split(",")
    return [normpath(join(look.cwd, name.strip())) for name in names if name.strip()]


def agents(look: Look) -> Iterator[Found]:
    """Sub-agents by name; of one name the first: under home, then from the root down."""
    yield from sorted(look.unique(look.each(AGENTS, look.climb)), key=attrgetter("file.called"))


def commands(look: Look) -> Iterator[Found]:
    """Commands by name, those of the working directory first; a skill hides a command of its name."""
    skills, found = {skill.name: skill.location for skill in look.listed}, []
    for each in look.each(COMMANDS, look.climb):
        if each.file.called in skills:
            look.hide(each.spot, because("hidden", skills[each.file.called], "name"))
        else:
            found.append(each)
    yield from sorted(found, key=lambda each: (each.spot.folder != look.cwd, each.file.called))


SKILL_LINES = "<skill>\n  <name>{{ name }}</name>\n  <description>{{ description }}</description>\n</skill>"
SECTIONS = (
    AgentSection("skills", menu=SKILL_LINES, opens="<available_skills>\n", closes="\n</available_skills>"),
    AgentSection("commands", files=("commands",), each=SKILL_LINES, between="\n"),
    AgentSection("instructions", files=("user", "repository", "agents-md", "parents"),
        each="<custom_instruction>\n{{ text }}\n</custom_instruction>"),
    AgentSection("by-path", files=("user-by-path", "by-path", "added-rules", "added")),
    AgentSection("by-path-table", about="Files for certain paths: the model has to open them.",
        files=("user-by-path:waiting", "by-path:waiting", "added-rules:waiting", "added:waiting"),
        opens="| Pattern | File Path | Description |\n| ------- | --------- | ----------- |\n",
        each="| {{ front.applyTo }}{{ front.paths }} | '{{ in_project }}' | {{ front.description }} |", between="\n"),
    AgentSection("sub-agents", about="In the description of the tool `task`.", files=("agents",),
        each="- **{{ name }}**: {{ description }}"),
    AgentSection("added", place="user", files=("nested",),
        each="<system_reminder>\nCustom instructions from {{ relative }}.\n\n{{ text }}\n</system_reminder>"),
)  # fmt: skip

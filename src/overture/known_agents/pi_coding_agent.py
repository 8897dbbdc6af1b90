"""The pi coding agent: one file per folder from the file system's root down; SYSTEM.md and APPEND_SYSTEM.md."""

from posixpath import join

from .kit import *

FACTS = AgentFacts(
    title="pi coding agent", version="0.87.1", checked=date(2026, 11, 16), known="run",
    evidence="Seen in runs; names compared with its source.",
    own=OwnPrompt(characters=2692, tools=4, tool_characters=2956, messages=7),
    signs=Signs(project=(".pi",), home=(".pi",), programs=("pi",)), owns={".pi": "pi"},
    notes=(
        "Files in .pi and .agents/skills of a project are loaded once the user has approved the project (--approve); AGENTS.md and CLAUDE.md need no approval.",
        "SYSTEM.md replaces the agent's own prompt.",
        "It loads nothing on demand.",
        "It skips skills in hidden folders, in node_modules and in paths that .gitignore, .ignore or .fdignore exclude.",
    ),
)  # fmt: skip

PROGRAM = {"packages": ("@earendil-works/pi-coding-agent",), "ways": ("proxy",)}
FOLDERS = {"folder": (".pi/agent", "PI_CODING_AGENT_DIR")}

NAMES = ("AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD")
SYSTEM = Step("system", (".pi/SYSTEM.md", "~/{folder}/SYSTEM.md"),
    remark="It replaces the agent's own prompt; the project's file needs approval.")  # fmt: skip
APPEND = Step("append", (".pi/APPEND_SYSTEM.md", "~/{folder}/APPEND_SYSTEM.md"),
    remark="The project's file needs approval, and then replaces the user's.")  # fmt: skip
USER = Step("user", NAMES, "home", ("{folder}",), blank="keep")
PROJECT = Step("project", NAMES, blank="keep",
    remark="It also searches above the repository. An empty file hides the next name and leaves an empty frame.")  # fmt: skip
CONFIG = Settings(("~/{folder}/settings.json", ".pi/settings.json"), unmodelled=("skills", "packages", "extensions"))
SKILLS = Skills(here=(".pi/skills",), project=(".agents/skills",), home=("{folder}/skills", ".agents/skills"), depth=8,
    needs=("frontmatter", "yaml", "description", "keys-once"), spoiled_by=("blank-lines",),
    flat=(".pi/skills", "{folder}/skills"), loose=(".agents/skills",),
    menu=SkillMenu(escapes="xml",
        remark="No limit was seen: 120 skills gave 143,879 characters. A file directly in .pi/skills is a skill, and so is any .md file in a folder of .agents/skills."))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """Both parts of the system prompt, the project's before the user's; then one file of each folder from `/` down."""
    yield from look.first(look.spots(SYSTEM, [look.cwd]))
    yield from look.first(look.spots(APPEND, [look.cwd]))
    yield from look.first(look.spots(USER))
    taken: dict[str, str] = {}
    yield from look.first(_skip_copy(look, taken), taken)


def skills(look: Look) -> list[Skill]:
    """Those of .pi, of .agents from the working directory up, and under home, each by path; of one name the first."""
    here = list_places(look, [look.cwd], SKILLS.here)
    project = list_places(look, look.upward[::-1], SKILLS.project)
    places = [*here, *project, *list_places(look, [look.home], SKILLS.home)]
    return pick(look, SKILLS, search(look, SKILLS, places, sort=in_order_of_path))


def _skip_copy(look: Look, taken: dict[str, str]) -> Iterator[Spot]:
    """In a worktree inside its checkout, the checkout's file of the name that the worktree has hides, and is not read."""
    worktree, top, copy = look.place.worktree, look.root, ""
    if worktree is not None and not worktree.is_bare and worktree.around and top is not None:
        name = next((name for name in NAMES if look.reader.world.find(join(top, name), follow=True)), "")
        copy = join(worktree.around[0], name) if name else ""
    for spot in look.spots(PROJECT, look.above):
        if spot.path == copy and spot.folder not in taken:
            taken[spot.folder] = copy
            look.hide(spot, because("checkout", look.owner, "copy", spot.name))
        else:
            yield spot


SECTIONS = (
    AgentSection("system", files=("system",)),
    AgentSection("append", files=("append",), opens="<addendum>\n", closes="\n</addendum>"),
    AgentSection("instructions", files=("user", "project"), opens="<project_context>\n\n",
        each='<project_instructions path="{{ path }}">\n{{ text }}\n</project_instructions>',
        closes="\n</project_context>"),
    AVAILABLE_SKILLS,
)  # fmt: skip

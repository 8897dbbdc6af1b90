"""opencode: the first name found between the working directory and the root, nearest first; more files from its configuration."""

from .kit import *

FACTS = AgentFacts(
    title="opencode", version="1.18.33", checked=date(2026, 11, 17), known="run",
    evidence="Seen in runs; compared with its source.",
    own=OwnPrompt(characters=9604, tools=10, tool_characters=21144, messages=9),
    signs=Signs(project=(".opencode", "opencode.json", "opencode.jsonc"), home=(".config/opencode",),
        programs=("opencode",)), shows="opencode debug config, opencode debug skill",
    notes=(
        "Of two skills with the same name, the last one read wins: identical runs had different winners.",
        "It fetches URLs in `instructions`; they are not examined here.",
        "A file with only white space leaves its heading, an empty file nothing.",
        "OPENCODE_DISABLE_CLAUDE_CODE and OPENCODE_DISABLE_CLAUDE_CODE_PROMPT skip every CLAUDE.md; OPENCODE_DISABLE_EXTERNAL_SKILLS skips the skills of .claude and .agents.",
        "The files are read again for every request.",
        "An invalid value in a sub-agent, such as a number for a name, stops it with an error before anything is sent.",
    ),
)  # fmt: skip

PROGRAM = {
    "packages": ("opencode-ai",), "ways": ("proxy", "base"),
    "set": {
        "OPENCODE_CONFIG_CONTENT": '{"provider": {"anthropic": {"options": {"baseURL": "$ANTHROPIC/v1"}},\n"openai": {"options": {"baseURL": "$OPENAI"}}, "google": {"options": {"baseURL": "$GEMINI/v1beta"}}}}'},
}  # fmt: skip
FOLDERS = {"folder": (".config/opencode", "XDG_CONFIG_HOME/opencode")}

NAMES = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md")
SPOILED: Flaws = ("blank-lines",)
USER = Step("user", ("~/{folder}/AGENTS.md", "~/.claude/CLAUDE.md"), "home", ("",))
PROJECT = Step("project", NAMES, remark="One AGENTS.md, empty or not, hides every CLAUDE.md between here and the root.")
CONFIGURED = Step("configured", dotted="none",
    remark="Named by `instructions` in opencode.json; the frontmatter of these files has no effect.")  # fmt: skip
NESTED = Step("nested", NAMES, "later", remark="The first name of each folder, whatever was loaded above.")
AGENTS = Step("agents", (".opencode/agent/**/*.md", ".opencode/agents/**/*.md", "~/{folder}/agent/**/*.md",
        "~/{folder}/agents/**/*.md", "~/.opencode/agent/**/*.md", "~/.opencode/agents/**/*.md"),
    kind="agent", tells="description", dotted="all",
    listing=Listing(("keys-once",), SPOILED, "mended", named="name", folders="/", hidden_by=("disable", "mode=primary")))  # fmt: skip
CONFIG = Settings(("~/{folder}/config.json", "~/{folder}/opencode.json", "~/{folder}/opencode.jsonc", "opencode.json",
        "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"),
    where="walk", adds={"instructions": "configured", "skills.paths": "skills"},
    unmodelled=("permission.skill", "plugin", "agent", "mode", "command", "skills.urls"))  # fmt: skip
VARIABLES = ("OPENCODE_CONFIG", "OPENCODE_CONFIG_CONTENT", "OPENCODE_CONFIG_DIR", "OPENCODE_DISABLE_CLAUDE_CODE",
    "OPENCODE_DISABLE_CLAUDE_CODE_PROMPT", "OPENCODE_DISABLE_CLAUDE_CODE_SKILLS", "OPENCODE_DISABLE_EXTERNAL_SKILLS",
    "OPENCODE_PERMISSION", "OPENCODE_PURE")  # fmt: skip
SKILLS = Skills(unordered="winners",
    project=(".opencode/skill", ".opencode/skills", ".claude/skills", ".agents/skills"),
    home=("{folder}/skill", "{folder}/skills", ".opencode/skill", ".opencode/skills", ".agents/skills",
        ".claude/skills"),
    depth=8, nested=True, needs=("frontmatter", "name", "description", "texts", "keys-once"), broken="mended",
    spoiled_by=SPOILED, dotted=(".claude/skills", ".agents/skills"), hidden_by=(),
    menu=SkillMenu(remark="No limit was seen: 240 skills gave 293,322 characters."))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """The user's file, those of the project's first name, nearest first, then those that its configuration names.

    Of the folders on the way to a file, the first name of each is loaded once it works there.
    OPENCODE_DISABLE_PROJECT_CONFIG disables the project's first name.
    """
    if look.flag("OPENCODE_DISABLE_PROJECT_CONFIG"):
        look.off.add(PROJECT.step)
    nearest_first = look.climb[::-1]
    named = look.names("instructions", CONFIG) or ()
    yield from look.first(look.spots(USER))
    yield from read_one_name(look, PROJECT, nearest_first)
    for name in named:
        yield from look.each(CONFIGURED, nearest_first, [name])
    yield from look.first(look.spots(NESTED, look.below()[::-1]))


def read_one_name(look: Look, step: Step, folders: Iterable[str]) -> Iterator[Found]:
    """The files of the first name that is there in any of the folders."""
    spots = look.spots(step, folders)
    there = {spot.name for spot in spots if look.reader.world.find(spot.path, follow=True)}
    only = next((name for name in step.names if name in there), "")
    for spot in spots:
        if only and spot.name != only:
            look.hide(spot, because("hidden", only, "anywhere", spot.name))
        else:
            yield from look.read([spot])


def agents(look: Look) -> Iterator[Found]:
    """Sub-agents of the project and those under home, by name."""
    yield from sorted(look.each(AGENTS, look.climb), key=lambda each: each.file.called.casefold())


def skills(look: Look) -> list[Skill]:
    """Those of the project, nearest first, also in folders that its configuration names, then under home; by name."""
    more = look.names("skills.paths", CONFIG) or ()
    project = list_places(look, look.upward[::-1], [*SKILLS.project, *more])
    found = search(look, SKILLS, [*project, *list_places(look, [look.home], SKILLS.home)], sort=ignoring_case)
    return by_name(pick(look, SKILLS, found), folded=True)


FRAME = "Instructions from: {{ path }}\n{{ text }}"
SECTIONS = (
    AgentSection("instructions", files=("user", "project", "configured"), each=FRAME),
    AVAILABLE_SKILLS,
    AgentSection("sub-agents", about="In the description of the tool `task`.", files=("agents",),
        each="- {{ name }}: {{ description }}", between="\n"),
    AgentSection("added", place="user", files=("nested",), opens="<system-reminder>\n", each=FRAME,
        closes="\n</system-reminder>"),
)  # fmt: skip

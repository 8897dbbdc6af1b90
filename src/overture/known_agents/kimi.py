"""Moonshot's Kimi Code: AGENTS.md from the repository's root down, and one in .kimi-code beside each."""

from .kit import *

FACTS = AgentFacts(
    title="Kimi Code", version="2.1.0", checked=date(2026, 11, 16), known="run",
    evidence="Seen in runs; places of skills and sub-agents compared with its source.",
    own=OwnPrompt(characters=8289, tools=25, tool_characters=75673, messages=742),
    signs=Signs(project=(".kimi-code",), home=(".kimi-code",), programs=("kimi",)),
    also_called=("kimi-code", "kimi-cli"),
    notes=(
        "Over 32 KiB of files it prints a warning and truncates nothing.",
        "Sub-agents are listed in the description of its tool Agent.",
        "A resumed session keeps the text of its first start, even after an edit.",
        "The older kimi-cli is retired: it only prints a notice.",
    ),
)  # fmt: skip

PROGRAM = {
    "provider": "openai", "packages": ("@moonshot-ai/kimi-code", "kimi-cli"), "ways": ("proxy", "base"),
    "set": {"KIMI_BASE_URL": "$OPENAI", "OPENAI_BASE_URL": "$OPENAI", "ANTHROPIC_BASE_URL": "$ANTHROPIC"},
    "upstreams": {"openai": "https://api.kimi.com/coding/v1"},
    "notes": {"base": "its calls go to api.kimi.com/coding/v1, unless KIMI_BASE_URL or --upstream sets another URL"},
}  # fmt: skip
FOLDERS = {"folder": (".kimi-code", "KIMI_CODE_HOME")}

NAMES = (".kimi-code/AGENTS.md", "AGENTS.md|agents.md")
SPOILED: Flaws = ("blank-lines",)
LISTED = Listing(needs=("frontmatter", "yaml", "description", "texts-or-none", "keys-once", "words", "lower-case-name"),
    spoiled_by=SPOILED, named="name")  # fmt: skip
USER = Step("user", ("AGENTS.md",), "home", ("{folder}",))
USER_AGENTS = Step("user-agents", ("AGENTS.md|agents.md",), "home", (".agents",))
PROJECT = Step("project", NAMES, remark="The one in .kimi-code does not replace the one beside it: both are sent.")
NESTED = Step("nested", NAMES, "later", tells="path",
    remark="Below the working directory and elsewhere in the repository it names the files that apply; the model has to read them.")  # fmt: skip
PROJECT_AGENTS = Step("project-agents", (".kimi-code/agents/**/*.md", ".agents/agents/**/*.md"), kind="agent",
    tells="description", dotted="none", listing=LISTED)  # fmt: skip
AGENTS = Step("agents", ("agents/**/*.md",), "home", ("{folder}", ".agents"), kind="agent", tells="description",
    dotted="none", listing=LISTED)  # fmt: skip
CONFIG = Settings(("~/{folder}/config.toml",), unmodelled=("extra_skill_dirs", "merge_all_available_skills"))
VARIABLES = ("KIMI_SHARE_DIR",)
SKILLS = Skills(project=(".kimi-code/skills", ".agents/skills"), home=("{folder}/skills", ".agents/skills"), depth=9,
    needs=("frontmatter", "yaml", "name", "description", "texts", "keys-once"), alone_needs=("yaml",),
    spoiled_by=SPOILED, described="line", flat=(".kimi-code/skills", "{folder}/skills", ".agents/skills"),
    dotted="itself",
    menu=SkillMenu(entry=250, mark="...",
        remark="Every skill is listed, each with the first 250 characters of its description."))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """The user's own files, then those from the repository's top down; the paths of others once it works there."""
    yield from look.each(USER)
    yield from look.each(USER_AGENTS)
    yield from look.each(PROJECT, look.walk)
    yield from look.each(NESTED, look.beside())


def agents(look: Look) -> Iterator[Found]:
    """The project's sub-agents, by name, then those under home whose file names are new."""
    names: dict[str, str] = {}
    project: list[Found] = []
    for spot in look.spots(PROJECT_AGENTS, [look.project]):
        opened = look.open(spot)
        names |= {spot.called: spot.path} if opened.outcome in ("text", "blank") else {}
        project += opened.files
    yield from sorted(project, key=_fold_name)
    yield from sorted(look.first(look.spots(AGENTS), names, by_name=True), key=_fold_name)


def _fold_name(found: Found) -> str:
    return found.file.called.casefold()


def skills(look: Look) -> list[Skill]:
    """The project's by name, then those under home, ignoring letter case; of two with one name the first."""
    own = list_places(look, [look.home], SKILLS.home)
    found = search(look, SKILLS, [*list_places(look, [look.project], SKILLS.project), *own], sort=ignoring_case)
    home = tuple(place.path for place in own)
    listed = by_name(pick(look, SKILLS, found), folded=True)
    return sorted(listed, key=lambda skill: skill.location.startswith(home))


SECTIONS = (
    AgentSection("instructions", files=("user", "user-agents", "project"), opens="```````\n",
        each="<!-- From: {{ path }} -->\n{{ text }}", closes="\n```````"),
    AgentSection("skills", menu="- {{ name }}: {{ description }}\n  Path: {{ path }}"),
    AgentSection("sub-agents", files=("project-agents", "agents"), each="- {{ name }}: {{ description }}",
        between="\n"),
    AgentSection("added", place="user", files=("nested",), each="- {{ path }}", between="\n"),
)  # fmt: skip

"""Warp: WARP.md, else AGENTS.md, in each folder from the repository's root down."""

from .kit import *

FACTS = AgentFacts(
    title="Warp", version="source of 2026-08-22", checked=date(2026, 8, 22), known="code",
    evidence="Known from its source.",
    signs=Signs(project=("WARP.md", ".warp"), home=(".warp",), programs=("warp", "warp-terminal")),
    notes=(
        "It sends the files to its service, those under home first and the project's in no order; their frame there is unknown.",
        "Its documentation requires upper-case names; its source does not.",
        "/init only offers to link CLAUDE.md, .cursorrules and others.",
        "According to its source, it loads no project file outside a repository; whether that includes the working directory is unknown.",
        "An older version searched at most three folders below the root.",
        "Its list of skills has no fixed order either, and contains built-in skills.",
        "A description taken from the text of a skill has at most 512 characters.",
        "WARP_SKILL_DIRS names more skill folders for an agent that runs on the command line.",
        "Files in symlinked folders are not found.",
    ),
)  # fmt: skip

NAMES = ("WARP.md", "AGENTS.md")
USER = Step("user", ("AGENTS.md",), "home", (".agents",))
PROJECT = Step("project", NAMES, case="any", same_file="each",
    remark="A WARP.md hides the AGENTS.md beside it, not those in other folders.")  # fmt: skip
NESTED = Step("nested", NAMES, "later", case="any", same_file="each",
    remark="At the start the model gets the paths of those in other folders; their text follows when it edits a file there.")  # fmt: skip
SKILL_FOLDERS = (".agents/skills", ".warp/skills", ".claude/skills", ".codex/skills", ".cursor/skills",
    ".gemini/skills", ".copilot/skills", ".factory/skills", ".github/skills", ".opencode/skills", ".kiro/skills")  # fmt: skip
SKILLS = Skills(project=SKILL_FOLDERS, home=SKILL_FOLDERS, needs=("yaml",), described="prose",
    hidden_by=())  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """The user's file, then the first name of each folder from the root down, and of other folders it edits in."""
    yield from look.each(USER)
    yield from look.first(look.spots(PROJECT, look.walk))
    yield from look.first(look.spots(NESTED, look.beside()))


def skills(look: Look) -> list[Skill]:
    """Those of all folders up to the root and those under home, by name; several of one name too.

    Of skills with one text in the same folder only the first is listed.
    """
    own = list_places(look, [look.home], SKILLS.home)
    found = search(look, SKILLS, [*list_places(look, look.upward[::-1], SKILLS.project), *own])
    return by_name(pick(look, SKILLS, _drop_copies(look, found), every=True))


def _drop_copies(look: Look, found: Iterable[FoundSkill]) -> Iterator[FoundSkill]:
    first: dict[tuple[object, ...], str] = {}
    for skill, place in found:
        if (parsed := look.peek(skill.location, parse_skill)) is not None:
            key = (place.level, *sorted(parsed.fields.items()), parsed.body)
            if (other := first.setdefault(key, skill.location)) != skill.location:
                look.reader.note(skill.location, "skill", "duplicate", because("same-text", other, "first"))
                continue
        yield skill, place


SECTIONS = (
    AgentSection("instructions", files=("user", "project"), each="{{ path }}\n\n{{ text }}"),
    AgentSection("skills", menu="- {{ name }}: {{ description }}"),
    AgentSection("added", place="user", files=("nested",), each="{{ path }}\n\n{{ text }}"),
)  # fmt: skip

"""Zed: one rules file, the first of nine names, in the opened folder."""

from .kit import *

FACTS = AgentFacts(
    title="Zed", version="source of 2026-08-22", checked=date(2026, 8, 22), known="code",
    evidence="Known from its source.",
    signs=Signs(project=(".zed", ".rules"), home=(".config/zed",), programs=("zed", "zeditor")),
    notes=(
        "It works in the opened folder, here the working directory; with several open, it loads one file of each.",
        "A folder named .clinerules is skipped: only a file of that name is loaded.",
        "A project's skills are listed once its folder is trusted.",
        "A description of more than 1,024 bytes is listed anyway, with a warning.",
        "Started with a data folder of its own, it looks for its AGENTS.md there, which is not examined here.",
    ),
)  # fmt: skip
FOLDERS = {"folder": (".config/zed", "FLATPAK_XDG_CONFIG_HOME/zed", "XDG_CONFIG_HOME/zed")}

USER = Step("user", ("AGENTS.md",), "home", ("{folder}",))
PROJECT = Step("project", (".rules", ".cursorrules", ".windsurfrules", ".clinerules", ".github/copilot-instructions.md",
        "AGENT.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md"),
    blank="keep", remark="It loads one file: an old .cursorrules hides the AGENTS.md beside it.")  # fmt: skip
SKILLS = Skills(project=(".agents/skills",), home=(".agents/skills",), largest=102400,
    needs=("frontmatter", "yaml", "name", "description", "lower-case-name"),
    menu=SkillMenu(most=51200, counts="words", over="drop", escapes="html",
        remark="Counted in bytes; the first that does not fit and all after it are dropped, and it reports that."))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """The user's AGENTS.md, then the first of nine names in the opened folder, empty or not."""
    yield from look.each(USER)
    yield from look.first(look.spots(PROJECT, [look.cwd]))


def skills(look: Look) -> list[Skill]:
    """Those under home, then those of the opened folder, each by path; of one name the last, in place of the first."""
    return list_skills(look, SKILLS, [look.cwd], home_first=True, sort=in_order_of_path, last=True)


SECTIONS = (
    AVAILABLE_SKILLS,
    AgentSection("user-instructions", files=("user",), opens="### Personal `AGENTS.md`\n\n",
        each="``````\n{{ text }}\n``````"),
    AgentSection("instructions", files=("project",), opens="### Project Rules\n\n",
        each="`{{ opened }}`:\n``````\n{{ text }}\n``````"),
)  # fmt: skip

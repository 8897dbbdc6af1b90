"""Charm's Crush: the instruction files of six agents in the working directory, all of them."""

import re

from ..discovery.globs import list_files_within
from .kit import *

FACTS = AgentFacts(
    title="Crush", version="source of 2026-08-21 (0.90)", checked=date(2026, 8, 21), known="code",
    evidence="Known from its source.",
    signs=Signs(project=(".crush", "crush.json", ".crush.json", "CRUSH.md", "CRUSH.local.md"), home=(".config/crush",),
        programs=("crush",)),
    notes=(
        "Some lower-case names in its list never match where names are case-sensitive: agents.md, gemini.md and crush.md.",
        "Cursor's rules are sent unchanged, whatever their frontmatter says.",
        "Its shell configuration, crushrc and .crushrc, may add files and skills too; it is not examined here.",
        "A path in its configuration may begin with a variable, `$HOME/notes.md`, which is not resolved here.",
        "A skill may be in the folder of another skill, which is not searched here.",
    ),
)  # fmt: skip

PROGRAM = {"ways": ("proxy",)}
FOLDERS = {"folder": (".config/crush", "CRUSH_GLOBAL_CONFIG", "XDG_CONFIG_HOME/crush"),
    "beside": (".config", "CRUSH_GLOBAL_CONFIG/..", "XDG_CONFIG_HOME"), "config": (".config", "XDG_CONFIG_HOME"),
    "data": (".local/share/crush", "CRUSH_GLOBAL_DATA", "XDG_DATA_HOME/crush")}  # fmt: skip
PROJECT = Step("project", (".cursor/rules/**/*", ".cursorrules", ".github/copilot-instructions.md", "AGENTS.md",
        "CLAUDE.local.md", "CLAUDE.md", "CRUSH.local.md", "CRUSH.md", "GEMINI.md"),
    unordered="all", blank="keep", same_file="each", linked_folders=False)  # fmt: skip
USER = Step("user", ("~/{folder}/CRUSH.md", "~/{beside}/AGENTS.md"), unordered="all", blank="keep", same_file="each",
    linked_folders=False)  # fmt: skip
CONFIG = Settings(("/etc/crush/crush.json", "~/{folder}/crush.json", "~/{data}/crush.json", "crush.json", ".crush.json",
        ".crush/crush.json"),
    where="walk", adds={"options.context_paths": "project", "options.skills_paths": "skills"},
    replaces={"options.global_context_paths": "user"})  # fmt: skip
SKILLS = Skills(project=(".agents/skills", ".claude/skills", ".crush/skills", ".cursor/skills"),
    home=("{config}/crush/skills", "{config}/agents/skills", ".agents/skills", ".claude/skills"), depth=6,
    needs=("frontmatter", "yaml", "name", "description", "name-like-folder"), longest=1024,
    name_like="[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*", longest_name=64,
    menu=SkillMenu(escapes="xml"))  # fmt: skip


def files(look: Look) -> Iterator[Found]:
    """All names in the working directory and under home; settings add to the first and replace the others."""
    more = look.names("options.context_paths", CONFIG) or ()
    own = look.names("options.global_context_paths", CONFIG, last=True)
    yield from look.read(_find_within(look, PROJECT, (*PROJECT.names, *more)))
    yield from look.read(_find_within(look, USER, USER.names if own is None else own))


def _find_within(look: Look, step: Step, names: Sequence[str]) -> list[Spot]:
    """All files in folders of these names, and below them without links; or the files of these names; each once."""
    known = look.looked_for.setdefault(step.step, {})
    known.update(dict.fromkeys(map(look.fill, names)))
    found: dict[str, Spot] = {}
    for name in (look.fill(name).removesuffix("/**/*").rstrip("/") for name in names):
        paths = list_files_within(look.reader, look.cwd, name, look.home)
        known |= {f"{name}/**/*": None} if paths else {}
        spots = [Spot(step, look.cwd, f"{name}/**/*", path) for path in paths] or look.spots(step, [look.cwd], [name])
        for spot in spots:
            found.setdefault(spot.path, spot)
    return [*found.values()]


def skills(look: Look) -> list[Skill]:
    """Those under home, of the working directory and of the root, by path; of one name the last by path.

    CRUSH_SKILLS_DIR replaces the folders under home; options.disabled_skills excludes names.
    """
    own = [name.strip() for name in re.split("[,:]", look.env.get("CRUSH_SKILLS_DIR", "")) if name.strip()]
    project = (*SKILLS.project, *(look.names("options.skills_paths", CONFIG) or ()))
    places = list_places(look, [look.home], own or SKILLS.home) + list_places(look, look.ends[::-1], project)
    found, disabled = [*search(look, SKILLS, places)], look.names("options.disabled_skills", CONFIG) or ()
    for skill in (skill for skill, _ in found if skill.name in disabled):
        look.reader.note(skill.location, "skill", "skipped", because("excluded", "", "setting"))
    enabled = sorted((each for each in found if each[0].name not in disabled), key=lambda each: _sort_key(each[0]))
    return sorted(pick(look, SKILLS, enabled, last=True), key=_sort_key)


def _sort_key(skill: Skill) -> tuple[str, str]:
    """The path of its folder and its name, ignoring letter case."""
    return skill.location.rpartition("/")[0].lower(), skill.name.lower()


FRAME = '<file path="{{ path }}">\n{{ text }}\n</file>'
SECTIONS = (
    AVAILABLE_SKILLS,
    AgentSection("instructions", files=("project",), opens="# Project-Specific Context\n<project_context>\n",
        each=FRAME, closes="\n</project_context>"),
    AgentSection("user-instructions", files=("user",), opens="# User context\n<user_preferences>\n", each=FRAME,
        closes="\n</user_preferences>"),
)  # fmt: skip

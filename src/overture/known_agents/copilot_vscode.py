"""GitHub Copilot in VS Code: copilot-instructions.md, AGENTS.md, CLAUDE.md and *.instructions.md of the opened folder."""

from operator import attrgetter

from .kit import *

FACTS = AgentFacts(
    title="GitHub Copilot in VS Code", version="source of 2026-08-10 (1.130.0)", checked=date(2026, 8, 10),
    known="code", evidence="Known from its source.",
    signs=Signs(project=(".github/copilot-instructions.md", ".github/instructions", ".github/prompts",
            ".github/chatmodes"),
        programs=("code",)), also_called=("vscode-copilot", "vscode"), shows="Chat diagnostics",
    notes=(
        "According to its documentation, excludeAgent excludes a file from the cloud agent and from code review, not from the editor.",
        "It works in the opened folder, here the working directory.",
        "`applyTo` and `paths` are compared with files attached to a question, not with files that it opens by itself.",
        "Its list of instruction files also contains those whose text follows below it.",
        "Of a file and a symlink to it, it names the file.",
        "It searches a parent folder only if the user trusts the repository.",
        "Its user folder, here `~/.config/Code/User`, is elsewhere on other systems and in other profiles.",
        "With `github.copilot.chat.skillTool.enabled`, its list of skills has 15,000 characters, and 5,000 more for names.",
        "Tags in the description of a skill are removed.",
        "An agent in .github/agents has the `name` of its frontmatter, which is not examined here.",
        "These are the rules of its local agent: a session that it hands to another agent follows the rules of that agent.",
        "Instructions of an organisation come from the service, others from extensions and plugins.",
    ),
)  # fmt: skip
FOLDERS = {"user": (".config/Code/User",)}

EVERYTHING = ("**", "**/*", "*")
APPLY_TO = RuleConditions(globs=("applyTo",), texts=("applyTo",), everything=EVERYTHING, one_is_enough=True,
    base="anywhere", bare="model", announced=("waiting", "model"))  # fmt: skip
"""A list in `applyTo` has no effect: it has to be one string, with commas."""
PATHS = RuleConditions(globs=("paths",), everything=EVERYTHING, one_is_enough=True, base="anywhere", empty="never",
    announced=("waiting",))  # fmt: skip
NO_RULES = ("README.md",)

USER_PATH = Step("user-path", ("~/.copilot/instructions/**/*.instructions.md",), conditions=APPLY_TO)
USER_CLAUDE_RULES = Step("user-claude-rules", ("~/.claude/rules/**/*.md",), but_not=NO_RULES, conditions=PATHS)
USER_DATA = Step("user-data", ("~/{user}/prompts/**/*.instructions.md",), conditions=APPLY_TO)
PATH = Step("path", (".github/instructions/**/*.instructions.md",), conditions=APPLY_TO,
    remark="In a folder that a setting adds: `**/*.instructions.md`. Without `applyTo` it is listed, and the model may open it.")  # fmt: skip
CLAUDE_RULES = Step("claude-rules", (".claude/rules/**/*.md",), but_not=NO_RULES, conditions=PATHS)
REPOSITORY = Step("repository", (".github/copilot-instructions.md", "~/.copilot/copilot-instructions.md"), case="any")
AGENTS_MD = Step("agents-md", ("AGENTS.md",), case="any")
CLAUDE = Step("claude", ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "~/.claude/CLAUDE.md"), case="any")
NESTED = Step("nested", AGENTS_MD.names, "later", tells="path", case="any",
    remark="With `chat.useNestedAgentsMdFiles`, the model gets the paths of all of them in the opened folder.")  # fmt: skip
AGENTS = Step("agents", ("~/.copilot/agents/*.md", "~/.claude/agents/*.md", "~/{user}/prompts/*.agent.md",
        ".github/agents/*.md", ".claude/agents/*.md"),
    kind="agent", tells="description", but_not=NO_RULES,
    conditions=RuleConditions(never=("disable-model-invocation=true", "infer=false")),
    remark="In a folder that a setting adds: `*.agent.md`.")  # fmt: skip

RULE_FOLDERS = '"chat.instructionsFilesLocations"'
AGENT_FOLDERS = '"chat.agentFilesLocations"'
SKILL_FOLDERS = '"chat.agentSkillsLocations"'
INSIDE = {PATH.step: "**/*.instructions.md", AGENTS.step: "*.agent.md"}
"""A step -> its files in a folder that a setting adds."""
USE_PARENTS = '"chat.useCustomizationsInParentRepositories"'
USE_SKILLS = '"chat.useAgentSkills"'
USE_NESTED = '"chat.useNestedAgentsMdFiles"'
USE_FILES = {'"github.copilot.chat.codeGeneration.useInstructionFiles"': (REPOSITORY,),
    '"chat.useAgentsMdFile"': (AGENTS_MD,), '"chat.useClaudeMdFile"': (CLAUDE,),
    '"chat.includeApplyingInstructions"': (USER_PATH, USER_CLAUDE_RULES, USER_DATA, PATH, CLAUDE_RULES)}  # fmt: skip
"""A setting -> the steps that it disables if it is false."""
CONFIG = Settings(("~/{user}/settings.json", ".vscode/settings.json"), enables={USE_NESTED: NESTED.step},
    folders=(RULE_FOLDERS, AGENT_FOLDERS, SKILL_FOLDERS),
    unmodelled=('"chat.includeReferencedInstructions"', '"github.copilot.chat.codeGeneration.instructions"',
        '"github.copilot.chat.organizationInstructions.enabled"'))  # fmt: skip
SKILLS = Skills(project=(".agents/skills", ".github/skills", ".claude/skills"),
    home=(".agents/skills", ".copilot/skills", ".claude/skills"), needs=("description",), named="folder",
    menu=SkillMenu(entry=1024))  # fmt: skip


def skills(look: Look) -> list[Skill]:
    """Each of the project's folders, nearest first, then those under home; settings add and disable some.

    chat.useAgentSkills disables all of them.
    """
    project, home = _choose_skill_folders(look)
    if look.last(USE_SKILLS, bool, CONFIG) is False:
        return []
    levels = look.upward[::-1] if _uses_parents(look) else [look.cwd]
    own = list_places(look, [look.home], home)
    places = [place for name in project for place in list_places(look, levels, [name])]
    # Home may be one of the folders above: its folders then come with those under home.
    return pick(look, SKILLS, search(look, SKILLS, [*sorted(places, key=own.__contains__), *own]))


def _choose_skill_folders(look: Look) -> tuple[list[str], list[str]]:
    """The folders of a project and those under home; one that a setting adds may be under home too, as `~/…`."""
    project, home = list(SKILLS.project), list(SKILLS.home)
    for table in _read_tables(look, SKILL_FOLDERS):
        own = [f"~/{name}" for name in home]
        added = [name for name, on in table.value.items() if on and name not in own]
        project = [name for name in dict.fromkeys([*project, *added]) if table.value.get(name, True)]
        home = [name for name in home if table.value.get(f"~/{name}", True)]
        look.limit_reach(added, table)
    return project, home


def files(look: Look) -> Iterator[Found]:
    """Rules, then the files for all of the project: of files with one text only the first, whatever their names.

    With chat.useNestedAgentsMdFiles, the AGENTS.md of folders in which it works are listed. If set to false,
    chat.includeApplyingInstructions disables the rules, chat.useAgentsMdFile AGENTS.md, chat.useClaudeMdFile CLAUDE.md, and
    github.copilot.chat.codeGeneration.useInstructionFiles the copilot-instructions.md.
    chat.useCustomizationsInParentRepositories adds the folders above, up to the root.
    """
    for key, steps in USE_FILES.items():
        look.off.update(step.step for step in steps if look.last(key, bool, CONFIG) is False)
    if not look.last(USE_NESTED, bool, CONFIG):
        look.off.add(NESTED.step)
    folders = _list_folders(look)
    yield from look.each_text_once(_list_rules(look, folders))
    yield from look.each_text_once(_read_by_path(look, REPOSITORY, folders))
    both = [found for step in (AGENTS_MD, CLAUDE) for found in look.each_text_once(_read_by_path(look, step, folders))]
    yield from sorted(both, key=lambda found: found.file.path)
    yield from look.each(NESTED, look.below())


def agents(look: Look) -> Iterator[Found]:
    """Those under home and in the project's folders; settings add and disable folders."""
    names = _choose_names(look, AGENT_FOLDERS, (AGENTS,))
    yield from look.each(AGENTS, _list_folders(look), names[AGENTS.step])


def _list_rules(look: Look, folders: Sequence[str]) -> Iterator[Found]:
    """The user's rules, then those of the project, nearest first."""
    names = _choose_names(look, RULE_FOLDERS, (USER_PATH, USER_CLAUDE_RULES, PATH, CLAUDE_RULES))
    for step in (USER_PATH, USER_CLAUDE_RULES, USER_DATA, PATH, CLAUDE_RULES):
        yield from look.each(step, folders[::-1], names.get(step.step))


def _read_by_path(look: Look, step: Step, folders: Sequence[str]) -> Iterator[Found]:
    return look.read(sorted(look.spots(step, folders), key=attrgetter("path")))


def _list_folders(look: Look) -> list[str]:
    """The opened folder; with a setting, also those above it up to the repository's root, outermost first."""
    return look.walk if _uses_parents(look) else [look.cwd]


def _uses_parents(look: Look) -> bool:
    return bool(look.last(USE_PARENTS, bool, CONFIG))


def _choose_names(look: Look, key: str, steps: Sequence[Step]) -> dict[str, list[str]]:
    """The names of steps, with those in folders that a setting adds, and without those in folders that it disables."""
    names = {step.step: list(map(look.fill, step.names)) for step in steps}
    for table in _read_tables(look, key):
        off = tuple(f"{folder}/" for folder, on in table.value.items() if not on)
        for step, own in names.items():
            added = [f"{folder}/{INSIDE[step]}" for folder, on in table.value.items() if on and step in INSIDE]
            names[step] = [name for name in dict.fromkeys([*own, *added]) if not name.startswith(off)]
            look.limit_reach(added, table)
    return names


def _read_tables(look: Look, key: str) -> Iterator[Value]:
    """What each file has for a key: a table of folders, each true or false."""
    for each in look.values(key, CONFIG):
        rows = list(each.value.items())[:MAX_SETTING_NAMES] if isinstance(each.value, dict) else None
        table = {path.strip().rstrip("/"): on for path, on in rows or () if isinstance(on, bool)}
        names = look.check_names(table if rows is None else list(table), each)
        if names is not None:
            yield each._replace(value={name: table[name] for name in names})


SECTIONS = (
    AgentSection("listed", about="Instruction files that are not loaded at the start: the model has to open them.",
        files=("user-path:waiting", "user-path:model", "user-claude-rules:waiting", "user-data:waiting",
            "user-data:model", "path:waiting", "path:model", "claude-rules:waiting", "nested"),
        opens="<instructions>\n",
        each="<instruction>\n<file>{{ path }}</file>\n<description>{{ front.description }}</description>\n<applyTo>{{ front.applyTo }}{{ front.paths }}</applyTo>\n</instruction>",
        between="\n", closes="\n</instructions>"),
    AgentSection("skills",
        menu="<skill>\n<name>{{ name }}</name>\n<description>{{ description }}</description>\n<file>{{ path }}</file>\n</skill>",
        opens="<skills>\n", closes="\n</skills>"),
    AgentSection("sub-agents", files=("agents",), opens="<agents>\n",
        each="<agent>\n<name>{{ name }}</name>\n<description>{{ description }}</description>\n</agent>", between="\n",
        closes="\n</agents>"),
    AgentSection("instructions",
        files=("user-path", "user-claude-rules", "user-data", "path", "claude-rules", "repository", "agents-md",
            "claude"),
        each='<attachment filePath="{{ path }}">\n{{ text }}\n</attachment>', between="\n"),
)  # fmt: skip

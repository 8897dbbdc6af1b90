"""Anthropic's Claude Code: CLAUDE.md from the file system's root down, rules, and AGENTS.md if there is no CLAUDE.md."""

from collections.abc import Iterable, Sequence
from posixpath import join, relpath

from ..discovery.globs import matches_glob
from .kit import *

FACTS = AgentFacts(
    title="Claude Code", version="2.1.325", checked=date(2026, 11, 18), known="run",
    evidence="Seen in runs; the option of AGENTS.md compared with what its makers publish of it.",
    own=OwnPrompt(characters=15125, tools=12, tool_characters=30363, messages=1170),
    signs=Signs(project=("CLAUDE.md", ".claude", "CLAUDE.local.md"), home=(".claude",), programs=("claude",)),
    shows="/context, /memory",
    notes=(
        "If the list of skills is too long, the skills used least lose their descriptions.",
        "An import from outside the working directory, even from the repository's root, is loaded only after the user has approved it; ~/.claude.json stores that.",
        "The option instructionFiles works only in the user's settings: claude-md, claude-md-or-agents-md, claude-md-and-agents-md, managed-only.",
        "--setting-sources user, --bare and --safe-mode skip the project's files.",
        "Versions before 2.1.277 do not read AGENTS.md.",
    ),
)  # fmt: skip

# It knows its provider by the host: with another base URL it was seen to leave out what concerns its cache, and to cut
# its system prompt into three blocks instead of four, marked elsewhere (2.1.325).
PROGRAM = {
    "provider": "anthropic", "packages": ("@anthropic-ai/claude-code",), "ways": ("proxy", "base"),
    "set": {"ANTHROPIC_BASE_URL": "$ANTHROPIC"},
    "notes": {
        "base": "with a base URL other than Anthropic's it sends another request: its prompt in other blocks, with other cache breakpoints, and without the beta headers for its cache and remote control"},
}  # fmt: skip
FOLDERS = {"folder": (".claude", "CLAUDE_CONFIG_DIR")}


def _read_path(before: str, path: str) -> str:
    r"""What `@` names: without the mark that ends a text in Markdown, or `#part`; `\ ` is a space."""
    if end := {"*": "*", "[": "](", ">": "<"}.get(before):
        inner, found, _ = path.partition(end)
        path = inner if found or before == ">" else ""
    path = path.rstrip("_") if before == "_" else path
    return path.replace("\\ ", " ").partition("#")[0]


ENDINGS = frozenset(["md", "txt", "text", "rst", "adoc", "asciidoc", "org", "tex", "latex", "log", "diff", "patch",
        "lock", "json", "yaml", "yml", "toml", "ini", "cfg", "conf", "config", "properties", "env", "xml", "csv",
        "html", "htm", "css", "scss", "sass", "less", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue",
        "svelte", "astro", "ejs", "hbs", "pug", "jade", "php", "py", "pyi", "pyw", "rb", "erb", "rake", "c", "cc",
        "cpp", "cxx", "h", "hpp", "hxx", "cs", "go", "rs", "swift", "java", "kt", "kts", "scala", "sbt", "gradle",
        "clj", "cljs", "cljc", "edn", "ex", "exs", "erl", "hrl", "hs", "lhs", "elm", "ml", "mli", "pl", "pm", "lua",
        "r", "dart", "f", "f90", "f95", "for", "sql", "graphql", "gql", "proto", "sh", "bash", "zsh", "fish", "ps1",
        "bat", "cmd", "cmake", "make", "makefile"])  # fmt: skip
"""Endings of files that it imports: no `.mdc`, `.mdx` or `.markdown`."""
IMPORTS = Imports(
    4, "after", "cwd", begins="text", reads=_read_path, tail=False, counts_in=(), home=True, endings=ENDINGS
)
OWN_IMPORTS = replace(IMPORTS, within="anywhere")
STRIPPED: Stripped = ("frontmatter", "broken-frontmatter", "comments")
SPOILED: Flaws = ("blank-lines", "unended")
WHEN = RuleConditions(globs=("paths",), broken="mended", base="folder", below_cwd=True, patterns="gitignore")
LOCAL = "CLAUDE.local.md"
RULES = ".claude/rules/**/*.md"
CLAUDE_MD = ("CLAUDE.md", ".claude/CLAUDE.md")
OTHER_MD = ("AGENTS.md", ".claude/AGENTS.md")

MANAGED = Step("managed", ("/etc/claude-code/CLAUDE.md",), "home", known="docs", imports=IMPORTS, strip=STRIPPED,
    spoiled_by=SPOILED,
    remark="On macOS it is in /Library/Application Support/ClaudeCode; a policy may contain it too, as claudeMd.")  # fmt: skip
USER = Step("user", ("CLAUDE.md",), "home", ("{folder}",), imports=OWN_IMPORTS, strip=STRIPPED, spoiled_by=SPOILED)
USER_RULES = Step("user-rules", ("rules/**/*.md",), "home", ("{folder}",), "rule", dotted="all", unordered="rules",
    shows_target=True, conditions=replace(WHEN, base="cwd"), imports=OWN_IMPORTS, strip=STRIPPED, spoiled_by=SPOILED)  # fmt: skip
PROJECT = Step("project", (*CLAUDE_MD, RULES, LOCAL), dotted="all", unordered="rules", links="rules-inside",
    shows_target=True, conditions=WHEN, imports=IMPORTS, strip=STRIPPED, spoiled_by=SPOILED,
    remark="It also searches above the repository. A comment inside a line stays. A key globs has no effect: the rule is always loaded.")  # fmt: skip
AGENTS_MD = Step("agents-md", OTHER_MD, imports=IMPORTS, strip=STRIPPED, spoiled_by=SPOILED,
    remark="Since 2.1.277. One CLAUDE.md with text besides comments and frontmatter, in any of these folders, hides every AGENTS.md; ~/.claude/CLAUDE.md and rules hide none.")  # fmt: skip
NESTED = replace(PROJECT, step="nested", names=(*CLAUDE_MD, LOCAL, RULES), place="later", remark="")
NESTED_AGENTS_MD = Step("nested-agents-md", OTHER_MD, "later", imports=IMPORTS, strip=STRIPPED, spoiled_by=SPOILED,
    remark="Only if AGENTS.md is loaded at the start too. There, CLAUDE.md with text hides the AGENTS.md of its own folder alone.")  # fmt: skip
AGENTS = Step("agents", ("~/{folder}/agents/**/*.md", ".claude/agents/**/*.md"), kind="agent", tells="description",
    dotted="all",
    listing=Listing(("frontmatter", "name", "description", "texts"), SPOILED, "mended", "[^-:][^:]*", named="name"),
    remark="Up to the repository's root, not above.")  # fmt: skip
COMMANDS = Step("commands", ("~/{folder}/commands/**/*.md", ".claude/commands/**/*.md"), kind="command",
    tells="description",
    dotted="all",
    listing=Listing(spoiled_by=SPOILED, broken="mended", described="line", folders=":", entry=1536,
        hidden_by=("disable-model-invocation",)),
    remark="They are listed among the skills.")  # fmt: skip

ALL_SETTINGS = Settings(("~/{folder}/settings.json", ".claude/settings.json", ".claude/settings.local.json"),
    unmodelled=("skillListingBudgetFraction", "skillOverrides", "enabledPlugins", "strictPluginOnlyCustomization",
        "permissions.additionalDirectories", "claudeMd"))  # fmt: skip
APPROVED = Settings(("~/.claude.json",))
OWN_SETTINGS = Settings(("~/{folder}/settings.json",))
VARIABLES = ("CLAUDE_CODE_DISABLE_CLAUDE_MDS", "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD", "CLAUDE_CODE_SIMPLE",
    "CLAUDE_CODE_DISABLE_BUNDLED_SKILLS", "CLAUDE_CODE_PLUGIN_DIRS")  # fmt: skip
SKILLS = Skills(project=(".claude/skills",), home=("{folder}/skills",), needs=(), named="both", described="line",
    spoiled_by=SPOILED, broken="mended", dotted=True,
    menu=SkillMenu(most=24000, bare="- {{ name }}", counts="names", entry=1536, mark="…", over="names", escapes="tags",
        remark="1 % of the model's window (8,000 characters for 200,000 tokens; 24,000 in the run); the skills used least lose their descriptions first; names stay."),
    later=True, not_ignored=True)  # fmt: skip


def skills(look: Look) -> list[Skill]:
    """Those under home, then those of the project, nearest first; a worktree without any borrows the checkout's.

    Below the working directory it lists them once it works there; one whose name is taken has its folder before it.
    skillListingMaxDescChars in its settings and SLASH_COMMAND_TOOL_CHAR_BUDGET set the limits of the list.
    """
    look.limit("menu.entry", look.last("skillListingMaxDescChars", int, ALL_SETTINGS))
    look.limit("menu.most", look.env.get("SLASH_COMMAND_TOOL_CHAR_BUDGET"))
    own = list_places(look, reversed(look.climb), SKILLS.project)
    borrowed = list_places(look, _find_lenders(look, "skills"), SKILLS.project)
    places = [*list_places(look, [look.home], SKILLS.home), *own, *borrowed]
    found = [*search(look, SKILLS, places, sort=ignoring_case)]
    names = {skill.name for skill, _ in found}
    there = (p for p in list_places(look, look.below(), SKILLS.project) if look.reader.world.exists(p.path))
    below = [place for place in there if not _is_ignored(look, place.level)]
    for skill, place in search(look, SKILLS, below):
        name = f"{relpath(place.level, look.cwd)}:{skill.name}" if skill.name in names else skill.name
        names.add(name)
        found.append((replace(skill, name=name), place))
    return pick(look, SKILLS, found)


def files(look: Look) -> Iterator[Found]:
    """CLAUDE.md of the machine and of the user, the user's rules, then the project's files from `/` down.

    AGENTS.md counts where there is no CLAUDE.md. What lies below the working directory is loaded once it works there:
    first its own files, then rules from above it for that path, then AGENTS.md. What a rule imports is loaded while
    the rule itself waits. claudeMdExcludes in its settings excludes paths.
    """
    option = look.last("pluginConfigs.agents-md@builtin.options.instructionFiles", str, OWN_SETTINGS)
    yield from _read(look, look.spots(MANAGED, ["/"]))
    if option == "managed-only":
        look.off |= {step.step for step in (USER, USER_RULES, PROJECT, AGENTS_MD, NESTED_AGENTS_MD)}
        return
    if option == "claude-md":
        look.off |= {AGENTS_MD.step, NESTED_AGENTS_MD.step}
    yield from _read(look, [*look.spots(USER), *look.spots(USER_RULES)])
    project, agents_md, nested, nested_agents_md = (
        _approve(look, step) for step in (PROJECT, AGENTS_MD, NESTED, NESTED_AGENTS_MD)
    )
    found = [*_read(look, look.spots(project, look.above))]
    both = option == "claude-md-and-agents-md"
    hiding = "" if both else _find_claude_md(look, look.above)
    found += _read(look, look.spots(agents_md, look.above), hiding)
    found.sort(key=lambda each: look.above.index(each.spot.folder))
    touched = [each for each in found if each.file.kind == f"{project.step}:touched"]
    yield from (each for each in found if each not in touched)
    # `.claude/worktrees`, its own folder for worktrees, holds nothing that it works on here.
    below = [
        folder for folder in look.below() if "/.claude/worktrees/" not in f"{folder[len(look.cwd.rstrip('/')) :]}/"
    ]
    yield from _read(look, look.spots(nested, below))
    yield from touched
    for folder in below:
        near = "" if both else _find_claude_md(look, [folder])
        yield from _read(look, look.spots(nested_agents_md, [folder]), hiding or near)


def agents(look: Look) -> Iterator[Found]:
    """Sub-agents by name; of one name the last: under home, then from the root down."""
    spots = look.spots(AGENTS, [*look.climb, *_find_lenders(look, "agents")])
    yield from sorted(look.unique(look.read(spots), last=True), key=lambda each: each.file.called.casefold())


def commands(look: Look) -> Iterator[Found]:
    """Commands by name; a skill that the model sees hides a command of its name."""
    spots = look.spots(COMMANDS, [*look.climb, *_find_lenders(look, "commands")])
    before = {skill.name: skill.location for skill in look.listed if not skill.disable_model_invocation}
    found = look.unique(look.read(spots), before=before)
    yield from sorted(found, key=lambda each: each.file.called.casefold())


def _find_lenders(look: Look, folder: str) -> list[str]:
    """The checkout of a worktree that has no such folder in its .claude."""
    return [] if look.reader.world.is_folder(join(look.project, ".claude", folder)) else look.lenders


def _approve(look: Look, step: Step) -> Step:
    """The step, with imports from anywhere if the user has approved them for this folder or its project."""
    keys = (f'projects."{folder}".hasClaudeMdExternalIncludesApproved' for folder in (look.cwd, look.project))
    return replace(step, imports=OWN_IMPORTS) if any([look.last(key, bool, APPROVED) for key in keys]) else step


def _read(look: Look, spots: Iterable[Spot], hiding: str = "") -> Iterator[Found]:
    """The files that neither a setting excludes nor another file hides.

    In a worktree inside its checkout, only CLAUDE.local.md of that checkout counts.
    """
    excluded = look.names("claudeMdExcludes", ALL_SETTINGS) or ()
    for spot in spots:
        if spot.step.place == "project" and spot.folder in look.outer and spot.name != LOCAL:
            look.hide(spot, because("checkout", look.owner))
        elif hiding:
            look.hide(spot, because("hidden", hiding, "everywhere", " and ".join(spot.step.names)))
        elif any(matches_glob(f"/{each.lstrip('/')}", spot.path.lstrip("/")) for each in excluded):
            look.hide(spot, because("excluded", "", "setting"))
        else:
            yield from look.read([spot])


def _find_claude_md(look: Look, folders: Sequence[str]) -> str:
    """The outermost CLAUDE.md with text in these folders."""
    for folder in folders:
        for name in (LOCAL,) if folder in look.outer else (*CLAUDE_MD, LOCAL):
            path = join(folder, name)
            raw, entry = look.peek(path, make_raw_text), look.reader.world.find(look.reader.real_or(path))
            # One that may not be read, or that has not been fetched, counts by its size.
            if has_text(PROJECT, raw) if raw else entry is not None and entry.kind == "file" and entry.size > 0:
                return path
    return ""


def _is_ignored(look: Look, folder: str) -> bool:
    """Whether git ignores a folder below the working directory, or one on the way to it: the last line decides."""
    here, lists = look.project, list[tuple[str, list[str]]]()
    for step in relpath(folder, here).split("/"):
        lists.append((here, look.read_ignore_lines(here)))
        here, last = join(here, step), ""
        for top, lines in lists:
            for line in lines:
                pattern = line.removeprefix("!").rstrip("/")  # `a/**` matches what is below `a`
                pattern = f"{pattern}/*" if pattern.endswith("/**") else pattern
                last = line if matches_glob(pattern, relpath(here, top)) else last
        if last and not last.startswith("!"):
            return True
    return False


OWN = "Contents of {{ path }} (user's private global instructions for all projects):\n\n{{ text }}"
SHARED = "Contents of {{ path }} (project instructions, checked into the codebase):\n\n{{ text }}"
SECTIONS = (
    AgentSection("instructions", place="user", files=("managed", "user", "user-rules", "project", "agents-md"),
        opens="<system-reminder>\n",
        each={"managed": "Contents of {{ path }}:\n\n{{ text }}", "user": OWN, "user-rules": OWN, "project": SHARED,
            "CLAUDE.local.md": "Contents of {{ path }} (user's private project instructions, not checked in):\n\n{{ text }}",
            "agents-md": SHARED},
        closes="\n</system-reminder>"),
    AgentSection("sub-agents", place="user", files=("agents",), each="- {{ name }}: {{ description }}", between="\n"),
    AgentSection("skills", place="user", menu="- {{ name }}: {{ description }}"),
    AgentSection("commands", place="user", files=("commands",), each="- {{ name }}: {{ description }}", between="\n"),
    AgentSection("added", place="user", files=("user-rules:touched", "nested", "project:touched", "nested-agents-md"),
        each="<system-reminder>\nContents of {{ path }}:\n\n{{ text }}\n</system-reminder>"),
)  # fmt: skip

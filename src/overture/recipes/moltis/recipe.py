"""Moltis: persona, project, machine, skills, workspace, memory and tools, in twelve sections."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from ...model.diagnostic import ENTITY, Diagnostic, report_line_breaks, warning
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.cut_to_beginning import beginnings_of_part, shorter_lines
from ...model.recipe.recipe import Recipe
from ...model.recipe.rule import ALWAYS, SOME, Rule, all_of, has, rule
from ...model.recipe.section import Section, first_of, heading, section
from ...model.source import Source, from_file, from_state
from ...model.state.agent_and_runtime import Agent, Runtime, Sandbox, SessionInfo, User
from ...model.state.files import MAX_DESCRIPTION_CHARS, Skill, TextFile, WorkspaceFile
from ...model.tool import Tool, one_of, takes, text, whole
from ...model.wants import ContextFiles, PersonaFiles, SkillDirs, Wants, WorkspaceFiles
from ...sections.project_files_and_git import explain_no_files, files_under_headings
from ...sections.skill_menu import (
    listed_skills,
    report_broken_element,
    report_broken_field,
    shorten_menu_description,
    skill_folder,
    write_menu,
)
from ...sections.tools_and_guidelines import active_names, bullets, fired_guidelines, report_broken_names, write_tools
from ...sections.tools_and_guidelines import guidelines as table_bullets
from ...text.escape import escape_attribute
from ...text.frontmatter import TextBelowComments, strip_comments
from ...text.invisible import escape_char
from ...text.normalize import tidy, to_one_line
from ...text.scan_for_marks import scan
from ...text.truncate import grapheme_boundary
from .. import read_prose

TOOLS = (
    Tool(
        "exec",
        "Run a shell command.",
        takes(
            {"command": text("The command line.")},
            {"timeout": whole("Seconds after which it is stopped. Default: it is not.")},
        ),
    ),
    Tool(
        "browser",
        "Open a page in a browser and work with it.",
        takes(
            {"action": one_of("What to do.", "open", "read", "click", "type", "screenshot", "close")},
            {
                "url": text("The page's address, to open it."),
                "selector": text("The CSS selector of what to click, or to type into."),
                "text": text("What to type."),
            },
        ),
    ),
    Tool(
        "web_search",
        "Search the web.",
        takes({"query": text("What to search for.")}, {"count": whole("How many results to give at most.")}),
    ),
    Tool(
        "web_fetch",
        "Fetch one page as text.",
        takes({"url": text("The page's address.")}, {"max_chars": whole("How many characters to give at most.")}),
    ),
    Tool(
        "memory_search",
        "Search what was kept from earlier sessions.",
        takes({"query": text("What to look for.")}, {"limit": whole("How many notes to give at most.")}),
    ),
    Tool("memory_get", "Read a kept note in full.", takes({"id": text("The note, as a search names it.")})),
    Tool("memory_save", "Keep a fact for later sessions.", takes({"text": text("The fact, in a sentence.")})),
    Tool("memory_forget", "Remove a fact that was kept.", takes({"id": text("The fact, as a search names it.")})),
)


RULES = (
    rule("answer_first", ALWAYS, "Give the answer first, then only what helps to use it."),
    rule("admit_gaps", ALWAYS, "Say so when you do not know; never invent facts."),
    rule("tools_when_needed", SOME, "Call a tool when it brings you nearer to the answer, not to seem busy."),
    rule(
        "exec_for_work",
        has("exec"),
        "Use `exec` for what a shell does well: files, builds, tests, version control, the state of the system.",
        "Before a command of `exec` deletes, overwrites or sends anything, be sure that the user wants that.",
    ),
    rule(
        "search_the_web",
        has("web_search"),
        "Use `web_search` for what may have changed since you were trained, and name the pages that you relied on.",
    ),
    rule("fetch_a_page", has("web_fetch"), "Use `web_fetch` to read a page whose address you have."),
    rule(
        "browser_for_pages",
        has("browser"),
        "Use `browser` for pages that must be clicked through, filled in or seen as a person sees them.",
    ),
    rule(
        "fetch_before_browser",
        all_of(has("web_fetch"), has("browser")),
        "Try `web_fetch` before `browser`: it is faster, and enough for plain text.",
    ),
    rule("own_words", SOME, "Say what a tool's result means; do not recite its raw output."),
)
MEMORY = (
    rule(
        "search_memory",
        has("memory_search"),
        "Look with `memory_search` before you say that you do not know something about the user or their work.",
    ),
    rule("get_memory", has("memory_get"), "Read with `memory_get` whatever you found only in part."),
    rule(
        "save_memory",
        has("memory_save"),
        "Keep with `memory_save` what will matter later: a preference, a decision, a name, a date.",
    ),
    rule("forget_memory", has("memory_forget"), "Remove with `memory_forget` what is no longer true or wanted."),
    rule("delete_memory", has("memory_delete"), "Remove with `memory_delete` what is no longer true or wanted."),
)
CALLING = read_prose(__package__, "calling.md")
SILENCE = read_prose(__package__, "silence.md")
MEMORY_TOOLS = "What you learn can outlast this session. Your tools for that: "
NO_TOOLS = Skip("no tool is active")


@section("memory", frame=heading("## Long-Term Memory"), priority=45, rules=MEMORY)
def moltis_memory(rules: tuple[Rule, ...], tools: tuple[Tool, ...]) -> Body:
    """How to use the active memory tools, and which they are."""
    active = [(i, t) for i, t in enumerate(tools) if t.name.startswith("memory_") and not t.planning_only]
    if not active:
        return Skip("no memory tool is active")
    names = [
        Part(to_one_line(t.name), from_state(f"tools[{i}].name"), t.name, before="`", after="`") for i, t in active
    ]
    hints = bullets(fired_guidelines(rules, tools)) or ""
    listed = Group(tuple(names), sep=", ", before=MEMORY_TOOLS, after=".")
    return Group((listed, hints), sep="\n\n", notes=report_broken_names(active))


@section("tools", frame=heading("## Available Tools"), priority=85)
def moltis_tools(tools: tuple[Tool, ...], native_tools: bool) -> Body:
    """The active tools: one line each if the provider gets their schemas, otherwise in full."""
    active = [(index, tool) for index, tool in enumerate(tools) if not tool.planning_only]
    skipped_names = [tool.name for tool in tools if tool.planning_only]
    message = f"Moltis lists only tools that can be called: {', '.join(skipped_names)} (planning only) skipped"
    notes = (*([warning("tool-planning-only", message)] if skipped_names else []), *report_broken_names(active))
    if not active:
        return Skip(NO_TOOLS.reason, notes)
    return replace(write_tools(active, native=native_tools), notes=notes)


@section("calling", pace="static", frame=heading("## How to call tools"), priority=85)
def moltis_calling(tools: tuple[Tool, ...], native_tools: bool) -> Body:
    """How to write a tool call, for providers without native tool calling."""
    if native_tools:
        return Skip("the provider calls tools natively")
    return CALLING if active_names(tools) else NO_TOOLS


@section("guidelines", pace="static", frame=heading("## Guidelines"), priority=60, rules=RULES)
def moltis_guidelines(rules: tuple[Rule, ...], tools: tuple[Tool, ...]) -> Body:
    """How to work: two general lines, and more for the active tools."""
    return table_bullets(rules, tools) or Skip("no rule fires")


@section("silent-replies", pace="static", frame=heading("## Silent Replies"), priority=35)
def moltis_silent_replies(tools: tuple[Tool, ...]) -> Body:
    """When to say nothing: the output of a tool may be the whole answer."""
    return SILENCE if active_names(tools) else NO_TOOLS


TITLE = "Execution routing:\n"
SUDO = "- On the host, `sudo -n` works without a password. Use it only for what needs it."
ROUTES = {
    (True, True): read_prose(__package__, "exec_in_sandbox.md"),
    (True, False): "- A command runs in the sandbox described above or on the host, as the tool that runs it decides. "
    "The sandbox shares with the host only what that line says.\n"
    "- When you report a result, be clear about where it was obtained.",
    (
        False,
        True,
    ): "- `exec` runs its commands on the host itself. There is no sandbox: what they change stays changed.",
    (False, False): "- There is no sandbox: what a tool changes on the host stays changed.",
    (None, True): "- `exec` runs its commands in a sandbox or on the host: which of the two is not known. "
    "Act as if what they change stays changed, and find out before you rely on either.",
    (None, False): "- A command runs in a sandbox or on the host: which of the two is not known. "
    "Act as if what it changes stays changed.",
}
"""By whether the sandbox is enabled (None: it is described, but `enabled` is not set), and whether `exec` is active."""
ROUTES_WITHOUT_SANDBOX = {
    True: "- `exec` runs its commands on this machine. Act as if what they change stays changed.",
    False: "- Act as if what a tool changes stays changed.",
}
"""Without `runtime.sandbox`, it is unknown whether there is a sandbox. By whether `exec` is active."""
UNKNOWN_SANDBOX = "runtime.sandbox describes a sandbox, but runtime.sandbox.enabled does not say whether it is on"
"""Overture does not guess: a wrong guess promises a missing sandbox, or denies an existing one."""


def write_routing(runtime: Runtime, *, active: bool) -> Group:
    """Where commands run, in Moltis's runtime section. `active` is whether `exec` is an active tool."""
    sudo = SUDO if active and runtime.sudo_non_interactive else ""
    route = ROUTES_WITHOUT_SANDBOX[active] if runtime.sandbox is None else ROUTES[runtime.sandbox.enabled, active]
    return Group((route, sudo), before=TITLE)


def report_unknown_sandbox(sandbox: Sandbox | None) -> tuple[Diagnostic, ...]:
    """Moltis's warning about a sandbox that is described without `enabled`."""
    if sandbox is None or sandbox.enabled is not None:
        return ()
    message = f"{UNKNOWN_SANDBOX}: it is skipped; set it to true or false"
    return (Diagnostic("warning", "sandbox-unknown", message, field="runtime.sandbox.enabled"),)


HOST_FIELDS = (
    "host", "os", "arch", "shell", "provider", "model", "session", "sudo_non_interactive",
    "timezone", "accept_language", "location",
)  # fmt: skip
SANDBOX_FIELDS = ("enabled", "mode", "backend", "scope", "image", "workspace_mount", "network")
USER_FIELDS = ("timezone", "location")


class RuntimeFact(NamedTuple):
    """One `key=value` of a line of Moltis's runtime section, and its field of the state."""

    key: str
    value: str
    field: str
    raw: str | bool | None
    """The unformatted value of the field."""


@section("runtime", frame=heading("## Runtime"), priority=55)
def moltis_runtime(
    runtime: Runtime | None, user: User | None, tools: tuple[Tool, ...], session: SessionInfo | None
) -> Body:
    """Facts about host and sandbox, one per line; with tools, also where commands run."""
    facts, active = runtime or Runtime(), active_names(tools)
    return write_runtime_lines(facts, user, session, write_routing(facts, active="exec" in active) if active else None)


def write_runtime_lines(runtime: Runtime, user: User | None, session: SessionInfo | None, routes: Group | None) -> Body:
    """The lines of Moltis's runtime section: the known facts, and the routing, if there is any."""
    sandbox = runtime.sandbox if runtime.sandbox and runtime.sandbox.enabled else None
    facts = (list(_list_host_facts(runtime, user, session)), list(_list_sandbox_facts(sandbox)))
    notes = (*report_unknown_sandbox(runtime.sandbox), *(note for line in facts for note in _report_forged(line)))
    if not any(facts) and routes is None:
        return Skip("nothing is known about a host or a sandbox", notes)
    lines = Group((_write_runtime_line("Host: ", facts[0]), _write_runtime_line("Sandbox(exec): ", facts[1])))
    omits = (UNKNOWN_SANDBOX,) if report_unknown_sandbox(runtime.sandbox) else ()
    return Group((lines, routes or ""), sep="\n\n", notes=notes, omits=omits)


def _list_host_facts(runtime: Runtime, user: User | None, session: SessionInfo | None) -> Iterator[RuntimeFact]:
    """The facts of Moltis's line about the host."""
    for key in HOST_FIELDS:
        raw = getattr(runtime, key)
        if value := _write_value(raw):
            yield RuntimeFact(key, value, f"runtime.{key}", raw)
        elif key in USER_FIELDS and (value := _write_value(raw := getattr(user, key, None))):
            yield RuntimeFact(key, value, f"user.{key}", raw)
        elif key == "session" and (value := _write_value(raw := session.id if session else None)):
            yield RuntimeFact(key, value, "session.id", raw)


def _list_sandbox_facts(sandbox: Sandbox | None) -> Iterator[RuntimeFact]:
    """The facts of an enabled sandbox. Moltis does not mention a disabled one: it would confuse the model."""
    for key in SANDBOX_FIELDS if sandbox else ():
        value = getattr(sandbox, key)
        switch = key == "network" and isinstance(value, bool)
        text = ("enabled" if value else "disabled") if switch else _write_value(value)
        if text:
            yield RuntimeFact(key, text, f"runtime.sandbox.{key}", value)


def _write_value(value: str | bool | None) -> str:
    """A value in a line of Moltis's runtime section."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return to_one_line(value or "")


def _write_runtime_line(label: str, facts: Iterable[RuntimeFact]) -> Group:
    """`Host: host=devbox | os=linux`. A value can't start another key or another line."""
    parts = [Part(f.value.replace("|", r"\|"), from_state(f.field), f.key, before=f"{f.key}=") for f in facts]
    return Group(tuple(parts), sep=" | ", before=label)


def _report_forged(facts: Iterable[RuntimeFact]) -> Iterator[Diagnostic]:
    """The warnings about facts that would start another key in Moltis's runtime section."""
    for fact in facts:
        if isinstance(fact.raw, str):
            yield from report_line_breaks(fact.field, fact.raw)
        if "|" in fact.value:
            yield warning(
                "contained-separator", f"{fact.field}: its `|` is written `\\|`, because it would begin another key"
            )


SOUL = read_prose(__package__, "soul.md")
INTRODUCTION_WITH_TOOLS = "You are a helpful assistant with access to tools for executing shell commands."
INTRODUCTION_WITHOUT_TOOLS = "You are a helpful assistant. Answer questions clearly and concisely."
IDENTITY = ("name", "emoji", "creature", "vibe")


@section("introduction", pace="static", priority=100, required=True)
def moltis_introduction(tools: tuple[Tool, ...]) -> Body:
    """What the assistant is: one with tools, or one without."""
    active = active_names(tools)
    if not active:
        return INTRODUCTION_WITHOUT_TOOLS
    if "exec" in active:
        return INTRODUCTION_WITH_TOOLS
    # The text of the introduction is fixed, so a diagnostic reports the mismatch.
    promised = warning("tool-inactive", "the introduction mentions shell commands, but `exec` is not an active tool")
    return Group((INTRODUCTION_WITH_TOOLS,), notes=(promised,))


def write_custom_prompt(agent: Agent | None) -> Body:
    """In Moltis, the caller's own prompt as it stands."""
    if agent is None or not (agent.system_prompt or "").strip():
        return None
    return Part(agent.system_prompt or "", from_state("agent.system_prompt"), trusted=True)


def write_moltis_identity_line(agent: Agent | None) -> Body:
    """The agent's name, kind and manner on one line; or `agent.system_prompt` instead."""
    fields = [field for field in IDENTITY if _get_agent_text(agent, field)]
    if not fields:
        return Skip("no identity is given")
    if fields == ["emoji"]:
        return Skip("an emoji without a name says nothing")
    name = ("name", "emoji") if "name" in fields else ()
    shown = (*name, "creature", "vibe")
    return Group(
        (
            Group(
                tuple([_make_agent_part(agent, field) for field in name]), sep=" ", before="Your name is ", after="."
            ),
            Group((_make_agent_part(agent, "creature"),), before="You are a ", after="."),
            Group((_make_agent_part(agent, "vibe"),), before="Your vibe: ", after="."),
        ),
        sep=" ",
        notes=tuple([note for f in shown for note in report_line_breaks(f"agent.{f}", getattr(agent, f, None))]),
    )


identity = Section("identity", first_of(write_custom_prompt, write_moltis_identity_line), "static", priority=95)


@section("soul", pace="static", frame=heading("## Soul"), priority=60)
def moltis_soul(agent: Agent | None) -> Body:
    """The agent's character: SOUL.md, or else Moltis's own."""
    if write_custom_prompt(agent) is not None:
        return Skip("agent.system_prompt replaces identity and soul")
    text, skipped = tidy((agent.soul if agent else None) or "")
    if text:
        return Part(text, Source("state", name="agent.soul", line=1 + skipped), leaner=beginnings_of_part)
    # An agent gets a soul, even if all fields of its identity are empty.
    return Skip("neither an identity nor a soul is given") if agent is None else SOUL


@section("user", priority=65)
def moltis_user(user: User | None) -> Body:
    """The user's name."""
    name = to_one_line((user.name if user else None) or "")
    if not name:
        return Skip("the user's name is not given")
    name_line = Part(name, from_state("user.name"), before="The user's name is ", after=".")
    return Group((name_line,), notes=report_line_breaks("user.name", user.name if user else None))


def _get_agent_text(agent: Agent | None, field: str) -> str:
    """A field of the agent in Moltis's persona, on one line."""
    return to_one_line(getattr(agent, field, None) or "")


def _make_agent_part(agent: Agent | None, field: str) -> Part:
    """A part of Moltis's persona, from a field of the agent."""
    return Part(_get_agent_text(agent, field), from_state(f"agent.{field}"), name=field)


WORKSPACE_NAMES = ("AGENTS.md", "TOOLS.md")
WORKSPACE_REST = "[{shown} of {all} workspace files are shown: there is no room for the others.]"
MAX_FILE_CHARS = 32_000
"""Characters of one file that are loaded."""


def format_workspace_title(name: str) -> str:
    """Moltis's title of a workspace file: `### AGENTS.md (workspace)`."""
    return f"### {to_one_line(name)} (workspace)"


@section("workspace", frame=heading("## Workspace Files"), headings=(format_workspace_title("{}"),), priority=65)
def moltis_workspace(workspace_files: tuple[WorkspaceFile, ...]) -> Body:
    """The agent's standing instructions and its user's preferences for tools."""
    if not workspace_files:
        return Skip("there are no workspace files")
    numbered = sorted(enumerate(workspace_files), key=lambda item: _rank_workspace_file(item[1]))
    titles = tuple(format_workspace_title(file.name) for file in workspace_files)
    read = [(index, file, strip_comments(file.content)) for index, file in numbered]
    notes = tuple(note for index, file, body in read for note in _find_workspace_problems(index, file, body))
    shown = tuple([_write_file_under_title(index, file, body, titles) for index, file, body in read if body.text])
    if not shown:
        return Skip("the workspace files contain only comments", notes)
    return Group(shown, sep="\n\n", notes=notes, loose="outermost", rest=WORKSPACE_REST)


def _rank_workspace_file(file: WorkspaceFile) -> int:
    """The position of a workspace file in Moltis's order."""
    return WORKSPACE_NAMES.index(file.name) if file.name in WORKSPACE_NAMES else len(WORKSPACE_NAMES)


def _write_file_under_title(index: int, file: WorkspaceFile, body: TextBelowComments, titles: tuple[str, ...]) -> Group:
    """A workspace file of Moltis under its name. Its text can't contain another file's title."""
    where = f"workspace_files[{index}]"
    shown = body.text if len(body.text) <= MAX_FILE_CHARS else body.text[: grapheme_boundary(body.text, MAX_FILE_CHARS)]
    name = Part(to_one_line(file.name) or "(no name)", from_state(f"{where}.name"), before="### ", after=" (workspace)")
    content = Part(
        shown,
        from_file(file.path, file.line + body.skipped),
        name=file.path,
        guard=titles,
        leaner=beginnings_of_part,
        whole=body.text if shown is not body.text else "",
    )
    omitted = len(body.text) - len(shown)
    if not omitted:
        return Group((name, content), sep="\n\n")
    cut = f": {omitted:,} of {len(body.text):,} characters are left out from here on.]"
    shown_path = file.path.strip() or to_one_line(file.name) or "the file"
    path = Part(shown_path, from_state(f"{where}.path"), before="[", after=cut, single=True)
    return Group((name, content, path), sep="\n\n")


def _find_workspace_problems(index: int, file: WorkspaceFile, body: TextBelowComments) -> Iterator[Diagnostic]:
    """The warnings about a workspace file of Moltis."""
    if body.text:
        yield from report_line_breaks(f"workspace_files[{index}].name", file.name, file.path)
    if body.open_line is not None:
        message = "the comment at the top is not closed, so it is kept: put `-->` after it"
        yield warning("comment-open", message, file.path, file.line + body.open_line - 1)
    if len(body.text) > MAX_FILE_CHARS:
        message = f"it has {len(body.text):,} characters, but only {MAX_FILE_CHARS:,} are loaded: shorten it"
        yield warning("workspace-cut", message, file.path)


MENU = "## Available Skills\n<available_skills>\n"


ATTRIBUTE = re.compile(r'<skill name="[^"]*"')


@section("project-context", frame=heading("## Project Context"), headings=("### {}",), priority=70)
def moltis_project_context(context_files: tuple[TextFile, ...]) -> Body:
    """The project's own instructions, outermost file first."""
    return explain_no_files(context_files) or files_under_headings(context_files, "###")


@section("skills", tags=("available_skills",), headings=("## Available Skills",), children=("skill",), priority=40)
def moltis_skills(skills: tuple[Skill, ...], tools: tuple[Tool, ...]) -> Body:
    """The skills that can be loaded on demand, each with its folder."""
    shown = listed_skills(skills)
    if not shown:
        return Skip("there are no skills" if not skills else "every skill is hidden from the model")
    if not active_names(tools):
        return Skip("skills are loaded with tools, and no tool is active")
    return write_menu(shown, write_attributed_skill, MENU, "\n</available_skills>", report=report_escaped_attributes)


RECIPE = Recipe(
    "moltis",
    sections=(
        moltis_introduction,
        identity,
        moltis_soul,
        moltis_user,
        moltis_project_context,
        moltis_runtime,
        moltis_skills,
        moltis_workspace,
        moltis_memory,
        moltis_tools,
        moltis_calling,
        moltis_guidelines,
        moltis_silent_replies,
    ),
    about="A personal agent: identity and soul, context, runtime, skills, workspace files, tools, guidelines.",
    wants=Wants(
        walk="root",
        context=ContextFiles(("CLAUDE.md", "CLAUDE.local.md", ".claude/rules/*.md", "AGENTS.md"), nested=True),
        skills=SkillDirs(project=("{folder}/skills",), home=("{folder}/skills",)),
        persona=PersonaFiles("{folder}"),
        workspace=WorkspaceFiles("{folder}", WORKSPACE_NAMES),
        runtime=True,
        sudo=True,
    ),
    tools=TOOLS,
    active=("exec", "browser"),
    settings={"folder": ".moltis"},
)


def report_escaped_attributes(skill: Skill) -> Iterator[Diagnostic]:
    """Diagnostics of the skills section of Moltis. Attributes are the recipe's own text, which is not sanitized."""
    yield from report_broken_element(skill, ENTITY)
    yield from report_broken_field(skill, "source", skill.source or "", ENTITY)
    attributes = f"{skill.name}\n{skill.source or ''}\n{skill.location}"
    marks = scan(attributes)
    for code, positions in (("hidden-character", marks.hidden), ("control-character", marks.controls)):
        if positions:
            message = f"a character that nobody sees is shown as `{escape_char(attributes[positions[0]])}`"
            yield warning(code, f"the skill's name, source or path: {message}", skill.where.path, skill.where.line)


def write_attributed_skill(skill: Skill) -> Part:
    """A `<skill>` element with name, source and folder as attributes, and the description as its text."""
    name, source, path = (
        escape_attribute(skill.name),
        escape_attribute(skill.source or "skill"),
        escape_attribute(skill_folder(skill.location)),
    )
    before = f'<skill name="{name}" source="{source}" path="{path}">\n'
    text = tidy(skill.description)[0].strip()
    if not text:
        bare = f'<skill name="{name}"/>'
        return Part(f"{before}</skill>", skill.where, skill.name, trusted=True, leaner=(bare,))
    # A description could close its element and imitate another skill.
    guard = ("skill",)
    description, full = shorten_menu_description(text), text if len(text) > MAX_DESCRIPTION_CHARS else ""
    end, leaner = "\n</skill>", list_shorter_attributed
    return Part(
        description, skill.where, skill.name, before=before, after=end, guard=guard, leaner=leaner, whole=full
    )  # fmt: skip


def list_shorter_attributed(part: Part) -> tuple[str | Group, ...]:
    """Shorter forms of Moltis's skills: less of the description, down to its first sentence; only the name."""
    name = ATTRIBUTE.match(part.before)
    bare = [Group((f"{name[0]}/>",))] if name else []
    return *shorter_lines(part.text), Group((f"{part.before}</skill>",)), *bare

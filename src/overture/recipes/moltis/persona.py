"""Moltis's persona: introduction, identity, soul, user, and the workspace files that describe them."""

from collections.abc import Iterator

from ...model.diagnostic import Diagnostic, report_line_breaks, warning
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.cut_to_beginning import beginnings_of_part
from ...model.recipe.section import Section, first_of, heading, section
from ...model.source import Source, from_file, from_state
from ...model.state.agent_and_runtime import Agent, User
from ...model.state.files import WorkspaceFile
from ...model.tool import Tool
from ...sections.tools_and_guidelines import active_names
from ...text.frontmatter import TextBelowComments, strip_comments
from ...text.normalize import tidy, to_one_line
from ...text.truncate import grapheme_boundary
from .. import read_prose

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

"""A diagnostic describes what is wrong in a user's file in one line, under a code; it is never an exception."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Literal

from msgspec.structs import force_setattr

from ..text.invisible import escape_to_line
from ..text.lazy_pattern import compile_on_use
from ..text.secrets.find_and_hide import hide_secrets, may_hold_secret
from .struct import Frozen, note

Level = Literal["info", "warning", "error"]
"""Info: correct behaviour that may still surprise; it fails no `--strict`."""
BREAK = compile_on_use("[\n\r\u2028\u2029]")
"""Characters that are written as a blank. Other line ends are control characters, which are shown and reported."""
BLANK = "as a space"
ENTITY = "as an entity, e.g. `&#10;`"
AROUND_BREAK = " \t\n\r\u2028\u2029"
DIAGNOSTIC_CODES: Mapping[str, str] = {
    "agents-partly": "an agent's files are known only in part",
    "clock-missing": "the state has no time, so the prompt has none",
    "comment-open": "a comment in a persona file is never closed",
    "contained-break": "a line break in a value is replaced by a space or an entity",
    "contained-fence": "an open code block is closed, so that it does not contain the text below",
    "contained-heading": "text that imitates a heading of the prompt is escaped",
    "contained-separator": "a separator in a value is escaped",
    "contained-tag": "text that imitates a tag of the prompt is escaped",
    "contained-token": "a control token of a model is escaped",
    "data-key": "the program can't read a key of the mission's data",
    "data-mismatch": "the mission's data does not fit its signature",
    "empty-reply": "a reply has no text and no calls",
    "error-details": "the prompt refers to details of an error that are missing",
    "extension-failed": "an extension could not be set up",
    "extension-missing": "a saved session used an extension that is not passed again",
    "fence-missing": "a recipe's fence can't be written",
    "field-unread": "no section of the recipe reads a field of the state",
    "file-cut": "a file is truncated at the limit of the agent or recipe",
    "half-character": "a message contains half a surrogate pair",
    "home-unreadable": "the home directory can't be read",
    "hook-failed": "a hook is skipped: it raised, took too long or returned an invalid value",
    "import-cycle": "a file imports itself",
    "import-deep": "imports are nested too deeply",
    "import-ignored": "git ignores a file that is imported",
    "import-kind": "the agent does not import files of that kind",
    "import-many": "a file imports too many others",
    "import-missing": "an imported file can't be read",
    "import-outside": "an import of a file outside the project",
    "inspect-failed": "a turn could not be published",
    "max-turns": "a mission is over its limit of turns",
    "mcp-config": "a setting of an MCP server can't be used",
    "mcp-failed": "an MCP server could not be started, or did not respond",
    "mcp-server": "tools or texts of an MCP server are skipped or truncated",
    "mcp-untrusted": "a project's MCP server needs approval with `overture trust`",
    "menu-cut": "the list of skills is truncated",
    "mission-missing": "the recipe needs a mission, and the state has none",
    "mode-tools": "a mission has tools, but its mode does not use them",
    "mode-turns": "a mission has several turns, but its mode has one",
    "model-unknown": "the provider has no model with that name",
    "not-modelled": "Overture does not model a setting of an agent",
    "persona-skipped": "a persona file is skipped",
    "placeholder-repeated": "a placeholder appears twice",
    "project-gone": "the project's folder was removed; the session continues",
    "recipe-broken": "a recipe can't be loaded",
    "reload-failed": "reloading failed; the earlier files stay in use",
    "reply-parts": "parts of a framework's reply are not stored",
    "responsibility-blank": "a responsibility has no title or no text",
    "role-unused": "the state has a role that nothing uses",
    "rule-folders": "a folder of rules has too many folders",
    "rule-invalid": "a rule file's frontmatter can't be used",
    "sandbox-unknown": "a value of the sandbox is unknown",
    "save-differs": "a saved session would send a different prompt now",
    "settings-invalid": "an agent's settings file can't be read",
    "several-replies": "a response has several replies; the first is used",
    "skill-folders": "a folder of skills has too many folders",
    "skill-resources": "a skill has more files than are listed",
    "skill-skipped": "a skill is skipped",
    "skill-unknown": "there is no skill with that name",
    "skills-many": "there are more skills than are listed",
    "tap-file-left-out": "a file is too large to be compared with the prompt",
    "tap-files-partly": "only some files are compared with the prompt",
    "tap-index-not-kept": "the index of files could not be saved",
    "template-collision": "two templates have the same name",
    "template-invalid": "a template's frontmatter can't be used",
    "template-large": "a filled template would be too large",
    "theme-missing": "a theme does not exist",
    "tool-call-invalid": "a call's arguments are not a JSON object",
    "tool-inactive": "a tool is mentioned but not active",
    "tool-large": "a tool has more than 100,000 bytes",
    "tool-name": "a provider refuses a tool's name, so it is not sent",
    "tool-planning-only": "a tool is shown for planning and can't be called",
    "tool-refused": "a sub-agent may not use a tool",
    "tool-schema": "a tool has no schema and is sent without arguments",
    "tool-unknown": "there is no tool with that name",
    "tools-trimmed": "no tool matches the filter, so all are shown",
    "trust-unreadable": "the list of trusted files can't be read",
    "unanswered-item": "a reply contains an item that the session can't answer",
    "unclosed-fence": "a code block is never closed",
    "value-cut": "a value of the mission is truncated",
    "workspace-cut": "a workspace file is truncated",
}


class Diagnostic(Frozen, frozen=True, omit_defaults=False, forbid_unknown_fields=False):
    """One problem in a file or a value: what is wrong, where, and what to do."""

    level: Level
    code: Annotated[str, note("the kind of problem, e.g. skill-invalid; it never changes its meaning")]
    message: str
    path: str | None = None
    line: int | None = None
    field: Annotated[str | None, note("the field of the State that it is about")] = None
    column: Annotated[int | None, note("counted in characters, from 1")] = None

    def __post_init__(self) -> None:
        # A value that it names may be a key: no message shows one.
        if may_hold_secret(self.message):
            force_setattr(self, "message", hide_secrets(self.message))

    def __str__(self) -> str:
        """`warning: PATH: line 2: what is wrong`, on one line and with nothing that a terminal would obey."""
        where = f"{escape_to_line(self.path)}: " if self.path else ""
        column = f", column {self.column}" if self.column else ""
        line = f"line {self.line}{column}: " if self.line else ""
        return hide_secrets(f"{self.level}: {where}{line}{escape_to_line(self.message)}")


def warning(
    code: str, message: str, path: str | None = None, line: int | None = None, column: int | None = None
) -> Diagnostic:
    """Worth knowing: something is not as it should be, or not used."""
    return Diagnostic("warning", code, message, path, line, column=column)


def has_problem(notes: Iterable[Diagnostic]) -> bool:
    """Whether anything is wrong: `--strict` fails then."""
    return any(note.level != "info" for note in notes)


def error(code: str, message: str, path: str | None = None, line: int | None = None) -> Diagnostic:
    """A file contains something that can't be used as written."""
    return Diagnostic("error", code, message, path, line)


def report_escaped_breaks(field: str, text: str) -> tuple[Diagnostic, ...]:
    """The same for a field inside an attribute, where every line break is escaped."""
    return (_report(field, ENTITY, None, field),) if not text.isprintable() and BREAK.search(text) else ()


def report_skill_breaks(what: str, text: str, how: str, path: str, line: int | None) -> tuple[Diagnostic, ...]:
    """The same for a skill: `what` is its name, its source or its path."""
    checked = text.strip(AROUND_BREAK) if how is BLANK else text
    return (_report(f"the skill's {what}", how, path, None, line),) if BREAK.search(checked) else ()


def _report(what: str, how: str, path: str | None, field: str | None, line: int | None = None) -> Diagnostic:
    """The diagnostic of a line break in a single-line value."""
    message = f"{what}: a line break in a single-line value: it is written {how}"
    return Diagnostic("warning", "contained-break", message, path, line, field)


# A line break in a single-line value, as a name, a path or a fact -> its report.
# The renderer writes a blank or an entity in place of the break. Multi-line texts that are joined to one line,
# such as descriptions, are not reported.


def report_line_breaks(field: str, text: str | None, path: str | None = None) -> tuple[Diagnostic, ...]:
    """The report of a line break in a single-line field; leading and trailing breaks do not count."""
    # Almost every name is printable, which costs next to nothing to see.
    if not text or text.isprintable() or not BREAK.search(text.strip(AROUND_BREAK)):
        return ()
    return (_report(field, BLANK, path, field),)

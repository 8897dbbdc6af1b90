"""What an agent looks for and how it reads it: the half of an agent's module that is data. The other half is code."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from typing import Annotated, Literal

from msgspec.structs import replace

from .struct import Frozen, note
from .wants import Wants

FrontmatterFlaw = Literal["bom", "blank-lines", "unended", "blanks-after-first", "blanks-after-last"]
SkillNeed = Literal[
    "frontmatter",
    "yaml",
    "name",
    "description",
    "name-is-folder",
    "name-like-folder",
    "lower-case-name",
    "words",
    "utf-8",
    "texts",
    "texts-or-none",
    "keys-once",
    "keys",
]

Flaws = tuple[FrontmatterFlaw, ...]
Needs = tuple[SkillNeed, ...]
Stripped = tuple[Literal["frontmatter", "broken-frontmatter", "comments"], ...]


Evidence = Literal["run", "code", "docs", "reported"]
"""How a rule is known: seen in a run, read in the source, documented by its makers, reported by others."""
FileKind = Literal["instructions", "rule", "skill", "command", "agent", "settings"]
TEXT_KINDS: tuple[FileKind, ...] = ("instructions", "rule")
"""The kinds of files whose text an agent loads; of others it gets a line, or nothing."""


class Imports(Frozen, frozen=True):
    """How an agent follows `@path` in a file."""

    depth: Annotated[int, note("how deep imports may nest")]
    place: Annotated[
        Literal["inline", "below", "after"],
        note("where its text goes: in place of `@path`, below that line, or as a file of its own after the other"),
    ] = "inline"
    within: Annotated[Literal["project", "cwd", "folder", "anywhere"], note("which files may be imported")] = "project"
    max_files: Annotated[int, note("the maximum number of files that one file imports, directly or not")] = 1000
    home: Annotated[bool, note("`~/` is supported")] = False
    absolute: Annotated[bool, note("paths that begin with `/` are supported")] = True
    begins: Annotated[
        Literal["blank", "loose", "text", "mark"],
        note(
            "what may precede `@`. blank: white space · loose: also `(` or `>` · text: also Markdown such as `**` · "
            "mark: anything but letters, digits, `-`, `_` and `@`"
        ),
    ] = "loose"
    reads: Annotated[Callable[[str, str], str] | None, note("its own reading of what stands before and behind `@`")] = (
        None
    )
    tail: Annotated[bool, note("punctuation at the end is not part of the path")] = True
    counts_in: Annotated[
        tuple[Literal["backticks", "span", "comment", "tildes", "indented"], ...],
        note("where `@path` counts, besides plain text"),
    ] = ("indented",)
    before: Annotated[str, note("written before the text; {path} as written, {target} resolved")] = ""
    after: Annotated[str, note("written after the text")] = ""
    missing: Annotated[str | None, note("written for a missing file; none: `@path` stays")] = None
    refused: Annotated[str | None, note("written for a file that may not be imported; none: `@path` stays")] = None
    again: Annotated[str | None, note("written for a file that is already imported; none: `@path` stays")] = None
    endings: Annotated[frozenset[str], note("only files with these endings, or without one; empty: all")] = frozenset()
    only_in: Annotated[tuple[str, ...], note("only these files import others, in any letter case")] = ()
    largest: Annotated[int | None, note("bytes of a file beyond which it imports no others")] = None
    utf_8: Annotated[bool, note("a file that is not UTF-8 is not imported")] = False
    repeats: Annotated[bool, note("a file that is imported again is loaded again; only a cycle ends")] = False


class RuleConditions(Frozen, frozen=True):
    """When a rule file is loaded, by its frontmatter. `key=value` matches a key with that value."""

    globs: Annotated[tuple[str, ...], note("keys with patterns: loaded for matching files")] = ()
    always: Annotated[tuple[str, ...], note("keys with which it is always loaded")] = ()
    model: Annotated[tuple[str, ...], note("keys with which the model decides")] = ()
    manual: Annotated[tuple[str, ...], note("keys with which the user decides")] = ()
    never: Annotated[tuple[str, ...], note("keys with which it is never loaded")] = ()
    bare: Annotated[Literal["start", "model", "manual"], note("when it is loaded without any of these keys")] = "start"
    everything: Annotated[tuple[str, ...], note("patterns that match every file: the rule is always loaded")] = ("**",)
    one_is_enough: Annotated[bool, note("one such pattern among others is enough")] = False
    texts: Annotated[tuple[str, ...], note("keys with patterns in which a list has no effect")] = ()
    excludes: Annotated[bool, note("a rule with patterns, or with an empty list of them, is never loaded")] = False
    broken: Annotated[
        Literal["start", "never", "mended", "lines", "items"],
        note(
            "with invalid frontmatter: always loaded · never · values are quoted first · each line that looks like "
            "a key is read · and lines with `- ` below a key"
        ),
    ] = "start"
    empty: Annotated[Literal["bare", "never"], note("with an empty list of patterns")] = "bare"
    announced: Annotated[
        tuple[Literal["waiting", "model"], ...], note("rules on demand of which the model gets the path at the start")
    ] = ()
    base: Annotated[Literal["root", "cwd", "folder", "anywhere"], note("the folder that patterns are relative to")] = (
        "root"
    )
    below_cwd: Annotated[bool, note("only files below the working directory count")] = False
    patterns: Annotated[
        Literal["glob", "relative", "path", "gitignore"],
        note(
            "how patterns match. glob: without a `/`, files in any folder · relative: the same, but a leading `/` "
            "matches nothing · path: all relative to the base, and `!` negates · gitignore: files and folders"
        ),
    ] = "glob"


class MenuEntry(Frozen, frozen=True):
    """What a skill, a sub-agent or a command must have to be listed."""

    needs: Needs = ()
    spoiled_by: Annotated[Flaws, note("flaws with which it ignores the frontmatter")] = ()
    broken: Annotated[Literal["lines", "mended"], note("how invalid YAML is read")] = "lines"
    name_like: Annotated[str, note("a pattern that its name must match")] = ""
    longest_name: int | None = None
    longest: Annotated[int | None, note("maximum characters of a description; one over it is not listed")] = None
    described: Annotated[
        Literal["frontmatter", "body", "words", "prose", "line"],
        note(
            "what replaces a missing description: nothing · three lines without headings · the first of them · the "
            "first paragraph · the first line"
        ),
    ] = "frontmatter"


class Listing(MenuEntry, frozen=True):
    """Which sub-agents or commands are listed, and how."""

    named: Annotated[Literal["file", "name"], note("its file name, or the `name` of its frontmatter")] = "file"
    folders: Annotated[str, note("between folders and file name; empty: folders are not part of the name")] = ""
    entry: Annotated[int | None, note("maximum characters of a description, then `…`")] = None
    hidden_by: Annotated[tuple[str, ...], note("keys that exclude it; `key=value`: only that value")] = ()
    keys: Annotated[tuple[str, ...], note("the only keys that its frontmatter may have; empty: any")] = ()
    least: Annotated[int, note("minimum characters below its frontmatter")] = 0


class FileLimit(Frozen, frozen=True):
    """The limit at which an agent truncates files, and what it writes there."""

    name: Annotated[str, note("its name, which settings refer to")]
    of: Annotated[tuple[str, ...], note("the steps whose files it limits")]
    most: Annotated[int, note("the limit")]
    unit: Annotated[Literal["bytes", "characters"], note("the unit")] = "characters"
    over: Annotated[
        Literal["file", "together"],
        note("whether it applies to each file, or to all files together, in the order in which they are loaded"),
    ] = "together"
    says: Annotated[str, note("what the agent writes in place of the rest; empty: nothing")] = ""
    frames: Annotated[int, note("characters that count for the text around a file")] = 0
    kept: Annotated[int, note("characters reserved for the notice in a truncated file")] = 0


class Step(Frozen, frozen=True):
    """Files of one kind that an agent looks for, and how it reads each."""

    step: Annotated[str, note("its name, which sections and limits refer to")]
    names: Annotated[
        tuple[str, ...],
        note("file names, in order; `a|b`: the first that exists; `*`, `**` match any characters; `~/…` is under home"),
    ] = ()
    place: Annotated[Literal["project", "home", "later"], note("later: only in folders that it works in")] = "project"
    at_home: Annotated[tuple[str, ...], note("folders under home in which it looks first")] = ()
    kind: FileKind = "instructions"
    tells: Annotated[Literal["text", "description", "path"], note("the part of a file that is loaded")] = "text"
    but_not: Annotated[tuple[str, ...], note("patterns of names, ignoring case, that a `*` does not match")] = ()
    case: Annotated[Literal["exact", "any"], note("whether names are case-sensitive")] = "exact"
    dotted: Annotated[
        Literal["none", "files", "all"],
        note("whether `*` matches names that begin with a dot: none, of files, or of files and folders"),
    ] = "files"
    called: Annotated[dict[str, str], note("a name -> the agent's name for that file, if not its file name")] = {}
    same_file: Annotated[Literal["once", "each"], note("a file with several links: once, or each name")] = "once"
    links: Annotated[Literal["follow", "inside", "rules-inside", "never"], note("where symlinks may lead")] = "follow"
    shows_target: Annotated[bool, note("a symlinked rule has the name of its target")] = False
    blank: Annotated[Literal["skip", "keep"], note("an empty file is skipped, or only its frame is written")] = "skip"
    utf_8: Annotated[bool, note("a file that is not UTF-8 is skipped")] = False
    listing: Annotated[Listing | None, note("of sub-agents and commands: which are listed, and how")] = None
    conditions: Annotated[RuleConditions | None, note("when those that match a name with `*` are loaded")] = None
    imports: Imports | None = None
    strip: Annotated[Stripped, note("what is removed from the text")] = ()
    spoiled_by: Annotated[Flaws, note("flaws with which it ignores the frontmatter")] = ()
    unordered: Annotated[
        Literal["", "rules", "all"], note("files of one folder in no fixed order: those that match a `*`, or all")
    ] = ""
    linked_folders: Annotated[bool, note("a folder of that name may be a symlink")] = True
    from_root: Annotated[bool, note("later: also in the folders from the root down to cwd")] = False
    known: Annotated[Evidence | None, note("how it is known, if not like the rest of the agent")] = None
    remark: Annotated[str, note("a note, in one sentence")] = ""


class SkillMenu(Frozen, frozen=True):
    """The limits of an agent's list of skills, and what it does beyond them."""

    most: Annotated[int | None, note("maximum characters of the whole list; none: no limit")] = None
    entry: Annotated[int | None, note("maximum characters of one description; none: no limit")] = None
    mark: Annotated[str, note("what the agent writes where a description is truncated")] = ""
    bare: Annotated[
        str, note("how a skill is listed without its description, over the limit; empty: like all others")
    ] = ""
    counts: Annotated[
        Literal["entries", "words", "names"],
        note("what counts. entries: whole entries · words: names and descriptions · names: all names first"),
    ] = "entries"
    bare_most: Annotated[
        int | None, note("maximum characters of the skills listed as `bare`; the rest is not listed; none: no limit")
    ] = None
    over: Annotated[
        Literal["names", "shorten", "drop"],
        note("over the limit, list only names, shorten all descriptions, or drop the other skills"),
    ] = "names"
    escapes: Annotated[
        Literal["", "tags", "xml", "html"],
        note(
            "what the agent writes as entities. tags: `<` and `>` · xml: the five of XML · html: also backtick and `=`"
        ),
    ] = ""
    remark: Annotated[str, note("a note")] = ""


class Skills(MenuEntry, frozen=True):
    """Where an agent looks for skills, which it lists, and how."""

    project: Annotated[tuple[str, ...], note("folders of a project")] = ()
    here: Annotated[tuple[str, ...], note("only in the working directory itself")] = ()
    home: Annotated[tuple[str, ...], note("folders under home")] = ()
    depth: Annotated[int, note("how many levels deep a skill may be in such a folder")] = 1
    nested: Annotated[bool, note("skills may be below the folder of another skill")] = False
    dotted: Annotated[
        bool | Literal["itself"] | tuple[str, ...],
        note("hidden folders are searched; itself: may be skills, but are not searched; or in these folders"),
    ] = False
    unfollowed: Annotated[
        Literal["", "folders", "files"], note("symlinks that are not followed: to folders, or SKILL.md files")
    ] = ""
    flat: Annotated[bool | tuple[str, ...], note("a file NAME.md is a skill too; or in these folders")] = False
    loose: Annotated[tuple[str, ...], note("folders in whose subfolders every .md file is a skill")] = ()
    any_case: Annotated[bool, note("skill.md is accepted as SKILL.md")] = False
    alone_needs: Annotated[Needs | None, note("the same of a file that is a skill by itself")] = None
    largest: Annotated[int | None, note("maximum bytes of a SKILL.md; a larger one is not listed")] = None
    named: Annotated[Literal["name", "folder", "both"], note("both: listed as `folder (name)`")] = "name"
    hidden_by: Annotated[tuple[str, ...], note("keys that exclude it; `key=value`: only that value")] = (
        "disable-model-invocation",
    )
    later: Annotated[bool, note("skills below cwd are listed once the agent works there")] = False
    not_ignored: Annotated[bool, note("of those below cwd, only where git does not ignore the folder")] = False
    needs_known: Annotated[bool, note("false: what a skill must have is not known, and taken from the format")] = True
    unordered: Annotated[
        Literal["", "menu", "winners"], note("what is not fixed: the order in a folder, or which of one name wins")
    ] = ""
    menu: Annotated[SkillMenu | None, note("the limits of its list")] = None


class Settings(Frozen, frozen=True):
    """An agent's own configuration files; of several with a key, the last wins."""

    paths: Annotated[tuple[str, ...], note("`~/…` under home, others in the folders of `where`")]
    where: Annotated[Literal["cwd", "root", "walk"], note("the folders to search")] = "cwd"
    adds: Annotated[dict[str, str], note("a key that names more files -> the step that takes them")] = {}
    replaces: Annotated[dict[str, str], note("a key that names the files of a step in place of its own")] = {}
    folders: Annotated[tuple[str, ...], note("keys with a table of folders, each switched on or off")] = ()
    limits: Annotated[dict[str, str], note("a key -> the limit that it changes")] = {}
    enables: Annotated[dict[str, str], note("a key that is true -> the step that it enables")] = {}
    unmodelled: Annotated[tuple[str, ...], note("keys, or `key=value`, whose effect is not modelled")] = ()


class AgentWants(Wants, frozen=True):
    """All that an agent looks for: of its module, or, of a discovery, as its settings changed it."""

    steps: tuple[Step, ...] = ()
    listed: Skills | None = None
    limits: tuple[FileLimit, ...] = ()
    configured: tuple[Settings, ...] = ()
    variables: Annotated[tuple[str, ...], note("environment variables whose effect is not modelled")] = ()
    folders: Annotated[
        dict[str, tuple[str, ...]],
        note("`{NAME}` in a path -> the folder under home, and the variables that move it, as `XDG_CONFIG_HOME/x`"),
    ] = {}

    def own_folders(self, environment: Mapping[str, str], settings: Mapping[str, str] = {}) -> dict[str, str]:
        """The agent's folders under home, by name, as our settings and its variables move them."""
        own = {}
        for name, (default, *variables) in self.folders.items():
            own[name] = settings.get(name, default)
            for variable, _, below in (each.partition("/") for each in reversed(variables)):
                if value := environment.get(variable, ""):
                    # A variable may hold bytes that are not UTF-8: no folder of an agent is called so.
                    readable = value.encode("utf-8", "replace").decode()
                    own[name] = posixpath.join(readable, below) if below else readable
        return own

    def fill(self, own: Mapping[str, str]) -> AgentWants:
        """The same with these folders in its names."""
        steps = tuple(
            replace(
                step,
                names=tuple(fill_in(name, own) for name in step.names),
                at_home=tuple(fill_in(name, own) for name in step.at_home),
            )
            for step in self.steps
        )
        home = tuple(fill_in(name, own) for name in self.listed.home) if self.listed else ()
        return replace(self, steps=steps, listed=replace(self.listed, home=home) if self.listed else None)

    def find(self, name: str) -> Step | None:
        """The step of that name."""
        return next((step for step in self.steps if step.step == name), None) if name else None


def fill_in(name: str, own: Mapping[str, str]) -> str:
    """A name with an agent's own folders in it."""
    for key, folder in own.items() if "{" in name else ():
        name = name.replace(f"{{{key}}}", folder)
    return name

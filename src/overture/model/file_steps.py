"""An agent looks for instruction files step by step: names, folders, imports, conditions of rules, limits."""

from __future__ import annotations

from typing import Annotated, Literal

from .skill_dirs import SPOILED_BY, BorrowPolicy, FrontmatterFlaw, HelperListing
from .struct import Frozen, note


class Imports(Frozen, frozen=True):
    """`@path` in a file imports another file."""

    depth: Annotated[int, note("how deep imports may nest")]
    place: Annotated[
        Literal["inline", "below", "after"],
        note(
            "where its text goes. inline: in place of `@path` · below: below the line with `@path` · after: as a "
            "separate file after the importing one"
        ),
    ] = "inline"
    within: Annotated[
        Literal["project", "cwd", "folder", "anywhere"],
        note(
            "which files may be imported: in the project, below cwd, below the folder of the first file, or "
            "anywhere; files that need approval are not loaded before it"
        ),
    ] = "project"
    max_files: Annotated[int, note("the maximum number of files that one file imports, directly or not")] = 1000
    home: Annotated[bool, note("`~/` is supported")] = False
    absolute: Annotated[bool, note("paths that begin with `/` are supported")] = True
    begins: Annotated[
        Literal["blank", "loose", "text", "mark"],
        note(
            "what may precede `@`. blank: white space · loose: also `(` or `>` · text: also Markdown such as `**` "
            "or a tag; then `\\ ` in the path is a space, and `#part` after it is ignored · mark: anything but "
            "letters, digits, `-`, `_` and `@`"
        ),
    ] = "loose"
    tail: Annotated[bool, note("punctuation at the end, such as a full stop, is not part of the path")] = True
    counts_in: Annotated[
        tuple[Literal["code", "comments", "tildes", "indented"], ...],
        note(
            "where `@path` also is an import, besides plain text: in code spans, HTML comments, blocks of `~~~`, "
            "indented code"
        ),
    ] = ("indented",)
    before: Annotated[
        str, note("what the agent writes before the text; {path} is the path as written, {target} the resolved path")
    ] = ""
    after: Annotated[str, note("what the agent writes after the text")] = ""
    missing: Annotated[str | None, note("what it writes for a missing file, {target}; none: `@path` stays")] = None
    refused: Annotated[str | None, note("what it writes for a file that may not be imported; none: `@path` stays")] = (
        None
    )
    again: Annotated[str | None, note("what it writes for a file that is already imported; none: `@path` stays")] = None


class RuleConditions(Frozen, frozen=True):
    """When a rule file is loaded, by its frontmatter. `key=value` matches a key with that value."""

    globs: Annotated[
        tuple[str, ...], note("keys with patterns: the rule is loaded when the agent works on a matching file")
    ] = ()
    always: Annotated[tuple[str, ...], note("keys with which it is always loaded")] = ()
    model: Annotated[tuple[str, ...], note("keys with which the model decides")] = ()
    manual: Annotated[tuple[str, ...], note("keys with which the user decides")] = ()
    never: Annotated[tuple[str, ...], note("keys with which it is never loaded")] = ()
    bare: Annotated[
        Literal["start", "model", "manual"], note("when it is loaded without any of these keys; start: always")
    ] = "start"
    everything: Annotated[tuple[str, ...], note("patterns that match every file: the rule is always loaded")] = ("**",)
    broken: Annotated[
        Literal["start", "never", "mended", "lines", "items"],
        note(
            "with invalid frontmatter. start: it is always loaded · never · mended: values are quoted first · "
            "lines: each line that looks like a key is read · items: also lines with `- ` below a key"
        ),
    ] = "start"
    empty: Annotated[
        Literal["bare", "never"],
        note("with an empty list of patterns. bare: as without one · never: it matches no file"),
    ] = "bare"
    announced: Annotated[
        tuple[Literal["waiting", "model"], ...],
        note("rules loaded on demand that are announced to the model; sections name them `STEP:waiting`, `STEP:model`"),
    ] = ()
    base: Annotated[
        Literal["root", "cwd", "folder", "anywhere"],
        note(
            "the folder that patterns are relative to: the project's root, cwd, the folder with the rules, or any "
            "folder, ignoring case; a pattern that begins with `/` is absolute"
        ),
    ] = "root"
    patterns: Annotated[
        Literal["glob", "relative", "path", "gitignore"],
        note(
            "how patterns match. glob: without a `/`, files in any folder · relative: the same, but a pattern that "
            "begins with `/` matches nothing · path: all relative to the base, and `!` negates · gitignore: without "
            "a `/` inside, files and folders anywhere"
        ),
    ] = "glob"


FileKind = Literal["instructions", "rule", "skill", "command", "agent", "settings"]
TEXT_KINDS: tuple[FileKind, ...] = ("instructions", "rule")
"""The kinds of files whose text an agent loads; of others it gets a line, or nothing."""
SearchPlace = Literal["walk", "ends", "between", "cwd", "root", "home", "below", "project", "below-root"]
ON_DEMAND_PLACES: tuple[SearchPlace, ...] = ("below", "project", "below-root")
"""Folders that an agent searches once it works there."""
SearchEnd = Literal["repository", "above-repository", "root"]
Evidence = Literal["run", "code", "docs", "reported"]
"""How a rule is known: seen in a run, read in the source, documented by its makers, reported by others."""


class FileStep(Frozen, frozen=True):
    """One step: which file names to look for, in which folders."""

    step: Annotated[str, note("its name, which sections and limits refer to")]
    names: Annotated[
        tuple[str, ...],
        note(
            "file names, in order; `a|b`: the first that exists; `*` and `**` match any characters; `~/…` is under home"
        ),
    ]
    but_not: Annotated[tuple[str, ...], note("patterns of file names, ignoring case, that a `*` does not match")] = ()
    kind: Annotated[FileKind, note("the kind of its files")] = "instructions"
    where: Annotated[
        SearchPlace,
        note(
            "which folders. walk: all from the top down to cwd · ends: the top and cwd · between: all between top "
            "and cwd · cwd · root: the project's root · home · below: all from cwd down to a file that the agent "
            "works on · project: all from the root down to it, except those from the root down to cwd · below-root: "
            "these too, for an agent that opens the root"
        ),
    ] = "walk"
    up: Annotated[
        SearchEnd, note("the top of the walk: the repository, the folder above it, or the file system's root")
    ] = "repository"
    alone: Annotated[
        Literal["cwd", "up", "never"], note("outside a repository, search only cwd, also all folders above, or nothing")
    ] = "cwd"
    tops: Annotated[
        tuple[str, ...], note("folder names: the outermost such folder above cwd is the top; without one, see `up`")
    ] = ()
    order: Annotated[
        Literal["outermost", "nearest", "name", "file", "path", "here"],
        note(
            "how files are sorted. outermost, nearest: that folder first · name: by file name, ignoring case · file: "
            "by file name with extension, within each folder · path: by the whole path · here: for sub-agents and "
            "commands, those in cwd by name, then all others by name"
        ),
    ] = "outermost"
    unordered: Annotated[
        Literal["", "rules", "all"],
        note(
            "files of one folder that the agent loads in no fixed order. rules: those that match a name with `*` · "
            "all: all of the step"
        ),
    ] = ""
    by: Annotated[
        Literal["folder", "name"],
        note("what to search first. folder: all names in one folder · name: one name in all folders"),
    ] = "folder"
    among: Annotated[str, note("an earlier step: the files of both steps are merged and sorted by `order`")] = ""
    at_home: Annotated[tuple[str, ...], note("folders under home where the names are looked for first")] = ()
    around: Annotated[
        Literal["all", "others"] | tuple[str, ...],
        note(
            "in a git worktree inside its checkout, which files of the checkout are loaded. all · others: at its "
            "top, not the name that the worktree itself has · or only these names"
        ),
    ] = "all"
    borrows: Annotated[
        BorrowPolicy,
        note("in a git worktree, also search the top of its checkout; lacking: if the worktree has no such folder"),
    ] = "never"
    take: Annotated[
        Literal["all", "first", "full", "name"],
        note(
            "which files to load. all · first: the first in each folder, empty or not · full: the first that is not "
            "empty · name: the first name that exists in any folder"
        ),
    ] = "all"
    case: Annotated[Literal["exact", "any"], note("whether names are case-sensitive")] = "exact"
    unless: Annotated[
        tuple[str, ...], note("files that hide the step, if one exists and is not empty in any of the folders")
    ] = ()
    same_name: Annotated[
        Literal["all", "first", "last"], note("of files with the same name, load all, the first, or the last")
    ] = "all"
    called: Annotated[
        dict[str, str], note("a name -> the agent's name for that file, if not its file name without the extension")
    ] = {}
    hidden_by: Annotated[tuple[str, ...], note("earlier steps with which `same_name` is compared too")] = ()
    same_text: Annotated[Literal["all", "first"], note("of files with the same text, load all, or the first")] = "all"
    same_file: Annotated[
        Literal["once", "each"], note("a file with several symlinks is loaded once, or under each of its names")
    ] = "once"
    links: Annotated[
        Literal["follow", "inside", "never"],
        note("symlinks may lead anywhere, only within the project, or are not followed"),
    ] = "follow"
    blank: Annotated[Literal["skip", "keep"], note("an empty file is skipped, or only its frame is written")] = "skip"
    tells: Annotated[Literal["text", "description", "path"], note("the part of a file that is loaded")] = "text"
    listing: Annotated[HelperListing | None, note("of sub-agents and commands: which are listed, and how")] = None
    conditions: Annotated[RuleConditions | None, note("of rules: when those that match a name with `*` are loaded")] = (
        None
    )
    imports: Imports | None = None
    strip: Annotated[
        tuple[Literal["frontmatter", "broken-frontmatter", "comments"], ...], note("what is removed from the text")
    ] = ()
    spoiled_by: Annotated[tuple[FrontmatterFlaw, ...], note(SPOILED_BY)] = ()
    utf_8: Annotated[bool, note("a file that is not UTF-8 is skipped")] = False
    dotted: Annotated[
        Literal["none", "files", "all"],
        note("whether `*` matches names that begin with a dot: none, of files, or of files and folders"),
    ] = "files"
    on: Annotated[bool, note("false: looked for only if a setting enables it")] = True
    quirks: Annotated[
        str, note("the agent whose special rules apply, such as `goose`; they are Python code in Overture")
    ] = ""
    known: Annotated[Evidence | None, note("how it is known, if not like the rest of the agent")] = None
    remark: Annotated[str, note("a note, in one sentence")] = ""


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


class SettingsFile(Frozen, frozen=True):
    """The agent's own configuration file, and what its keys change."""

    paths: Annotated[tuple[str, ...], note("`~/…` under home, others in the folders of `where`; the last one wins")]
    keys: Annotated[
        dict[str, str],
        note(
            "a key, with dots -> what it changes: `STEP.names`, `STEP.names+` (adds), `STEP.+names` (adds "
            "before), `STEP.off` (true disables it), `STEP.on` (false disables it), `STEP.always` (ignores "
            "`unless`), `STEP.anywhere` (its imports may lead anywhere), `STEP.walk` (searches all folders "
            "from the top down), `STEP.tops`, `STEP.folders` (a table of folders: true adds "
            "one, false removes it), `limits.NAME`, `menu.most`, `menu.entry`, `skills.project+`, "
            "`skills.home`, `skills.folders`, `skills.disabled+` (names), `skills.on`, `skills.walk`, "
            "`exclude` (patterns of paths); `key=value` applies if the key has that value; several are "
            "separated by spaces; {cwd} and {project} in a key are those folders; empty: the key is only reported, "
            "because its effect is not modelled"
        ),
    ]
    where: Annotated[Literal["cwd", "root", "walk"], note("the folders to search")] = "cwd"
    several: Annotated[
        Literal["add", "last"], note("if several files set a key, combine their values, or use the last")
    ] = "add"

"""An agent looks for instruction files step by step: names, folders, imports, conditions of rules, limits."""

from typing import Annotated, Literal

from ..struct import Frozen, note
from .skills import BorrowPolicy, FrontmatterFlaw, HelperListing


class Imports(Frozen, frozen=True):
    """`@path` in a file imports another file."""

    depth: Annotated[int, note("how deep imports may nest")]
    place: Annotated[
        Literal["inline", "below", "after"],
        note(
            "where it is loaded: in the place of `@path`; below the line with `@path`; as a separate file "
            "after the importing one"
        ),
    ] = "inline"
    within: Annotated[
        Literal["project", "cwd", "folder", "anywhere"],
        note(
            "which files may be imported: in the project, below cwd, below the folder of the first file, or "
            "anywhere; files that need approval are not loaded"
        ),
    ] = "project"
    max_files: Annotated[int, note("the maximum number of files that one file imports, directly or not")] = 1000
    home: Annotated[bool, note("`~/` is supported")] = False
    absolute: Annotated[bool, note("paths that begin with `/` are supported")] = True
    begins: Annotated[
        Literal["blank", "loose", "text", "mark"],
        note(
            "what may precede `@`: white space · loose: also `(` or `>` · text: also what begins a text in "
            "Markdown, such as `**` or a tag; then `\\ ` in the path is a space, and `#part` after it is "
            "ignored · mark: anything but letters, digits, `-`, `_` and `@`"
        ),
    ] = "loose"
    tail: Annotated[bool, note("punctuation after the path, such as a full stop, is not part of it")] = True
    counts_in: Annotated[
        tuple[Literal["code", "comments", "tildes", "indented"], ...],
        note(
            "where else it is an import, besides plain text: in code spans, HTML comments, blocks of `~~~`, "
            "indented code"
        ),
    ] = ("indented",)
    before: Annotated[
        str, note("what the agent writes before the text; {path} is the path as written, {target} the resolved path")
    ] = ""
    after: Annotated[str, note("what it writes after it")] = ""
    missing: Annotated[str | None, note("what it writes for a missing file, {target}; none: `@path` stays")] = None
    refused: Annotated[str | None, note("what it writes for a file that may not be imported; none: `@path` stays")] = (
        None
    )
    again: Annotated[str | None, note("what it writes for a file that is already imported; none: `@path` stays")] = None


class RuleConditions(Frozen, frozen=True):
    """How the frontmatter of a rule says when it counts. A word `key=value` holds where the key has that value."""

    globs: Annotated[tuple[str, ...], note("keys whose patterns name the files that the rule is for")] = ()
    always: Annotated[tuple[str, ...], note("keys that make it load always")] = ()
    model: Annotated[tuple[str, ...], note("keys that let the model decide")] = ()
    manual: Annotated[tuple[str, ...], note("keys that let the user decide")] = ()
    never: Annotated[tuple[str, ...], note("keys that exclude it, whatever else it says")] = ()
    bare: Annotated[
        Literal["start", "model", "manual", "never"], note("when it is loaded if the frontmatter does not say")
    ] = "start"
    everything: Annotated[tuple[str, ...], note("patterns that mean no condition")] = ("**",)
    broken: Annotated[
        Literal["start", "never", "mended", "lines", "items"],
        note(
            "a rule with invalid frontmatter is loaded always, or never; mended: values are quoted first; "
            "lines: each line that looks like a key is read; items: and lines with `- ` below one"
        ),
    ] = "start"
    empty: Annotated[
        Literal["bare", "never"], note("an empty list of patterns means no condition, or matches no file")
    ] = "bare"
    announced: Annotated[
        tuple[Literal["waiting", "model"], ...],
        note("rules loaded on demand that the model is informed of: as `STEP:waiting`, `STEP:model`"),
    ] = ()
    base: Annotated[
        Literal["root", "cwd", "folder", "anywhere"],
        note(
            "patterns are relative to the project's root, to cwd, to the folder with the rules, or to any "
            "folder, ignoring case; those that begin with `/`, to the file system's root"
        ),
    ] = "root"
    patterns: Annotated[
        Literal["glob", "relative", "path", "gitignore"],
        note(
            "how they match; glob: one without a `/` matches files anywhere · relative: also, and one that "
            "begins with `/` matches none · path: all are relative to the base, and `!` negates · gitignore: "
            "one without a `/` inside matches files and folders anywhere"
        ),
    ] = "glob"


FileKind = Literal["instructions", "rule", "skill", "command", "agent", "settings"]
SearchPlace = Literal["walk", "ends", "between", "cwd", "root", "home", "below", "project"]
SearchEnd = Literal["repository", "above-repository", "root"]
Evidence = Literal["run", "code", "docs", "reported"]
"""How a rule is known: seen in a run, read in the source, documented by its makers, reported by others."""


class FileStep(Frozen, frozen=True):
    """One step: names that are looked for in some folders."""

    step: Annotated[str, note("its name, for sections and limits")]
    names: Annotated[
        tuple[str, ...],
        note("in their order; `a|b`: the first that exists; * and ** match any characters; `~/…` is under home"),
    ]
    but_not: Annotated[tuple[str, ...], note("patterns of file names, ignoring case, that a `*` does not match")] = ()
    kind: Annotated[FileKind, note("the kind of its files")] = "instructions"
    where: Annotated[
        SearchPlace,
        note(
            "walk: every folder from the top down to cwd · ends: the top and cwd · between: those in between "
            "· cwd · root: the project's · home · below: the folders from cwd down to a file the agent works "
            "on · project: those from the root down to it"
        ),
    ] = "walk"
    up: Annotated[
        SearchEnd, note("the top of the walk: the repository, the folder above it, or the file system's root")
    ] = "repository"
    alone: Annotated[
        Literal["cwd", "up", "never"], note("outside a repository: cwd alone, all folders above too, or none")
    ] = "cwd"
    tops: Annotated[
        tuple[str, ...], note("names of folders: the outermost one above cwd is the top; without one, see `up`")
    ] = ()
    order: Annotated[
        Literal["outermost", "nearest", "name", "file", "path", "here"],
        note(
            "which folder comes first; or by file name, ignoring case; or so within each folder and with the "
            "extension (file); or by the whole path; here: for sub-agents and commands, those in cwd by "
            "name, then all others by name"
        ),
    ] = "outermost"
    unordered: Annotated[
        Literal["", "rules", "all"],
        note(
            "files of one folder that the agent loads in no fixed order: rules: those that match a name with "
            "* · all of the step"
        ),
    ] = ""
    by: Annotated[Literal["folder", "name"], note("all names of a folder, or one name in all folders")] = "folder"
    among: Annotated[
        str, note("an earlier step: the files of both are merged, folder by folder, or by path, as `order` says")
    ] = ""
    at_home: Annotated[tuple[str, ...], note("folders under home where the names are looked for first")] = ()
    around: Annotated[
        Literal["all", "others"] | tuple[str, ...],
        note(
            "in a worktree inside its checkout, which files of the checkout's folders around it are loaded: "
            "all · others: at its top all but the name that the worktree's own top has · or only these names"
        ),
    ] = "all"
    borrows: Annotated[
        BorrowPolicy, note("in a worktree, whether the folders at the top of its checkout are searched too")
    ] = "never"
    take: Annotated[
        Literal["all", "first", "full", "name"],
        note(
            "all · first: the first of a folder, empty or not · full: the first that is not empty · name: "
            "the first name that exists in any folder"
        ),
    ] = "all"
    case: Annotated[Literal["exact", "any"], note("whether names are case-sensitive")] = "exact"
    unless: Annotated[
        tuple[str, ...], note("files that hide the step: none may exist, with text, in any of the folders")
    ] = ()
    same_name: Annotated[
        Literal["all", "first", "last"], note("of files with the same name: all, the first, or the last")
    ] = "all"
    called: Annotated[
        dict[str, str], note("a name -> the agent's name for that file, if not its file name without the extension")
    ] = {}
    hidden_by: Annotated[
        tuple[str, ...], note("earlier steps whose files are compared, where the first file of a name is loaded")
    ] = ()
    same_text: Annotated[Literal["all", "first"], note("of files with the same text: all, or the first")] = "all"
    same_file: Annotated[
        Literal["once", "each"], note("a file with several symlinks is loaded once, or under each of its names")
    ] = "once"
    links: Annotated[
        Literal["follow", "inside", "never"],
        note("symlinks may lead anywhere, only within the project, or are not followed"),
    ] = "follow"
    blank: Annotated[Literal["skip", "keep"], note("an empty file is skipped, or only its frame is written")] = "skip"
    tells: Annotated[Literal["text", "description", "name", "path"], note("the part of a file that is loaded")] = "text"
    listing: Annotated[HelperListing | None, note("of sub-agents and commands: which are listed, and how")] = None
    conditions: Annotated[RuleConditions | None, note("of rules: when those that match a name with `*` are loaded")] = (
        None
    )
    imports: Imports | None = None
    strip: Annotated[
        tuple[Literal["frontmatter", "broken-frontmatter", "comments"], ...], note("what is removed from the text")
    ] = ()
    spoiled_by: Annotated[tuple[FrontmatterFlaw, ...], note("what makes the agent overlook frontmatter")] = ()
    utf_8: Annotated[bool, note("a file that is not UTF-8 is skipped")] = False
    dotted: Annotated[
        Literal["none", "files", "all"], note("whether * matches files, or folders too, that begin with a dot")
    ] = "files"
    on: Annotated[bool, note("false: looked for only if a setting enables it")] = True
    quirks: Annotated[str, note("the agent with special rules, such as `goose`; they are Python in its folder")] = ""
    known: Annotated[Evidence | None, note("how it is known, if not like the rest of the agent")] = None
    remark: Annotated[str, note("a note, in one sentence")] = ""


class FileLimit(Frozen, frozen=True):
    """The most that an agent takes of some files, and what becomes of the rest."""

    name: str
    of: Annotated[tuple[str, ...], note("the steps whose files it limits")]
    most: int
    unit: Annotated[Literal["bytes", "characters"], note("the unit")] = "characters"
    over: Annotated[
        Literal["file", "together"],
        note("each file by itself, or all files together, in the order in which they are loaded"),
    ] = "together"
    says: Annotated[str, note("what the agent writes in place of the rest; nothing: it does not report it")] = ""
    frames: Annotated[
        bool | int, note("whether the frame around a file counts too, or a number of characters instead")
    ] = False
    kept: Annotated[int, note("characters reserved for the notice in a truncated file")] = 0


class SettingsFile(Frozen, frozen=True):
    """A configuration file of the agent's own, and the keys by which it changes what is looked for."""

    paths: Annotated[tuple[str, ...], note("`~/…` under home, others in the folders of `where`; the last one wins")]
    keys: Annotated[
        dict[str, str],
        note(
            "a key, with dots -> what it sets: `STEP.names`, `STEP.names+` (adds), `STEP.+names` (adds "
            "before), `STEP.off` (true disables it), `STEP.on` (false disables it), `STEP.always` (ignores "
            "`unless`), `STEP.anywhere` (its imports may lead anywhere), `STEP.walk` (searches all folders "
            "from the top down), `STEP.take`, `STEP.tops`, `STEP.folders` (a table of folders: true adds "
            "one, false removes it), `limits.NAME`, `menu.most`, `menu.entry`, `skills.project+`, "
            "`skills.home`, `skills.folders`, `skills.disabled+` (names), `skills.on`, `skills.walk`, "
            "`exclude` (patterns of paths); `key=value` applies if the key has that value; several are "
            "separated by spaces; {cwd} and {project} in a key are those folders; nothing: it may change "
            "what is loaded, and is only reported"
        ),
    ]
    where: Annotated[Literal["cwd", "root", "walk"], note("the folders to search")] = "cwd"
    several: Annotated[
        Literal["add", "last"], note("if several files set a key: their values are combined, or the last one wins")
    ] = "add"

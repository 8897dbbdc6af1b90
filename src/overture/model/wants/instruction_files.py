"""An agent looks for instruction files step by step: names, folders, imports, conditions of rules, limits."""

from typing import Annotated, Literal

from ..struct import Frozen, note
from .skills import BorrowPolicy, FrontmatterFlaw, HelperListing


class Imports(Frozen, frozen=True):
    """`@path` in a file brings another file along."""

    depth: Annotated[int, note("how many files may lie on the way from the first to the last")]
    place: Annotated[
        Literal["inline", "below", "after"],
        note("in the place of `@path`; below the line that names it; as a file of its own after the one that names it"),
    ] = "inline"
    within: Annotated[
        Literal["project", "cwd", "folder", "anywhere"],
        note(
            "how far it may lead: into the project, below cwd, below the folder of the first file, or anywhere; what "
            "needs an approval is not brought along"
        ),
    ] = "project"
    home: Annotated[bool, note("`~/` is known")] = False
    absolute: Annotated[bool, note("a path that begins with `/` is known")] = True
    begins: Annotated[
        Literal["blank", "loose", "text", "mark"],
        note(
            "what stands before `@`: white space · loose: or `(` or `>` · text: or what begins a text in Markdown, "
            "such as `**` or a tag; then `\\ ` in the path stands for a blank, and `#part` behind it is left away · "
            "mark: anything but letters, digits, `-`, `_` and `@`"
        ),
    ] = "loose"
    tail: Annotated[bool, note("marks behind the path, such as a full stop, are no part of it")] = True
    counts_in: Annotated[
        tuple[Literal["code", "comments", "tildes", "indented"], ...],
        note("where it counts besides plain text: in code of backticks, HTML comments, blocks of `~~~`, indented code"),
    ] = ("indented",)
    before: Annotated[
        str, note("what the agent writes before the text; {path} is as it is named, {target} where it lies")
    ] = ""
    after: Annotated[str, note("what it writes below it")] = ""
    missing: Annotated[
        str | None, note("what it writes for a file that is not there, {target}; none: `@path` stays")
    ] = None
    refused: Annotated[str | None, note("what it writes for one that lies too far away; none: `@path` stays")] = None
    again: Annotated[str | None, note("what it writes for one that was brought along; none: `@path` stays")] = None


class RuleConditions(Frozen, frozen=True):
    """How the frontmatter of a rule says when it counts. A word `key=value` holds where the key has that value."""

    globs: Annotated[tuple[str, ...], note("keys whose patterns name the files for which it counts")] = ()
    always: Annotated[tuple[str, ...], note("words that make it count always")] = ()
    model: Annotated[tuple[str, ...], note("words that leave it to the model")] = ()
    manual: Annotated[tuple[str, ...], note("words that leave it to the user")] = ()
    never: Annotated[tuple[str, ...], note("words that keep it out, whatever else it says")] = ()
    bare: Annotated[
        Literal["start", "model", "manual", "never"], note("when it counts if the frontmatter says nothing of it")
    ] = "start"
    everything: Annotated[tuple[str, ...], note("patterns that stand for no condition")] = ("**",)
    broken: Annotated[
        Literal["start", "never", "mended", "lines", "items"],
        note(
            "a rule whose frontmatter can't be read counts always, or never; mended: quotes around values are tried "
            "first; lines: each line that looks like a key counts; items: and lines with `- ` below one"
        ),
    ] = "start"
    empty: Annotated[
        Literal["bare", "never"], note("a list of patterns without any counts as none, or no file matches it")
    ] = "bare"
    announced: Annotated[
        tuple[Literal["waiting", "model"], ...],
        note(
            "rules that wait for a file, or are left to the model, of which it is told: as `STEP:waiting`, `STEP:model`"
        ),
    ] = ()
    base: Annotated[
        Literal["root", "cwd", "folder", "anywhere"],
        note(
            "patterns begin at the project's root, in cwd, or at the folder that holds the rules, or in any folder, "
            "whatever their letter case, and those with a `/` before them at the file system's root"
        ),
    ] = "root"
    patterns: Annotated[
        Literal["glob", "relative", "path", "gitignore"],
        note(
            "how they are compared; glob: one without a `/` names files anywhere · relative: so too, and one that "
            "begins with `/` names none · path: all begin at the base, and `!` names all others · "
            "gitignore: one without a `/` inside names files and folders anywhere"
        ),
    ] = "glob"


FileKind = Literal["instructions", "rule", "skill", "command", "agent", "settings"]
SearchPlace = Literal["walk", "ends", "between", "cwd", "root", "home", "below", "project"]
SearchEnd = Literal["repository", "above-repository", "root"]
Evidence = Literal["run", "code", "docs", "reported"]
"""How a rule is known: seen in a run, read in the source, documented by its makers, reported by others."""


class FileStep(Frozen, frozen=True):
    """One step: names that are looked for in some folders."""

    step: Annotated[str, note("what sections and limits call it")]
    names: Annotated[
        tuple[str, ...],
        note("in their order; `a|b`: the first that is there; * and ** stand for any letters; `~/…` lies under home"),
    ]
    but_not: Annotated[
        tuple[str, ...], note("patterns of file names, in any letter case, that a `*` does not stand for")
    ] = ()
    kind: Annotated[FileKind, note("what its files are")] = "instructions"
    where: Annotated[
        SearchPlace,
        note(
            "walk: every folder from the top down to cwd · ends: the top and cwd · between: those in between · cwd · "
            "root: the project's · home · below: the folders from cwd down to a file in play · project: those from "
            "the root down to it"
        ),
    ] = "walk"
    up: Annotated[
        SearchEnd, note("the top of the walk: the repository, the folder above it, or the file system's root")
    ] = "repository"
    alone: Annotated[
        Literal["cwd", "up", "never"], note("outside a repository: cwd alone, all folders above too, or none")
    ] = "cwd"
    tops: Annotated[
        tuple[str, ...], note("folders of which the outermost above cwd is the top; where none is, as `up` says")
    ] = ()
    order: Annotated[
        Literal["outermost", "nearest", "name", "file", "path", "here"],
        note(
            "which folder comes first, or by file name, whatever its letter case, or so within each folder and with "
            "the ending (file), or by the letters of the whole path; here: of sub-agents and commands those in cwd by "
            "name, then all others by name"
        ),
    ] = "outermost"
    unordered: Annotated[
        Literal["", "rules", "all"],
        note(
            "which files of one folder the agent tells in no fixed order, as the disk lists them or at random: rules: "
            "those that a name with * stands for · all of the step"
        ),
    ] = ""
    by: Annotated[Literal["folder", "name"], note("all names of a folder, or one name in all folders")] = "folder"
    among: Annotated[
        str, note("a step before it among whose files its own stand, folder by folder, or by path, as `order` says")
    ] = ""
    at_home: Annotated[tuple[str, ...], note("folders under home where the names are looked for first")] = ()
    around: Annotated[
        Literal["all", "others"] | tuple[str, ...],
        note(
            "in a worktree inside its checkout, what counts of the checkout's folders around it: all · others: at its "
            "top all but the name that the worktree's own top has · or these names alone"
        ),
    ] = "all"
    borrows: Annotated[
        BorrowPolicy, note("in a worktree, whether the folders at the top of its checkout count too")
    ] = "never"
    take: Annotated[
        Literal["all", "first", "full", "name"],
        note(
            "all · first: the first of a folder, empty or not · full: the first that says something · name: the first "
            "name that is there in any folder"
        ),
    ] = "all"
    case: Annotated[Literal["exact", "any"], note("whether the letter case of a name counts")] = "exact"
    unless: Annotated[
        tuple[str, ...], note("files of which none may lie, with words in it, in any of the folders")
    ] = ()
    same_name: Annotated[
        Literal["all", "first", "last"], note("of files with one name, all count, or the first, or the last")
    ] = "all"
    called: Annotated[
        dict[str, str], note("a name -> what the agent calls that file, where not by its file name without the ending")
    ] = {}
    hidden_by: Annotated[
        tuple[str, ...], note("steps before it whose files count among those with one name, where the first counts")
    ] = ()
    same_text: Annotated[Literal["all", "first"], note("of files with one text, all count, or the first")] = "all"
    same_file: Annotated[
        Literal["once", "each"], note("a file that links lead to is told once, or under each of its names")
    ] = "once"
    links: Annotated[
        Literal["follow", "inside", "never"], note("links lead anywhere, only within the project, or are not followed")
    ] = "follow"
    blank: Annotated[Literal["skip", "keep"], note("a file without words leaves no trace, or its frame")] = "skip"
    tells: Annotated[Literal["text", "description", "name", "path"], note("what of a file the agent is told")] = "text"
    listing: Annotated[HelperListing | None, note("of sub-agents and commands: which are told of, and as what")] = None
    conditions: Annotated[RuleConditions | None, note("of rules: they hold for the names with a `*` in them")] = None
    imports: Imports | None = None
    strip: Annotated[
        tuple[Literal["frontmatter", "broken-frontmatter", "comments"], ...], note("what is taken out of the text")
    ] = ()
    spoiled_by: Annotated[tuple[FrontmatterFlaw, ...], note("what keeps frontmatter from being known as such")] = ()
    utf_8: Annotated[bool, note("a file that is not UTF-8 is not read")] = False
    dotted: Annotated[
        Literal["none", "files", "all"], note("whether * stands for files, or folders too, that begin with a dot")
    ] = "files"
    on: Annotated[bool, note("false: looked for only where a setting switches it on")] = True
    quirks: Annotated[str, note("the agent whose oddities it has, such as `goose`; they are Python in its folder")] = ""
    known: Annotated[Evidence | None, note("how it is known, where not as the rest of the agent")] = None
    remark: Annotated[str, note("what is worth knowing about it, in one sentence")] = ""


class FileLimit(Frozen, frozen=True):
    """The most that an agent takes of some files, and what becomes of the rest."""

    name: str
    of: Annotated[tuple[str, ...], note("the steps whose files it counts")]
    most: int
    unit: Annotated[Literal["bytes", "characters"], note("what is counted")] = "characters"
    over: Annotated[
        Literal["file", "together"], note("each file by itself, or all in the order in which they are told")
    ] = "together"
    says: Annotated[str, note("what the agent writes in place of the rest; nothing: it says nothing")] = ""
    frames: Annotated[
        bool | int, note("what stands around a file counts too, or so many characters in place of it")
    ] = False
    kept: Annotated[int, note("room that is left free where a file is cut, for what is said there")] = 0


class SettingsFile(Frozen, frozen=True):
    """A configuration file of the agent's own, and the keys by which it changes what is looked for."""

    paths: Annotated[tuple[str, ...], note("`~/…` under home, others in the folders of `where`; the last one counts")]
    keys: Annotated[
        dict[str, str],
        note(
            "a key, with dots -> what it sets: `STEP.names`, `STEP.names+` (adds), `STEP.+names` (adds before), "
            "`STEP.off` (true switches it off), `STEP.on` (false does), `STEP.always` (`unless` no longer counts), "
            "`STEP.anywhere` (its imports may lead anywhere), `STEP.walk` (it looks in all folders from the top down), "
            "`STEP.take`, `STEP.tops`, `STEP.folders` (a table of folders: true adds one, false leaves it out), "
            "`limits.NAME`, `menu.most`, `menu.entry`, `skills.project+`, `skills.home`, `skills.folders`, "
            "`skills.disabled+` (names), `skills.on`, `skills.walk`, `exclude` (patterns of paths); "
            "`key=value` counts where the key has that value; several with a space between them; "
            "{cwd} and {project} in a key are those folders; nothing: it may change what is read, and is only reported"
        ),
    ]
    where: Annotated[Literal["cwd", "root", "walk"], note("folders in which they lie")] = "cwd"
    several: Annotated[
        Literal["add", "last"], note("where several files say a key: what they add is added up, or the last one counts")
    ] = "add"

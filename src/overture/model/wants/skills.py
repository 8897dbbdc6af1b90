"""Which folders hold an agent's skills, sub-agents and commands, and how many of them its menu lists."""

from typing import Annotated, Literal

from ..struct import Frozen, note

FrontmatterFlaw = Literal["bom", "blank-lines", "unended", "blanks-after-first", "blanks-after-last"]
"""A byte order mark or blank lines before it; no last line; blanks behind the dashes of its first or last line."""


SkillNeed = Literal[
    "frontmatter",
    "yaml",
    "name",
    "description",
    "name-is-folder",
    "name-like-folder",
    "lower-case-name",
    "plain-name",
    "words",
    "utf-8",
    "texts",
    "texts-or-none",
    "keys-once",
    "keys",
]

BorrowPolicy = Literal["never", "lacking", "always"]
"""Lacking: where the worktree's own top lacks such a folder."""


class SkillMenu(Frozen, frozen=True):
    """How much room an agent's menu of skills has, and what it does beyond."""

    most: Annotated[int | None, note("maximum characters of the whole list; none: no limit")] = None
    entry: Annotated[int | None, note("maximum characters of one description; none: no limit")] = None
    mark: Annotated[str, note("what the agent writes where a description is truncated")] = ""
    bare: Annotated[
        str, note("how a skill is listed if there is no room for its description; nothing: like all others")
    ] = ""
    counts: Annotated[
        Literal["entries", "words", "names"],
        note("what counts: whole entries, or only names and descriptions; names: the names of all skills first"),
    ] = "entries"
    bare_most: Annotated[
        int | None, note("maximum characters of all skills listed so; the rest is not listed; none: no limit")
    ] = None
    over: Annotated[
        Literal["names", "shorten", "drop"],
        note("over the limit: only names, shorter descriptions for all, or no more skills"),
    ] = "names"
    remark: Annotated[str, note("a note")] = ""


class SkillDirs(Frozen, frozen=True):
    """Folders whose subfolders hold a SKILL.md, the place that wins a collision first."""

    project: Annotated[tuple[str, ...], note("under the working directory")] = ()
    here: Annotated[tuple[str, ...], note("only under the working directory, before `project`")] = ()
    home: Annotated[tuple[str, ...], note("under the home directory")] = ()
    ancestors: Annotated[bool, note("also search the folders above the working directory")] = False
    depth: Annotated[int, note("how many levels deep a skill may be in such a folder")] = 1
    invalid: Annotated[
        Literal["keep", "skip"], note("a skill that breaks a rule of the format is loaded with a warning, or skipped")
    ] = "keep"
    where: Annotated[
        Literal["cwd", "walk", "ends", "root"] | None, note("which folders of a project; none: see `ancestors`")
    ] = None
    below: Annotated[
        Literal["never", "listed", "scoped"],
        note(
            "skills in folders below the working directory are never listed, or once the agent works on a "
            "file there; scoped: also, unless git ignores the folder, and a skill with a name in use is "
            "called `folder:name`"
        ),
    ] = "never"
    borrows: Annotated[
        BorrowPolicy, note("in a worktree, whether the folders at the top of its checkout are searched too")
    ] = "never"
    alone: Annotated[
        Literal["up", "cwd"] | tuple[str, ...],
        note(
            "outside a repository: search all folders above too, or only cwd; or the folders that are "
            "searched only in cwd"
        ),
    ] = "up"
    home_first: Annotated[bool, note("skills under home win over those of the project")] = False
    by: Annotated[
        Literal["place", "folder", "everywhere"],
        note("all folders of a place, or one folder in all places of the project, or everywhere, including home"),
    ] = "place"
    same_name: Annotated[
        Literal["first", "last", "all"], note("of skills with the same name, the first, the last, or all are listed")
    ] = "first"
    unordered: Annotated[
        Literal["", "menu", "winners"],
        note(
            "menu: the order within a folder depends on the disk · winners: which of several skills with the "
            "same name wins may change from run to run"
        ),
    ] = ""
    same_place: Annotated[
        Literal["all", "first"],
        note("of files at the same place below two such folders: all, or the first, whatever it contains"),
    ] = "all"
    same_text: Annotated[
        Literal["all", "first"],
        note("of skills with the same text in one folder of a project, or under home: all, or the first"),
    ] = "all"
    needs: Annotated[tuple[SkillNeed, ...] | None, note("what a skill must have to be listed; none: see `invalid`")] = (
        None
    )
    order: Annotated[
        Literal["name", "owner", "place", "path", "backwards", "disk", "source", "location"],
        note(
            "how the list is sorted: by name · owner: the project's, then those under home · place: in the "
            "order of the folders · path: also, and in each by path · backwards: also, and in each by name "
            "from last to first · disk: also, and in each as on the disk, shown here by name · source: also, "
            "and by name where neighbours are all from cwd, all from above it, or all from one folder under "
            "home · location: by the whole path, ignoring case, which also decides which of two comes first"
        ),
    ] = "name"
    capitals: Annotated[bool, note("sorted by name, upper case comes first")] = True
    name_from: Annotated[
        Literal["name", "folder", "both"],
        note("which of the two is its name; both: the folder, listed as `folder (name)`, unless it contains spaces"),
    ] = "name"
    longest: Annotated[int | None, note("maximum characters of a description; a skill over it is not listed")] = None
    largest: Annotated[int | None, note("maximum bytes of a SKILL.md; a larger one is not listed")] = None
    name_like: Annotated[str, note("characters that its name may have, as `[a-z][a-z0-9-]*`; nothing: any")] = ""
    longest_name: Annotated[int | None, note("maximum characters of a name; a skill over it is not listed")] = None
    described: Annotated[
        Literal["frontmatter", "body", "words", "prose", "line"],
        note(
            "without one: nothing, its text without headings, its first line or first paragraph that is not "
            "a heading, or its first line"
        ),
    ] = "frontmatter"
    spoiled_by: Annotated[tuple[FrontmatterFlaw, ...], note("what makes the agent overlook frontmatter")] = ()
    broken: Annotated[
        Literal["lines", "mended"],
        note("of invalid YAML, each line that looks like a key is read, or it is read again with quotes around values"),
    ] = "lines"
    hidden_by: Annotated[
        tuple[str, ...], note("keys that exclude a skill from the list; `key=value`: only that value")
    ] = ("disable-model-invocation",)
    disabled: Annotated[tuple[str, ...], note("names of skills that are not listed, from a setting")] = ()
    flat: Annotated[
        bool | tuple[str, ...],
        note("a file NAME.md in the folder is a skill too; or the folders where it is"),
    ] = False
    nested: Annotated[bool, note("skills may be below the folder of another skill")] = False
    loose: Annotated[
        tuple[str, ...], note("folders in whose subfolders without a SKILL.md every .md file is a skill")
    ] = ()
    any_case: Annotated[bool, note("skill.md is accepted as SKILL.md")] = False
    dotted: Annotated[
        bool | Literal["itself"] | tuple[str, ...],
        note(
            "folders that begin with a dot are searched too; itself: such a folder may be a skill, but is "
            "not searched; or the folders where they are searched"
        ),
    ] = False
    linked: Annotated[bool, note("symlinks to folders are followed")] = True
    links: Annotated[Literal["inside", "follow"], note("where symlinks may lead: within the project, or anywhere")] = (
        "inside"
    )
    on: Annotated[bool, note("false: looked for only if a setting enables them")] = True
    quirks: Annotated[str, note("the agent with special rules; they are Python in its folder")] = ""
    menu: Annotated[SkillMenu | None, note("the limits of its list")] = None


class HelperListing(Frozen, frozen=True):
    """What a sub-agent or a command must have to be listed, and its name."""

    needs: Annotated[tuple[SkillNeed, ...], note("what it must have")] = ()
    named: Annotated[Literal["file", "name"], note("its name: its file name, or its `name` and else its file name")] = (
        "file"
    )
    folders: Annotated[
        str, note("the separator between folders and file name; nothing: folders are not part of the name")
    ] = ""
    same_name: Annotated[
        Literal["all", "first", "last"],
        note("of several with the same name: all are listed, or the first, or the last"),
    ] = "all"
    name_like: Annotated[str, note("characters that its name may have, as `[a-z][a-z0-9-]*`; nothing: any")] = ""
    longest_name: Annotated[int | None, note("maximum characters of a name; one over it is not listed")] = None
    longest: Annotated[int | None, note("maximum characters of a description; one over it is not listed")] = None
    described: Annotated[
        Literal["frontmatter", "body", "line"],
        note("without a description: nothing, its text without headings, or its first line"),
    ] = "frontmatter"
    entry: Annotated[int | None, note("maximum characters of a description, then `…`; none: no limit")] = None
    hidden_by: Annotated[tuple[str, ...], note("keys that exclude it; `key=value`: only that value")] = ()
    broken: Annotated[
        Literal["lines", "mended"],
        note("of invalid YAML, each line that looks like a key is read, or it is read again with quotes around values"),
    ] = "lines"
    capitals: Annotated[bool, note("sorted by name, upper case comes first")] = False

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

    most: Annotated[int | None, note("characters of the whole menu; none: no limit")] = None
    entry: Annotated[int | None, note("characters of one description; none: no limit")] = None
    mark: Annotated[str, note("what stands where a description is cut")] = ""
    bare: Annotated[str, note("how a skill is told whose description has no room; nothing: as all are")] = ""
    counts: Annotated[
        Literal["entries", "words", "names"],
        note("what takes room: whole entries, or names and descriptions alone; names: of all skills the names first"),
    ] = "entries"
    bare_most: Annotated[
        int | None, note("characters of all that are told so; those beyond are not listed; none: no limit")
    ] = None
    over: Annotated[
        Literal["names", "shorten", "drop"],
        note("beyond the room: names alone, all descriptions shorter, or no further skill"),
    ] = "names"
    remark: Annotated[str, note("what is worth knowing about it")] = ""


class SkillDirs(Frozen, frozen=True):
    """Folders whose subfolders hold a SKILL.md, the place that wins a collision first."""

    project: Annotated[tuple[str, ...], note("under the working directory")] = ()
    here: Annotated[tuple[str, ...], note("under the working directory alone, before `project`")] = ()
    home: Annotated[tuple[str, ...], note("under the home directory")] = ()
    ancestors: Annotated[bool, note("look in the folders above the working directory too")] = False
    depth: Annotated[int, note("how many levels below such a folder a skill may lie")] = 1
    invalid: Annotated[
        Literal["keep", "skip"], note("a skill that breaks a rule of the format is loaded with a warning, or skipped")
    ] = "keep"
    where: Annotated[
        Literal["cwd", "walk", "ends", "root"] | None, note("in which folders of a project; none: as `ancestors` says")
    ] = None
    below: Annotated[
        Literal["never", "listed", "scoped"],
        note(
            "skills in folders below the working directory are never listed, or once the agent works on a file there; "
            "scoped: so too, unless git ignores the folder, and one whose name is taken is called `folder:name`"
        ),
    ] = "never"
    borrows: Annotated[
        BorrowPolicy, note("in a worktree, whether the folders at the top of its checkout count too")
    ] = "never"
    alone: Annotated[
        Literal["up", "cwd"] | tuple[str, ...],
        note(
            "outside a repository: all folders above too, where they are looked in, or cwd alone; "
            "or which of the folders are looked for in cwd alone"
        ),
    ] = "up"
    home_first: Annotated[bool, note("what lies under home wins over the project's")] = False
    by: Annotated[
        Literal["place", "folder", "everywhere"],
        note("all folders of a place, or one folder in all places of the project, or everywhere, under home too"),
    ] = "place"
    same_name: Annotated[
        Literal["first", "last", "all"], note("of skills with one name the first, the last, or all are listed")
    ] = "first"
    unordered: Annotated[
        Literal["", "menu", "winners"],
        note(
            "menu: the order within a folder may differ from disk to disk · winners: which of several skills with one "
            "name counts may differ from run to run"
        ),
    ] = ""
    same_place: Annotated[
        Literal["all", "first"],
        note("of files at the same place below two such folders all count, or the first, whatever it says"),
    ] = "all"
    same_text: Annotated[
        Literal["all", "first"],
        note("of skills with one text in one folder of a project, or under home, all are listed, or the first"),
    ] = "all"
    needs: Annotated[
        tuple[SkillNeed, ...] | None, note("what a skill must have to be listed; none: as `invalid` says")
    ] = None
    order: Annotated[
        Literal["name", "owner", "place", "path", "backwards", "disk", "source", "location"],
        note(
            "the menu: by name · owner: the project's, then those under home · place: as the folders stand here · "
            "path: so too, and in each by the letters of the path · backwards: so too, and the names in each from the "
            "last to the first · disk: so too, and in each as the disk has them, which are told by name here · "
            "source: so too, and by name where neighbours are all from cwd, all from above it, or all from one folder "
            "under home · "
            "location: by the letters of the whole path, whatever their case, and so is found which of two comes first"
        ),
    ] = "name"
    capitals: Annotated[bool, note("by name, those with capital letters come first")] = True
    name_from: Annotated[
        Literal["name", "folder", "both"],
        note(
            "which of the two is its name; both: the folder, and the menu says `folder (name)`, unless it holds blanks"
        ),
    ] = "name"
    longest: Annotated[int | None, note("characters of a description beyond which a skill is not listed")] = None
    largest: Annotated[int | None, note("bytes of a SKILL.md beyond which it is not listed")] = None
    name_like: Annotated[str, note("characters that its name must have, as `[a-z][a-z0-9-]*`; nothing: any")] = ""
    longest_name: Annotated[int | None, note("characters of a name beyond which a skill is not listed")] = None
    described: Annotated[
        Literal["frontmatter", "body", "words", "prose", "line"],
        note(
            "without one: nothing, its words without headings, its first line or its first paragraph that is no "
            "heading, or its first line"
        ),
    ] = "frontmatter"
    spoiled_by: Annotated[tuple[FrontmatterFlaw, ...], note("what keeps frontmatter from being known as such")] = ()
    broken: Annotated[
        Literal["lines", "mended"],
        note("of YAML that can't be read each line counts that looks like one, or what quotes around values mend"),
    ] = "lines"
    hidden_by: Annotated[tuple[str, ...], note("keys that keep a skill out of the menu; `key=value`: that value")] = (
        "disable-model-invocation",
    )
    disabled: Annotated[tuple[str, ...], note("names of skills that are not listed; a setting gives them")] = ()
    flat: Annotated[
        bool | tuple[str, ...],
        note("a file NAME.md in the folder is a skill too; or in which folders it is, right there"),
    ] = False
    nested: Annotated[bool, note("skills may lie below another one's folder")] = False
    loose: Annotated[
        tuple[str, ...], note("folders in whose subfolders, where no SKILL.md lies, every .md file is a skill")
    ] = ()
    any_case: Annotated[bool, note("skill.md counts as SKILL.md")] = False
    dotted: Annotated[
        bool | Literal["itself"] | tuple[str, ...],
        note(
            "folders whose names begin with a dot are searched too; itself: such a folder may be a skill, and is not "
            "searched; or in which of the folders they are"
        ),
    ] = False
    linked: Annotated[bool, note("a linked folder counts")] = True
    links: Annotated[
        Literal["inside", "follow"], note("how far links may lead: they stay in the project, or lead anywhere")
    ] = "inside"
    on: Annotated[bool, note("false: looked for only where a setting switches them on")] = True
    quirks: Annotated[str, note("the agent whose oddities it has; they are Python in its folder")] = ""
    menu: Annotated[SkillMenu | None, note("the room of its menu")] = None


class HelperListing(Frozen, frozen=True):
    """What a sub-agent or a command must have to be told of, and what it is called."""

    needs: Annotated[tuple[SkillNeed, ...], note("what it must have")] = ()
    named: Annotated[
        Literal["file", "name"], note("what it is called by: its file, or its `name` and else its file")
    ] = "file"
    folders: Annotated[str, note("what stands behind each folder before its file; nothing: no folder does")] = ""
    same_name: Annotated[
        Literal["all", "first", "last"], note("of several with one name all are told of, or the first, or the last")
    ] = "all"
    name_like: Annotated[str, note("characters that its name must have, as `[a-z][a-z0-9-]*`; nothing: any")] = ""
    longest_name: Annotated[int | None, note("characters of a name beyond which it is not told of")] = None
    longest: Annotated[int | None, note("characters of a description beyond which it is not told of")] = None
    described: Annotated[
        Literal["frontmatter", "body", "line"],
        note("without a description: nothing, its words without headings, or its first line"),
    ] = "frontmatter"
    entry: Annotated[int | None, note("characters of a description, then `…`; none: no limit")] = None
    hidden_by: Annotated[tuple[str, ...], note("keys that keep it from being told of; `key=value`: that value")] = ()
    broken: Annotated[
        Literal["lines", "mended"],
        note("of YAML that can't be read each line counts that looks like one, or what quotes around values mend"),
    ] = "lines"
    capitals: Annotated[bool, note("in the order of names, those with capital letters come first")] = False

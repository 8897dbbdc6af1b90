"""Which folders hold an agent's skills, sub-agents and commands, and how many of them its menu lists."""

from __future__ import annotations

from typing import Annotated, Literal

from .struct import Frozen, note

FrontmatterFlaw = Literal["bom", "blank-lines", "unended", "blanks-after-first", "blanks-after-last"]
SPOILED_BY = (
    "flaws with which the agent ignores the frontmatter. bom: a byte order mark before it · blank-lines: blank lines "
    "before it · unended: no closing `---` · blanks-after-first, blanks-after-last: spaces after that `---`"
)


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

NEEDS = (
    "yaml: valid YAML · name-is-folder: the name of its folder · name-like-folder: the same, ignoring case · "
    "lower-case-name, plain-name: a name of (lower-case) letters, digits and hyphens · words: text below the "
    "frontmatter · texts: name and description that are texts · texts-or-none: or empty · keys-once: no key twice · "
    "keys: the keys name and description, even if empty"
)
BROKEN_YAML = "how invalid YAML is read. lines: each line that looks like a key · mended: values are quoted first"

BorrowPolicy = Literal["never", "lacking", "always"]
"""Lacking: if the worktree's own top lacks such a folder."""


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


class SkillDirs(Frozen, frozen=True):
    """Folders of skills. Of two skills with the same name, the first folder wins."""

    project: Annotated[tuple[str, ...], note("under the working directory")] = ()
    here: Annotated[tuple[str, ...], note("only in the working directory itself, before `project`")] = ()
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
            "skills below the working directory. never listed · listed: once the agent works on a file there · "
            "scoped: the same, unless git ignores the folder; a duplicate name becomes `folder:name`"
        ),
    ] = "never"
    borrows: Annotated[
        BorrowPolicy,
        note("in a git worktree, also search the top of its checkout; lacking: if the worktree has no such folder"),
    ] = "never"
    alone: Annotated[
        Literal["up", "cwd"] | tuple[str, ...],
        note(
            "outside a repository, search also all folders above, or only cwd; or the names of the folders that are "
            "searched only in cwd"
        ),
    ] = "up"
    home_first: Annotated[bool, note("skills under home win over those of the project")] = False
    by: Annotated[
        Literal["place", "folder", "everywhere"],
        note(
            "what to search first. place: all folders in one place · folder: one folder in all places of the project "
            "· everywhere: one folder in all places, including home"
        ),
    ] = "place"
    same_name: Annotated[
        Literal["first", "last", "all"], note("of skills with the same name, list the first, the last, or all")
    ] = "first"
    unordered: Annotated[
        Literal["", "menu", "winners"],
        note(
            "menu: the order within a folder depends on the disk · winners: which of several skills with the "
            "same name wins may change from run to run"
        ),
    ] = ""
    same_place: Annotated[
        Literal["all", "first"], note("of skills with the same path below two such folders, list all, or the first")
    ] = "all"
    same_text: Annotated[
        Literal["all", "first"],
        note("of skills with the same text in one folder of a project, or under home, list all, or the first"),
    ] = "all"
    needs: Annotated[
        tuple[SkillNeed, ...] | None, note(f"what a skill must have to be listed; none: see `invalid`. {NEEDS}")
    ] = None
    order: Annotated[
        Literal["name", "owner", "place", "path", "backwards", "disk", "source", "location"],
        note(
            "how the list is sorted. name · owner: the project's, then those under home · place: by folder, in the "
            "order above · path: by folder, then path · backwards: by folder, then name, descending · disk: by "
            "folder, then as on the disk, shown here by name · source: by folder, and by name among neighbours from "
            "cwd, from above it, or from one folder under home · location: by the whole path, ignoring case, which "
            "also decides which of two skills wins"
        ),
    ] = "name"
    capitals: Annotated[bool, note("sorted by name, upper case comes first")] = True
    name_from: Annotated[
        Literal["name", "folder", "both"],
        note("its name: the `name` of its frontmatter, or its folder; both: listed as `folder (name)`"),
    ] = "name"
    longest: Annotated[int | None, note("maximum characters of a description; a skill over it is not listed")] = None
    largest: Annotated[int | None, note("maximum bytes of a SKILL.md; a larger one is not listed")] = None
    name_like: Annotated[str, note("a pattern that its name must match, e.g. `[a-z][a-z0-9-]*`; empty: any")] = ""
    longest_name: Annotated[int | None, note("maximum characters of a name; a skill over it is not listed")] = None
    described: Annotated[
        Literal["frontmatter", "body", "words", "prose", "line"],
        note(
            "what replaces a missing description, up to `longest`. frontmatter: nothing · body: its first three "
            "lines without headings · words: the first of them · prose: its first paragraph · line: its first line"
        ),
    ] = "frontmatter"
    spoiled_by: Annotated[tuple[FrontmatterFlaw, ...], note(SPOILED_BY)] = ()
    broken: Annotated[Literal["lines", "mended"], note(BROKEN_YAML)] = "lines"
    hidden_by: Annotated[
        tuple[str, ...], note("keys that exclude a skill from the list; `key=value`: only that value")
    ] = ("disable-model-invocation",)
    disabled: Annotated[tuple[str, ...], note("names of skills that are not listed, from a setting")] = ()
    flat: Annotated[
        bool | tuple[str, ...], note("a file NAME.md in the folder is a skill too; or the folders where this applies")
    ] = False
    nested: Annotated[bool, note("skills may be below the folder of another skill")] = False
    loose: Annotated[
        tuple[str, ...], note("folders in whose subfolders without a SKILL.md every .md file is a skill")
    ] = ()
    any_case: Annotated[bool, note("skill.md is accepted as SKILL.md")] = False
    dotted: Annotated[
        bool | Literal["itself"] | tuple[str, ...],
        note(
            "also search folders that begin with a dot; itself: such a folder may be a skill, but is not searched; "
            "or the folders where this applies"
        ),
    ] = False
    linked: Annotated[bool, note("symlinks to folders are followed")] = True
    links: Annotated[Literal["inside", "follow"], note("where symlinks may lead: within the project, or anywhere")] = (
        "inside"
    )
    on: Annotated[bool, note("false: looked for only if a setting enables them")] = True
    quirks: Annotated[str, note("the agent whose special rules apply; they are Python code in Overture")] = ""
    menu: Annotated[SkillMenu | None, note("the limits of its list")] = None


class HelperListing(Frozen, frozen=True):
    """What a sub-agent or a command must have to be listed, and its name."""

    needs: Annotated[tuple[SkillNeed, ...], note(f"what it must have. {NEEDS}")] = ()
    named: Annotated[
        Literal["file", "name"], note("its name: its file name, or the `name` of its frontmatter, if there is one")
    ] = "file"
    folders: Annotated[
        str, note("the separator between folders and file name; empty: folders are not part of the name")
    ] = ""
    same_name: Annotated[
        Literal["all", "first", "last"], note("of several with the same name, list all, the first, or the last")
    ] = "all"
    hidden_by_skill: Annotated[
        Literal["never", "listed", "any"],
        note("whether a skill with the same name hides it. listed: only one that the model sees"),
    ] = "never"
    name_like: Annotated[str, note("a pattern that its name must match, e.g. `[a-z][a-z0-9-]*`; empty: any")] = ""
    longest_name: Annotated[int | None, note("maximum characters of a name; one over it is not listed")] = None
    longest: Annotated[int | None, note("maximum characters of a description; one over it is not listed")] = None
    described: Annotated[
        Literal["frontmatter", "body", "line"],
        note(
            "what replaces a missing description, up to `longest`. frontmatter: nothing · body: its first three "
            "lines without headings · line: its first line"
        ),
    ] = "frontmatter"
    entry: Annotated[int | None, note("maximum characters of a description, then `…`; none: no limit")] = None
    hidden_by: Annotated[tuple[str, ...], note("keys that exclude it; `key=value`: only that value")] = ()
    broken: Annotated[Literal["lines", "mended"], note(BROKEN_YAML)] = "lines"
    capitals: Annotated[bool, note("sorted by name, upper case comes first")] = False

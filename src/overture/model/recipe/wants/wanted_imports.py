"""How an agent follows `@path` in the files that it reads."""

from typing import Annotated, Literal

from ...struct import Frozen, note


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
            "such as `**` or a tag · mark: anything but letters, digits, `-`, `_` and `@`"
        ),
    ] = "loose"
    tail: Annotated[bool, note("marks behind the path, such as a full stop, are no part of it")] = True
    spaces: Annotated[bool, note("a backslash and a blank in it stand for a blank")] = False
    part: Annotated[bool, note("`#part` behind it is left away")] = False
    indented: Annotated[bool, note("one in a code block that is indented counts")] = True
    in_code: Annotated[bool, note("one in code of backticks counts")] = False
    in_comments: Annotated[bool, note("one in an HTML comment counts")] = False
    in_tildes: Annotated[bool, note("one in a code block of `~~~` counts")] = False
    names: Annotated[
        tuple[str, ...], note("the files in which it counts, and in what these bring along; none: in all")
    ] = ()
    before: Annotated[
        str, note("what the agent writes before the text; {path} is as it is named, {target} where it lies")
    ] = ""
    after: Annotated[str, note("what it writes below it")] = ""
    missing: Annotated[
        str | None, note("what it writes for a file that is not there, {target}; none: `@path` stays")
    ] = None
    refused: Annotated[str | None, note("what it writes for one that lies too far away; none: `@path` stays")] = None
    again: Annotated[str | None, note("what it writes for one that was brought along; none: `@path` stays")] = None
    twice: Annotated[bool, note("one that was brought along comes again; only a circle is broken")] = False
    utf_8: Annotated[bool, note("a file that is not UTF-8 is not brought along")] = False
    gitignored: Annotated[bool, note("files that git ignores are brought along too")] = True
    largest: Annotated[int | None, note("bytes of a file in which imports still count")] = None

"""Which of an agent's sub-agents and commands it is told of, and as what: they are known by name and description."""

from typing import Annotated, Literal

from ...struct import Frozen, note
from .wanted_skills import Need


class Listing(Frozen, frozen=True):
    """What a sub-agent or a command must have to be told of, and what it is called."""

    needs: Annotated[tuple[Need, ...], note("what it must have")] = ()
    keys: Annotated[tuple[str, ...], note("the keys that its frontmatter may hold; none: any")] = ()
    words: Annotated[int, note("characters that must stand below its frontmatter")] = 0
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

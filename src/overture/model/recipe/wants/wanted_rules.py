"""When a rule of an agent's counts, by what its frontmatter says."""

from typing import Annotated, Literal

from ...struct import Frozen, note


class Conditions(Frozen, frozen=True):
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
    enough: Annotated[Literal["all", "one"], note("all patterns have to be such, or one of them is enough")] = "all"
    lists: Annotated[bool, note("patterns may stand in a list; false: a list says nothing")] = True
    matched: Annotated[Literal["touched", "never"], note("never: a rule with patterns is not read at all")] = "touched"
    broken: Annotated[
        Literal["start", "never", "mended", "lines", "items"],
        note(
            "a rule whose frontmatter can't be read counts always, or never; mended: quotes around values are tried "
            "first; lines: each line that looks like a key counts; items: and lines with `- ` below one"
        ),
    ] = "start"
    unended: Annotated[Literal["start", "never"], note("and of one whose frontmatter never ends")] = "start"
    empty: Annotated[
        Literal["bare", "never"], note("a list of patterns without any counts as none, or no file matches it")
    ] = "bare"
    announced: Annotated[
        tuple[Literal["waiting", "model"], ...],
        note(
            "rules that wait for a file, or are left to the model, of which it is told: as `STEP:waiting`, `STEP:model`"
        ),
    ] = ()
    links: Annotated[
        Literal["follow", "inside", "never"] | None, note("how far links to rules lead; none: as the step says")
    ] = None
    real: Annotated[bool, note("the agent calls a rule behind a link by where it lies")] = False
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

"""Where a character of the prompt came from."""

from typing import Annotated, Literal

from .struct import Frozen, note
from .tier import Tier

SourceKind = Literal["file", "state", "rule", "recipe", "hook"]


class Source(Frozen, frozen=True, gc=False, forbid_unknown_fields=False):
    """A file and line, a field of the state, a rule, the recipe itself, or a hook."""

    kind: SourceKind
    path: Annotated[str | None, note("of a file")] = None
    line: Annotated[int | None, note("the line of the file at which the text begins")] = None
    name: Annotated[str | None, note("of a field, rule, recipe or hook")] = None
    values: Annotated[
        str | None, note("a pattern whose groups are from here; the words around them are the recipe's")
    ] = None
    pinned: Annotated[bool, note("the whole text belongs to that one line, however many lines it has")] = False
    tier: Annotated[Tier | None, note("who gave it, where that was written down")] = None

    def __str__(self) -> str:
        """`/p/AGENTS.md:3`, `state runtime.cwd`, `rule read_vs_shell`."""
        if self.kind == "file":
            return f"{self.path}:{self.line or 1}"
        return f"{self.kind} {self.name}"


def from_file(path: str, line: int = 1, *, pinned: bool = False) -> Source:
    """Text that stands in a file, from `line` on; `pinned`, made of what stands on that one line."""
    return Source("file", path, line, pinned=pinned)


def from_state(field: str) -> Source:
    """Text that a field of the state gives, e.g. `runtime.cwd` or `tools[2].snippet`."""
    return Source("state", name=field)


def from_rule(name: str) -> Source:
    """Text of a guideline rule."""
    return Source("rule", name=name)

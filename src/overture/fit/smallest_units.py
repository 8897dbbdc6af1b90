"""Body -> units: what of it can be cut by itself; and the body again, with units cut."""

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from ..errors import RecipeError
from ..model.recipe.body import Group, Node, Part, parts_of, said
from ..model.source import Source

GONE = -1
"""The level of a unit of which nothing is said."""


class Unit(Struct, frozen=True, gc=False):
    """A part, or parts that stay or go together."""

    node: Node
    group: Group | None
    """The loose group that it is in; None: it is all that its section says."""
    named: Part | None
    """The part of it that has shorter forms, or else its last: its name and source stand for the unit."""
    priority: int = 50
    """How much it is worth among the units of its section."""

    @property
    def name(self) -> str:
        """How a record calls it."""
        return self.named.name if self.named else ""

    @property
    def source(self) -> Source | None:
        """Where it came from."""
        return self.named.source if self.named else None

    @property
    def tool(self) -> str:
        """The tool that it describes, if it does."""
        source = self.source
        is_tool = source is not None and (source.name or "").startswith("tools[")
        return self.name if is_tool and self.named and not self.named.goes_with else ""


def units_of(body: Node) -> list[Unit]:
    """The units of a body: the parts of its loose groups, or else the body itself."""
    found = list(_loose(body))
    return found or [Unit(body, None, _only(body))]


def apart(body: Node) -> Node:
    """The same body of other objects, each of which stands in it once."""
    if isinstance(body, Group):
        return replace(body, parts=tuple([apart(part) for part in body.parts]))
    return replace(body) if isinstance(body, Part) else body


def _loose(node: Node) -> Iterator[Unit]:
    if type(node) is not Group:
        return
    for part in node.parts:
        if not node.loose:
            yield from _loose(part)
        elif type(part) is Part:
            if part.text:
                yield Unit(part, node, part, part.priority)
        elif type(part) is Group and said(part):
            named = _named(part)
            yield Unit(part, node, named, named.priority if named else 50)


def _only(body: Node) -> Part | None:
    """The part that stands for a whole body: all of it, or the first that has shorter forms; of others none does."""
    if isinstance(body, Part):
        return body
    return next((part for part in parts_of(body) if part.leaner), None)


def _named(node: Node) -> Part | None:
    """The first part that has shorter forms, or else the last that has a name, or else the last."""
    parts = list(parts_of(node))
    leaner = [part for part in parts if part.leaner]
    named = [part for part in parts if part.name]
    return leaner[0] if leaner else named[-1] if named else parts[-1] if parts else None


def with_cuts(body: Node, forms: Mapping[int, Node | None], *, line: bool = True) -> Node:
    """The body with other forms of some nodes, by their identity; None: nothing in its place but, perhaps, a line."""
    if not isinstance(body, Group):
        return forms.get(id(body), body) or ""
    if id(body) in forms:
        return forms[id(body)] or ""
    if not body.loose:
        return replace(body, parts=tuple([with_cuts(part, forms, line=line) for part in body.parts]))
    kept = [form for part in body.parts if (form := forms.get(id(part), part)) is not None]
    if line and (gone := len(body.parts) - len(kept)):
        whole = sum(map(_speaks, body.parts))
        kept.append(rest_line(body, whole - gone, whole))
    return replace(body, parts=tuple(kept))


def _speaks(node: Node) -> bool:
    return bool(node.text) if type(node) is Part else isinstance(node, Group) and bool(said(node))


def rest_line(group: Group, shown: int, whole: int) -> str:
    """The line that says how many are shown."""
    return group.rest.format(shown=f"{shown:,}", all=f"{whole:,}")


def check_rest(group: Group, section: str) -> None:
    """The line about the parts that went is the recipe's own: one that can't be filled in is an error."""
    try:
        rest_line(group, 0, 0)
    except (LookupError, ValueError, AttributeError, TypeError) as problem:
        raise RecipeError(
            f"Section {section!r}: the `rest` of a Group, {group.rest!r}, can't be filled in. "
            "Write {shown} and {all} where the numbers belong, and {{ or }} for any other brace."
        ) from problem

"""A unit is what can be cut from a body by itself; each has the shorter forms that its section gives."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..errors import OvertureError, RecipeError
from ..model.recipe.body import Group, Node, Part, node_text, parts_of
from ..model.recipe.shorten import Beginnings
from ..model.source import Source

DROPPED = -1
"""The level of a unit of which nothing is said."""


class CutUnit(Struct, frozen=True, gc=False):
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


def find_units(body: Node) -> list[CutUnit]:
    """The units of a body: the parts of its loose groups, or else the body itself."""
    found = list(_list_loose_units(body))
    return found or [CutUnit(body, None, _find_single_unit(body))]


def copy_nodes(body: Node) -> Node:
    """The same body of other objects, each of which stands in it once."""
    if isinstance(body, Group):
        return replace(body, parts=tuple([copy_nodes(part) for part in body.parts]))
    return replace(body) if isinstance(body, Part) else body


def _list_loose_units(node: Node) -> Iterator[CutUnit]:
    if type(node) is not Group:
        return
    for part in node.parts:
        if not node.loose:
            yield from _list_loose_units(part)
        elif type(part) is Part:
            if part.text:
                yield CutUnit(part, node, part, part.priority)
        elif type(part) is Group and node_text(part):
            named = _find_naming_part(part)
            yield CutUnit(part, node, named, named.priority if named else 50)


def _find_single_unit(body: Node) -> Part | None:
    """The part that stands for a whole body: all of it, or the first that has shorter forms; of others none does."""
    if isinstance(body, Part):
        return body
    return next((part for part in parts_of(body) if part.leaner), None)


def _find_naming_part(node: Node) -> Part | None:
    """The first part that has shorter forms, or else the last that has a name, or else the last."""
    parts = list(parts_of(node))
    leaner = [part for part in parts if part.leaner]
    named = [part for part in parts if part.name]
    return leaner[0] if leaner else named[-1] if named else parts[-1] if parts else None


def apply_cuts(body: Node, forms: Mapping[int, Node | None], *, line: bool = True) -> Node:
    """The body with other forms of some nodes, by their identity; None: nothing in its place but, perhaps, a line."""
    if not isinstance(body, Group):
        return forms.get(id(body), body) or ""
    if id(body) in forms:
        return forms[id(body)] or ""
    if not body.loose:
        return replace(body, parts=tuple([apply_cuts(part, forms, line=line) for part in body.parts]))
    parts = [form for part in body.parts if (form := forms.get(id(part), part)) is not None]
    if line and (removed := len(body.parts) - len(parts)):
        total = sum(map(_speaks, body.parts))
        parts.append(rest_line(body, total - removed, total))
    return replace(body, parts=tuple(parts))


def _speaks(node: Node) -> bool:
    return bool(node.text) if type(node) is Part else isinstance(node, Group) and bool(node_text(node))


def rest_line(group: Group, shown: int, total: int) -> str:
    """The line that says how many are shown."""
    return group.rest.format(shown=f"{shown:,}", all=f"{total:,}")


def check_rest(group: Group, section: str) -> None:
    """The line about the parts that went is the recipe's own: one that can't be filled in is an error."""
    try:
        rest_line(group, 0, 0)
    except (LookupError, ValueError, AttributeError, TypeError) as problem:
        raise RecipeError(
            f"Section {section!r}: the `rest` of a Group, {group.rest!r}, can't be filled in.",
            hint="Write {shown} and {all} for the numbers, and {{ or }} for any other brace.",
        ) from problem


# Unit -> its shorter forms: those that its section gives, made sure of.


def has_forms(unit: CutUnit) -> bool:
    """Whether it may have shorter forms of its own."""
    node = unit.node
    return not isinstance(node, str) and (bool(node.leaner) or (node is not unit.named and unit.named is not None))


def has_line(forms: Sequence[Node]) -> bool:
    """Whether each of these forms says in a line of its own how much is gone."""
    return isinstance(forms.inner if isinstance(forms, GroupForms) else forms, Beginnings)


def shorter_forms(unit: CutUnit, section: str) -> Sequence[Node]:
    """The shorter forms of a unit, longest first; what a recipe's `leaner` does wrong is an error that names it."""
    try:
        return _find_forms(unit.node)
    except OvertureError:
        raise
    except Exception as problem:
        cause = f"{type(problem).__name__}: {problem}"
        part = f" of {unit.name!r}" if unit.name else ""
        raise RecipeError(
            f"Section {section!r}: the `leaner`{part} failed: {cause:.200}.",
            hint="Return a list of texts, Parts or Groups, the longest first; or remove it.",
        ) from problem


def _find_forms(node: Node) -> Sequence[Node]:
    if isinstance(node, str):
        return ()
    if node.leaner:
        found = node.leaner(node) if callable(node.leaner) else node.leaner
        # Those are made when they are asked for, and there may be hundreds.
        return found if isinstance(found, Beginnings) else tuple(_replace_text(node, found))
    if isinstance(node, Group):
        for index, part in enumerate(node.parts):
            if inner := _find_forms(part):
                return GroupForms(node, index, inner)
    return ()


def _replace_text(node: Part | Group, found: Iterable[Node]) -> Iterator[Node]:
    """Each form that says anything. A text takes the place of a part's own: from the same source, and contained."""
    if isinstance(found, str):
        raise TypeError(f"it returned one text {found!r:.80}")
    for form in found:
        if not isinstance(form, str | Part | Group):
            raise TypeError(f"it returned {form!r:.80}")
        if isinstance(form, str) and isinstance(node, Part):
            # What was scanned is the longer text, so its marks do not fit.
            form = replace(node, text=form, marks=None)
        if node_text(form):
            yield form


class GroupForms(Sequence[Node]):
    """The shorter forms of a group: one of its parts in shorter forms, made when they are asked for."""

    def __init__(self, group: Group, at: int, inner: Sequence[Node]) -> None:
        self.group, self.at, self.inner = group, at, inner

    def __len__(self) -> int:
        return len(self.inner)

    def __getitem__(self, level: int) -> Node:  # type: ignore[override]
        """The group with that shorter form in place of the part."""
        parts = self.group.parts
        return replace(self.group, parts=(*parts[: self.at], self.inner[level], *parts[self.at + 1 :]))

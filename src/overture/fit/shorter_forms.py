"""Unit -> its shorter forms: those that its section gives, made sure of."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from ..errors import OvertureError, RecipeError
from ..model.recipe.body import Group, Node, Part, said
from ..model.recipe.cut_text import Heads
from .smallest_units import Unit


def has_forms(unit: Unit) -> bool:
    """Whether it may have shorter forms of its own."""
    node = unit.node
    return not isinstance(node, str) and (bool(node.leaner) or (node is not unit.named and unit.named is not None))


def has_line(forms: Sequence[Node]) -> bool:
    """Whether each of these forms says in a line of its own how much is gone."""
    return isinstance(forms.inner if isinstance(forms, Within) else forms, Heads)


def forms_of(unit: Unit, section: str) -> Sequence[Node]:
    """The shorter forms of a unit, longest first; what a recipe's `leaner` does wrong is an error that names it."""
    try:
        return _forms(unit.node)
    except OvertureError:
        raise
    except Exception as problem:
        said = f"{type(problem).__name__}: {problem}"
        part = f" of {unit.name!r}" if unit.name else ""
        raise RecipeError(
            f"Section {section!r}: the `leaner`{part} failed: {said:.200}. "
            "Let it give a list of texts, Parts or Groups, the longest first; or leave it out."
        ) from problem


def _forms(node: Node) -> Sequence[Node]:
    if isinstance(node, str):
        return ()
    if node.leaner:
        found = node.leaner(node) if callable(node.leaner) else node.leaner
        # Those are made when they are asked for, and there may be hundreds.
        return found if isinstance(found, Heads) else tuple(_in_place(node, found))
    if isinstance(node, Group):
        for index, part in enumerate(node.parts):
            if inner := _forms(part):
                return Within(node, index, inner)
    return ()


def _in_place(node: Part | Group, found: Iterable[Node]) -> Iterator[Node]:
    """Each form that says anything. A text takes the place of a part's own: from the same source, and contained."""
    if isinstance(found, str):
        raise TypeError(f"it gave the one text {found!r:.80}")
    for form in found:
        if not isinstance(form, str | Part | Group):
            raise TypeError(f"it gave {form!r:.80}")
        if isinstance(form, str) and isinstance(node, Part):
            # What was scanned is the longer text, so its marks do not fit.
            form = replace(node, text=form, marks=None)
        if said(form):
            yield form


class Within(Sequence[Node]):
    """The shorter forms of a group: one of its parts in shorter forms, made when they are asked for."""

    def __init__(self, group: Group, at: int, inner: Sequence[Node]) -> None:
        self.group, self.at, self.inner = group, at, inner

    def __len__(self) -> int:
        return len(self.inner)

    def __getitem__(self, level: int) -> Node:  # type: ignore[override]
        """The group with that shorter form in place of the part."""
        parts = self.group.parts
        return replace(self.group, parts=(*parts[: self.at], self.inner[level], *parts[self.at + 1 :]))

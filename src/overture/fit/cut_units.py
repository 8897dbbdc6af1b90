"""A unit is a part of a body that can be cut alone; its section gives it shorter forms."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..assemble.render_body import BodyRenderer
from ..errors import OvertureError, RecipeError
from ..lazy import lazy
from ..model.prompt.block import JOIN, Block
from ..model.recipe.body import Group, Node, Part, keep_in_full, node_text, parts_of
from ..model.recipe.cut_to_beginning import Beginnings, beginnings_of_node
from ..model.source import Source
from ..text.scan_for_marks import scan
from ..tokens.counter import Counter

DROPPED = -1
"""The level of a unit that is dropped."""


class CutUnit(Struct, frozen=True, gc=False):
    """A part, or parts that stay or go together."""

    node: Node
    group: Group | None
    """The loose group that contains it; None: it is the whole body of its section."""
    main_part: Part | None
    """The part that has shorter forms, or else the last: the unit takes its name and source."""
    priority: int = 50
    """Its priority among the units of its section."""

    @property
    def name(self) -> str:
        """The unit's name in records of cuts."""
        return self.main_part.name if self.main_part else ""

    @property
    def source(self) -> Source | None:
        """The source of a unit's text."""
        return self.main_part.source if self.main_part else None

    @property
    def tool(self) -> str:
        """The tool that the unit describes; empty if it describes none."""
        source = self.source
        is_tool = source is not None and (source.name or "").startswith("tools[")
        return self.name if is_tool and self.main_part and not self.main_part.goes_with else ""


def find_units(body: Node) -> list[CutUnit]:
    """The units of a body: the parts of its loose groups, or else the body itself."""
    if units := list(_list_loose_units(body)):
        return units
    part = body if isinstance(body, Part) else next((part for part in parts_of(body) if part.leaner), None)
    return [CutUnit(body, None, part)]


def copy_nodes(body: Node) -> Node:
    """A copy of a body, in which every object occurs once."""
    if isinstance(body, Group):
        return replace(body, parts=tuple([copy_nodes(part) for part in body.parts]))
    return replace(body) if isinstance(body, Part) else body


def _list_loose_units(node: Node) -> Iterator[CutUnit]:
    """The units in a body: the parts of its loose groups."""
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


def _find_naming_part(node: Node) -> Part | None:
    """The first part with shorter forms, or else the last with a name, or else the last."""
    parts = list(parts_of(node))
    leaner = [part for part in parts if part.leaner]
    named = [part for part in parts if part.name]
    return leaner[0] if leaner else named[-1] if named else parts[-1] if parts else None


def apply_cuts(body: Node, forms: Mapping[int, Node | None], *, line: bool = True) -> Node:
    """The body with other forms of some nodes, by identity; None drops a node. `line` counts dropped nodes."""
    if not isinstance(body, Group):
        return forms.get(id(body), body) or ""
    if id(body) in forms:
        return forms[id(body)] or ""
    if not body.loose:
        return replace(body, parts=tuple([apply_cuts(part, forms, line=line) for part in body.parts]))
    parts = [form for part in body.parts if (form := forms.get(id(part), part)) is not None]
    if line and (removed := len(body.parts) - len(parts)):
        total = sum(map(_has_text, body.parts))
        parts.append(rest_line(body, total - removed, total))
    return replace(body, parts=tuple(parts))


def _has_text(node: Node) -> bool:
    return bool(node.text) if type(node) is Part else isinstance(node, Group) and bool(node_text(node))


def rest_line(group: Group, shown: int, total: int) -> str:
    """The line with the number of parts that are shown."""
    return group.rest.format(shown=f"{shown:,}", all=f"{total:,}")


def check_rest(group: Group, section: str) -> None:
    """The line about dropped parts is from the recipe: a template that can't be filled in is an error."""
    try:
        rest_line(group, 0, 0)
    except (LookupError, ValueError, AttributeError, TypeError) as problem:
        raise RecipeError(
            f"Section {section!r}: the `rest` of a Group, {group.rest!r}, can't be filled in.",
            hint="Write {shown} and {all} for the numbers, and {{ or }} for any other brace.",
        ) from problem


def has_forms(unit: CutUnit) -> bool:
    """Whether it may have shorter forms of its own."""
    node = unit.node
    return not isinstance(node, str) and (
        bool(node.leaner) or (node is not unit.main_part and unit.main_part is not None)
    )


def has_line(forms: Sequence[Node]) -> bool:
    """Whether each of these forms has a line about how much is dropped."""
    return isinstance(forms.inner if isinstance(forms, GroupForms) else forms, Beginnings)


def shorter_forms(unit: CutUnit, section: str) -> Sequence[Node]:
    """The shorter forms of a unit, longest first; a failure of the recipe's `leaner` is an error that names it."""
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


MIN_SHORTENED_TOKENS = 64
"""A longer part of a list gets shorter forms even if its section gives it none."""


class UnitCosts:
    """The tokens of each unit of a block as rendered, at each of its levels. Exact except at seams."""

    def __init__(self, block: Block, counter: Counter, renderer: Callable[[], BodyRenderer]) -> None:
        """Count the units of a block, in full and in their shorter forms."""
        self.counter, self.name, self.body, self.renderer = counter, block.name, block.body, renderer
        self.units = find_units(block.body)
        if len({id(unit.node) for unit in self.units}) < len(self.units):
            # Cuts are keyed by the node that they cut, so a part that occurs twice has to be two objects.
            self.body = copy_nodes(block.body)
            self.units = find_units(self.body)
        for group in {id(unit.group): unit.group for unit in self.units if unit.group}.values():
            check_rest(group, self.name)
        # Every containment has a note: without notes, the block has all texts unchanged.
        render = self._render if block.notes else node_text
        self.whole = [counter.by_lines(render(unit.node) + _find_separator(unit)) for unit in self.units]
        """The tokens of each unit in full."""
        self.shorter = {
            index: forms
            for index, (unit, tokens) in enumerate(zip(self.units, self.whole, strict=True))
            if (
                unit.node is not unit.main_part
                or unit.main_part.leaner
                or tokens > MIN_SHORTENED_TOKENS
                or unit.group is None
            )
            and (forms := self._list_shorter_forms(unit, tokens))
        }
        """The shorter forms of the units that have any."""

    @lazy
    def _known(self) -> dict[tuple[int, int], int]:
        """The tokens of forms that were rendered before: a search visits them more than once."""
        return {}

    def variants(self, unit: int) -> Sequence[Node]:
        """The shorter forms of a unit."""
        return self.shorter.get(unit, ())

    def _list_shorter_forms(self, unit: CutUnit, tokens: int) -> Sequence[Node]:
        """Its own shorter forms, or else its beginnings, if it is long or the whole body of its section."""
        if not isinstance(unit.node, str) and unit.node.leaner is keep_in_full:
            return ()
        own = shorter_forms(unit, self.name) if has_forms(unit) else ()
        if own or (unit.group is not None and tokens <= MIN_SHORTENED_TOKENS):
            return own
        return beginnings_of_node(unit.node, unit.name or self.name, alone=unit.group is not None)

    def at(self, unit: int, level: int) -> int:
        """The tokens of a unit at a level: 0 is the full form, 1 its first shorter form."""
        if level == DROPPED:
            return 0
        if not level:
            return self.whole[unit]
        if (unit, level) not in self._known:
            text = self._render(self.shorter[unit][level - 1]) + _find_separator(self.units[unit])
            self._known[unit, level] = self.counter.by_lines(text)
        return self._known[unit, level]

    def _render(self, node: Node) -> str:
        """The sanitized text of a node: a file with many escapes is longer in the prompt than on disk."""
        if type(node) is Part and not node.single and scan(node.text).plain:
            return node_text(node)
        renderer = self.renderer()
        renderer.render_node(node)
        return "".join(renderer.texts)

    @lazy
    def tools(self) -> dict[int, str]:
        """The units that describe a tool."""
        return {
            i: name
            for i, unit in enumerate(self.units)
            if unit.main_part and unit.main_part.source and (name := unit.tool)
        }


def _find_forms(node: Node) -> Sequence[Node]:
    """The shorter forms of a unit's node."""
    if isinstance(node, str):
        return ()
    if node.leaner:
        forms = node.leaner(node) if callable(node.leaner) else node.leaner
        # Beginnings are computed on demand, and there may be hundreds.
        return forms if isinstance(forms, Beginnings) else tuple(_replace_text(node, forms))
    if isinstance(node, Group):
        for index, part in enumerate(node.parts):
            if inner := _find_forms(part):
                return GroupForms(node, index, inner)
    return ()


def _replace_text(node: Part | Group, forms: Iterable[Node]) -> Iterator[Node]:
    """Each form that has text. A plain text replaces that of the part: it keeps its source, and is sanitized."""
    if isinstance(forms, str):
        raise TypeError(f"it returned one text {forms!r:.80}")
    for form in forms:
        if not isinstance(form, str | Part | Group):
            raise TypeError(f"it returned {form!r:.80}")
        if isinstance(form, str) and isinstance(node, Part):
            form = replace(node, text=form)
        if node_text(form):
            yield form


class GroupForms(Sequence[Node]):
    """The shorter forms of a group, in which one of its parts is shorter; computed on demand."""

    def __init__(self, group: Group, at: int, inner: Sequence[Node]) -> None:
        self.group, self.at, self.inner = group, at, inner

    def __len__(self) -> int:
        return len(self.inner)

    def __getitem__(self, level: int) -> Node:  # type: ignore[override]
        """The group with that shorter form in place of the part."""
        parts = self.group.parts
        return replace(self.group, parts=(*parts[: self.at], self.inner[level], *parts[self.at + 1 :]))


def _find_separator(unit: CutUnit) -> str:
    """The separator between a unit and the next."""
    return unit.group.sep if unit.group else JOIN

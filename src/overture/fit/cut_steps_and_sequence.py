"""The order of cuts in one block: steps that shorten or drop its units, what each saves, and their sequence."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..assemble.render_body import BodyRenderer
from ..assemble.sanitize.forbidden_frames import Guard, prompt_guard
from ..errors import OvertureError, RecipeError
from ..lazy import lazy
from ..model.prompt.block import JOIN, Block, Omission
from ..model.prompt.prompt import Prompt
from ..model.recipe.body import Group, Node, Part, keep_in_full, node_text, parts_of
from ..model.recipe.cut_to_beginning import Beginnings, beginnings_of_node
from ..model.recipe.recipe import Recipe
from ..model.source import Origin, Source
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

    def __init__(self, block: Block, counter: Counter, renderer: BodyRenderer) -> None:
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
        self.renderer.begin()
        self.renderer.render_node(node)
        return "".join(self.renderer.texts)

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


# Block -> sequence: the steps that cut its text, down to the one-line notice in its place.
# Dropping the notice is not part of the sequence: that happens only when every sequence is at its end.


NOTICE = "[{name}: dropped to fit the budget, {tokens}.]"


MAX_SINGLE_STEPS = 8
"""Up to this many shorter forms of a unit, each is a step; more than that are one sliding step."""
Move: TypeAlias = tuple[int, int]
"""A unit, and the level that it is cut to."""


class CutStep(Struct, frozen=True, gc=False):
    """Moves that are made together, and how many tokens they save."""

    moves: tuple[Move, ...]
    saves: int
    slides: bool = False
    """Whether its one move covers many levels and can stop at each of them."""
    line: int = 0
    """The tokens that a level has to save: as many as the line about the cut costs."""


def make_cut_steps(costs: UnitCosts) -> list[CutStep]:
    """First shorten, then drop, group by group in the order of the text. Every step saves tokens."""
    groups: dict[int, list[int]] = {}
    for index, unit in enumerate(costs.units):
        groups.setdefault(id(unit.group), []).append(index)
    priorities = [unit.priority for unit in costs.units]
    orders = [_order_units(costs, members, priorities) for members in groups.values()]
    now = list(costs.whole)
    steps = [step for order in orders for step in _make_shortening_steps(costs, order, now)] if costs.shorter else []
    for order in orders:
        group = costs.units[order[0]].group
        if group is not None:
            steps += _make_dropping_steps(costs, group, order, now)
    return steps


def _order_units(costs: UnitCosts, members: list[int], priorities: list[int]) -> list[int]:
    """The order of cutting: the lowest priority first; of equals the outermost file, or the last of a list."""
    group = costs.units[members[0]].group
    if group is None or group.loose != "outermost":
        members.reverse()
    return sorted(members, key=priorities.__getitem__)


def _make_shortening_steps(costs: UnitCosts, order: list[int], now: list[int]) -> Iterator[CutStep]:
    group = costs.units[order[0]].group
    deepest = max([len(costs.variants(index)) for index in order])
    if deepest > MAX_SINGLE_STEPS or (group is not None and group.loose == "outermost"):
        for index in order:
            yield from _make_sliding_step(costs, index, now)
        return
    for level in range(1, deepest + 1):
        for index in order:
            if level <= len(costs.variants(index)) and (cost := costs.at(index, level)) < now[index]:
                if costs.whole[index] - cost < _count_line_tokens(costs, index):
                    continue
                yield CutStep(((index, level),), now[index] - cost)
                now[index] = cost


def _make_sliding_step(costs: UnitCosts, index: int, now: list[int]) -> Iterator[CutStep]:
    last = len(costs.variants(index))
    line = _count_line_tokens(costs, index)
    if last and (cost := costs.at(index, last)) < now[index] and now[index] - cost >= line:
        yield CutStep(((index, last),), now[index] - cost, last > 1, line)
        now[index] = cost


def _count_line_tokens(costs: UnitCosts, index: int) -> int:
    """About how many tokens the line about the cut costs in a unit's shorter forms; 0 if they have none."""
    forms = costs.variants(index)
    return costs.at(index, len(forms)) if has_line(forms) else 0


def _make_dropping_steps(costs: UnitCosts, group: Group, order: list[int], now: list[int]) -> list[CutStep]:
    """Drop units one by one; the first step drops enough to save what the line with their count costs."""
    steps: list[CutStep] = []
    moves: list[Move] = []
    line = costs.counter.by_lines(rest_line(group, len(order), len(order)) + group.sep)
    saves = -line
    for index in order:
        moves.append((index, DROPPED))
        saves += now[index]
        if saves > 0 and saves >= line:
            steps.append(CutStep(tuple(moves), saves))
            moves, saves, line = [], 0, 0
    return steps


class CutPosition(NamedTuple):
    """A position in a sequence: a number of whole steps, and a level within the next step."""

    steps: int = 0
    level: int = 0


def make_cut_sequence(block: Block, prompt: Prompt) -> "CutSequence":
    """The sequence of a block, by the prompt's counter."""
    return CutSequence(block, prompt.counter, prompt.recipe, prompt.state.origins, prompt_guard(prompt))


class CutSequence:
    """The steps that cut one block, in order, by one counter."""

    def __init__(
        self, block: Block, counter: Counter, recipe: Recipe, origins: Mapping[str, Origin], guard: Guard
    ) -> None:
        """Put the steps that cut this block into their order."""
        self.block, self.counter, self.origins = block, counter, origins
        self.tokens = block.tokens(counter, JOIN)
        self.notice = NOTICE.format(name=block.name, tokens=counter.describe(self.tokens))
        self.costs = UnitCosts(block, counter, BodyRenderer(recipe, block.section, origins, guard))
        self.steps = make_cut_steps(self.costs)
        self.saved = list(accumulate([step.saves for step in self.steps], initial=0))
        """About how many tokens are saved after each number of steps."""
        self.cached: dict[object, Block | Omission] = {}
        """Cut forms of the block, by how far they are cut."""
        self._last: tuple[CutPosition, dict[int, int]] = (CutPosition(), {})

    @property
    def end(self) -> CutPosition:
        """The end of the sequence: the notice, or the shortest form if the notice would save too little."""
        return CutPosition(len(self.steps) + 1)

    @lazy
    def line(self) -> int:
        """The tokens of the notice at the end of the sequence; 0 if it saves less than it costs."""
        cost = self.counter.by_lines(self.notice + JOIN)
        return cost if 2 * cost <= self.tokens and cost < self.tokens - self.saved[-1] else 0

    @property
    def remains(self) -> int:
        """How many tokens are left at the end of the sequence."""
        return self.line or self.tokens - self.saved[-1]

    def levels(self, position: CutPosition) -> dict[int, int]:
        """The level of each unit that is cut at a position. The last result is cached: callers repeat it."""
        if self._last[0] == position:
            return self._last[1]
        levels = dict([move for step in self.steps[: position.steps] for move in step.moves])
        if position.level:
            levels[self.steps[position.steps].moves[0][0]] = position.level
        self._last = position, levels
        return levels

    def saving(self, position: CutPosition) -> int:
        """About how many tokens the steps up to a position save."""
        if position >= self.end:
            return self.tokens - self.remains
        saved = self.saved[position.steps]
        if position.level:
            index, _ = self.steps[position.steps].moves[0]
            saved += self.costs.whole[index] - self.costs.at(index, position.level)
        return saved

    def place_for(self, need: int) -> CutPosition:
        """The first position that saves about this many tokens."""
        steps = bisect_left(self.saved, need)
        if steps == 0 or steps > len(self.steps) or not self.steps[steps - 1].slides:
            return CutPosition(steps)
        index, last = self.steps[steps - 1].moves[0]
        room = self.costs.whole[index] - (need - self.saved[steps - 1])
        level = 1 + bisect_left(range(1, last), True, key=lambda each: self.costs.at(index, each) <= room)
        level = self._find_worthwhile_level(self.steps[steps - 1], level)
        return CutPosition(steps - 1, level) if level < last else CutPosition(steps)

    def _find_worthwhile_level(self, step: CutStep, level: int) -> int:
        """The given level, or the first later one that saves as many tokens as the line about the cut costs."""
        index, last = step.moves[0]
        while level < last and self.costs.whole[index] - self.costs.at(index, level) < step.line:
            level += 1
        return level

    def next(self, position: CutPosition) -> CutPosition:
        """The next position in the sequence of cuts."""
        if position.steps < len(self.steps) and (step := self.steps[position.steps]).slides:
            level = self._find_worthwhile_level(step, position.level + 1)
            return CutPosition(position.steps, level) if level < step.moves[0][1] else CutPosition(position.steps + 1)
        return CutPosition(position.steps + 1)

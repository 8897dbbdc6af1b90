"""`overture agents diff A B`: the lines that only one of two agents gets at the start, in whichever files they are."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Annotated, NamedTuple

from ..discovery.duplicate_files import IMPORT
from ..model.state.files import MAX_WORDLESS_CHARS
from ..model.struct import Frozen, note
from ..text.escape import choose_fence, code_span, escape_diff_line
from ..text.path_printer import PathPrinter
from ..text.words import count_noun
from ..tokens.counter import Counter, format_tokens, name_unit
from .survey import ProjectFiles
from .table import Table
from .uses import LISTED_KINDS
from .views import Block, Cell, Rows

BLANKS = re.compile(r"\s+")
MAX_SHOWN_LINES = 4
"""Lines of a range that are shown without `--all`."""
MAX_SHOWN_RANGES = 12
MAX_LINE_CHARS = 160


class Line(NamedTuple):
    """One line of a file that an agent gets; `key` is the same for two lines with the same words."""

    path: str
    number: int
    text: str
    key: str


class LineRange(Frozen, frozen=True, omit_defaults=False):
    """Lines of one file that only one of the two agents loads."""

    path: str
    line: int
    last_line: int
    tokens: int
    text: str


class AgentSide(Frozen, frozen=True, omit_defaults=False):
    """One of the two agents, and the lines that only it loads."""

    name: str
    title: str
    tokens: int
    only: tuple[LineRange, ...]


class AgentsDiff(Frozen, frozen=True, omit_defaults=False):
    """The difference of the texts that two agents load in one folder."""

    first: AgentSide
    second: AgentSide
    both: Annotated[int, note("tokens that both load, each line counted once")]
    tokenizer: str
    exact: Annotated[bool, note("false: the tokens are an estimate")]

    @property
    def same(self) -> bool:
        return not self.first.only and not self.second.only


def list_agent_lines(table: Table, files: ProjectFiles, agent: str) -> Iterator[Line]:
    """The lines that an agent gets at the start, in its order; of what it lists, the names."""
    for use in table.at(agent):
        if use.how == "listed" and use.kind in LISTED_KINDS:
            name = use.path.removesuffix("/SKILL.md").rpartition("/")[2]
            yield Line(use.path, 1, name, f"{use.kind} {name}")
        elif use.is_text and use.how in ("loaded", "truncated"):
            texts = files.text(use.path).splitlines()
            for first, last in use.spans:
                end = min(last, use.last_line) if use.how == "truncated" and use.last_line is not None else last
                for number in range(first, min(end, len(texts)) + 1):
                    words = BLANKS.sub(" ", texts[number - 1].strip())
                    if len(words) > MAX_WORDLESS_CHARS and not IMPORT.fullmatch(words):
                        yield Line(use.path, number, texts[number - 1], words)


def diff_agents(table: Table, files: ProjectFiles, counter: Counter) -> AgentsDiff:
    """Compare what the two agents of a table load, line by line."""
    sides = [[*list_agent_lines(table, files, agent.name)] for agent in table.agents]
    keys = [{line.key: line.text for line in lines} for lines in sides]
    both = counter("\n".join(text for key, text in keys[0].items() if key in keys[1]))
    first, second = (
        _make_side(agent.name, agent.title, lines, keys[1 - at], counter)
        for at, (agent, lines) in enumerate(zip(table.agents, sides, strict=True))
    )
    return AgentsDiff(first, second, both, counter.name, counter.exact)


def _make_side(name: str, title: str, lines: Sequence[Line], others: dict[str, str], counter: Counter) -> AgentSide:
    known, new = set(others), dict[int, Line]()
    for at, line in enumerate(lines):
        if line.key not in known:
            known.add(line.key)
            new[at] = line
    # Lines that follow each other in one file are one range.
    ranges = []
    for _, rows in groupby(enumerate(new.items()), key=lambda row: (row[1][0] - row[0], row[1][1].path)):
        part = [line for _, (_, line) in rows]
        text = "\n".join(line.text for line in part)
        ranges.append(LineRange(part[0].path, part[0].number, part[-1].number, counter(text), text))
    return AgentSide(name, title, sum(each.tokens for each in ranges), tuple(ranges))


def view_diff(diff: AgentsDiff, printer: PathPrinter, everything: bool) -> Iterator[Block]:
    """What only one of the two loads."""

    def count(tokens: int) -> str:
        return f"{format_tokens(tokens, exact=diff.exact)} {name_unit(diff.tokenizer, tokens)}"

    for side in (diff.first, diff.second):
        if not side.only:
            yield Cell(f"Nothing is loaded by {side.title} alone.", "strong")
            continue
        yield Cell(f"Only {side.title} loads {count(side.tokens)}:", "strong")
        shown = side.only if everything or len(side.only) <= MAX_SHOWN_RANGES + 1 else side.only[:MAX_SHOWN_RANGES]
        rows = []
        for each in shown:
            numbers = f"{each.line}" if each.line == each.last_line else f"{each.line}-{each.last_line}"
            texts = each.text.split("\n")
            kept = texts if everything else texts[:MAX_SHOWN_LINES]
            short = [t if everything or len(t) <= MAX_LINE_CHARS else f"{t[:MAX_LINE_CHARS].rstrip()}…" for t in kept]
            more = [f"… and {count_noun(len(texts) - len(kept), 'more line')}"] if len(texts) > len(kept) else []
            rows.append((Cell(f"{printer(each.path)}:{numbers}", "path"), Cell(count(each.tokens), "weak")))
            rows += [(Cell(f"  {text}"), Cell("")) for text in (*short, *more)]
        yield Rows(("", ""), rows, (0,))
        if rest := len(side.only) - len(shown):
            yield Cell(f"and {rest:,} more: `--all` shows them", "weak")
    yield Cell(f"Both: {count(diff.both)}." if diff.both else "They load nothing in common.")


def format_diff(diff: AgentsDiff, printer: PathPrinter) -> str:
    """The same as Markdown: the lines in fences that they can't close."""
    parts = []
    for side in (diff.first, diff.second):
        count = f"{format_tokens(side.tokens, exact=diff.exact)} {name_unit(diff.tokenizer, side.tokens)}"
        parts.append(
            f"### Only {side.title} loads, {count}" if side.only else f"### Nothing is loaded by {side.title} alone"
        )
        for each in side.only:
            ticks = choose_fence(each.text)
            lines = "\n".join(escape_diff_line(line) for line in each.text.split("\n"))
            parts.append(f"{code_span(f'{printer(each.path)}:{each.line}')}\n\n{ticks}text\n{lines}\n{ticks}")
    both = f"{format_tokens(diff.both, exact=diff.exact)} {name_unit(diff.tokenizer, diff.both)}"
    return "\n\n".join([*parts, f"Both: {both}." if diff.both else "They load nothing in common."])

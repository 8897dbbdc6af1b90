"""`overture agents diff A B` compares by content what two agents load, and shows it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

from ..errors import RecipeError
from ..known_agents import agent_facts
from ..model.struct import Frozen, note
from ..terminal.output import count_noun, dim, escape_controls, print_line, print_wrapped, style
from ..text.path_printer import PathPrinter
from ..tokens.counter import Counter, format_tokens, name_unit
from ..tokens.load_tokenizer import find_counter
from .agent_project import AgentFound, AgentProject
from .agents_in_use import find_agent_name, resolve_for_agent
from .loaded_lines import LoadedLine, list_loaded_lines

FoundForAgent = tuple[str, AgentFound]
"""The name of an agent, and what was found for it."""


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

    def format(self, tokens: int) -> str:
        """Tokens of the two agents, for a person: `~1,234 tokens`."""
        return f"{format_tokens(tokens, exact=self.exact)} {name_unit(self.tokenizer, tokens)}"

    @property
    def same(self) -> bool:
        """Whether both compared agents load the same."""
        return not self.first.only and not self.second.only


def diff_agents(first: FoundForAgent, second: FoundForAgent, counter: Counter | None = None) -> AgentsDiff:
    """Compares what they load, line by line, in whichever files it is."""
    counter = counter or find_counter()
    lines = [list_loaded_lines(found) for _, found in (first, second)]
    keys = [{line.key: line.text for line in file_lines} for file_lines in lines]
    both = counter("\n".join(text for key, text in keys[0].items() if key in keys[1]))
    one = _make_side(first[0], lines[0], keys[1], counter)
    other = _make_side(second[0], lines[1], keys[0], counter)
    return AgentsDiff(one, other, both, counter.name, counter.exact)


def _make_side(name: str, lines: Sequence[LoadedLine], others: Iterable[str], counter: Counter) -> AgentSide:
    only = tuple(_make_range(each, counter) for each in group_lines(lines, others))
    return AgentSide(name, agent_facts(name).title, sum(each.tokens for each in only), only)


def group_lines(lines: Iterable[LoadedLine], others: Iterable[str]) -> Iterator[list[LoadedLine]]:
    """Lines that are not among the others, those that follow each other in one file as one; each text once."""
    known, open_ = set(others), list[LoadedLine]()
    for line in lines:
        is_new = line.key not in known
        # Lines of another file that are known part nothing.
        if open_ and (line.path == open_[-1].path) != is_new:
            yield open_
            open_ = []
        if is_new:
            known.add(line.key)
            open_.append(line)
    if open_:
        yield open_


def _make_range(lines: Sequence[LoadedLine], counter: Counter) -> LineRange:
    text = "\n".join(line.text for line in lines)
    return LineRange(lines[0].path, lines[0].number, lines[-1].number, counter(text), text)


MAX_SHOWN_LINES = 4
"""Lines of a range that are shown."""
MAX_SHOWN_RANGES = 12
"""Ranges that are shown."""
MAX_LINE_CHARS = 160
"""Characters of a line that are shown."""


def compare_in_folder(base: AgentProject, names: tuple[str, ...], counter: Counter | None) -> AgentsDiff:
    """The difference of the texts that two agents load in one folder."""
    if len(names) != 2:
        raise RecipeError(
            f"`overture agents diff` compares two agents, not {len(names)}.",
            hint="Name two: `overture agents diff codex cursor`.",
        )
    first, second = ((name, resolve_for_agent(base, name).find()) for name in map(find_agent_name, names))
    return diff_agents(first, second, counter)


def show_agents_diff(diff: AgentsDiff, printer: PathPrinter, everything: bool) -> None:
    """Print how two agents differ."""
    for one in (diff.first, diff.second):
        _show_side(diff, one, printer, everything)
        print_line()
    print_wrapped(f"Both: {diff.format(diff.both)}." if diff.both else "They load nothing in common.")


def _show_side(diff: AgentsDiff, one: AgentSide, printer: PathPrinter, everything: bool) -> None:
    if not one.only:
        print_wrapped(style(f"Nothing is loaded by {escape_controls(one.title)} alone.", bold=True))
        return
    print_wrapped(style(f"Only {escape_controls(one.title)} loads {diff.format(one.tokens)}:", bold=True))
    shown = one.only if everything or len(one.only) <= MAX_SHOWN_RANGES + 1 else one.only[:MAX_SHOWN_RANGES]
    for each in shown:
        lines = f"{each.line}" if each.line == each.last_line else f"{each.line}-{each.last_line}"
        tokens = dim(diff.format(each.tokens))
        print_wrapped(f"{printer(each.path)}:{lines}  {tokens}", "  ")
        _show_lines(each.text.split("\n"), everything)
    if rest := len(one.only) - len(shown):
        print_wrapped(dim(f"and {rest:,} more: `--all` shows them"), "  ")


def _show_lines(texts: Sequence[str], everything: bool) -> None:
    for line in texts if everything else texts[:MAX_SHOWN_LINES]:
        short = line if everything or len(line) <= MAX_LINE_CHARS else f"{line[:MAX_LINE_CHARS].rstrip()}…"
        print_line(f"    {escape_controls(short)}")
    if not everything and len(texts) > MAX_SHOWN_LINES:
        print_line(dim(f"    … and {count_noun(len(texts) - MAX_SHOWN_LINES, 'more line')}"))

"""What two agents are told -> what only one of them is, by content: two copies of one text are one fact."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, NamedTuple

from ...model.recipe.wants.wanted_files import Wants
from ...model.state.state import State
from ...model.struct import Frozen, note
from ...tokens.estimate import estimate
from .told_lines import ToldLine, told_lines


class AgentTold(NamedTuple):
    """An agent, and what was found for it."""

    name: str
    title: str
    state: State
    wants: Wants


class Stretch(Frozen, frozen=True, omit_defaults=False):
    """Lines of one file that one agent is told and the other is not."""

    path: str
    line: int
    last_line: int
    tokens: int
    text: str


class OneAgent(Frozen, frozen=True, omit_defaults=False):
    """What only one of the two is told."""

    name: str
    title: str
    tokens: int
    only: tuple[Stretch, ...]


class AgentsDiff(Frozen, frozen=True, omit_defaults=False):
    """Two agents in one place."""

    first: OneAgent
    second: OneAgent
    both: Annotated[int, note("tokens of what both are told, each line counted once")]

    @property
    def same(self) -> bool:
        """Whether both are told the same."""
        return not self.first.only and not self.second.only


def diff_agents(first: AgentTold, second: AgentTold) -> AgentsDiff:
    """Compare what they are told, line by line, whatever file it stands in."""
    lines = [told_lines(each.state, each.wants) for each in (first, second)]
    keys = [{line.key: line.text for line in told} for told in lines]
    both = sum(estimate(text) for key, text in keys[0].items() if key in keys[1])
    return AgentsDiff(_one(first, lines[0], keys[1]), _one(second, lines[1], keys[0]), both)


def _one(agent: AgentTold, lines: Sequence[ToldLine], others: Iterable[str]) -> OneAgent:
    only = tuple(stretches(lines, frozenset(others)))
    return OneAgent(agent.name, agent.title, sum(each.tokens for each in only), only)


def stretches(lines: Iterable[ToldLine], others: frozenset[str]) -> Iterator[Stretch]:
    """Lines that are not among the others, those that follow each other in one file as one; each text once."""
    met: set[str] = set()
    open_: list[ToldLine] = []
    for line in lines:
        if line.key in others or line.key in met:
            if open_ and line.path == open_[-1].path:
                yield _stretch(open_)
                open_ = []
            continue
        if open_ and line.path != open_[-1].path:
            yield _stretch(open_)
            open_ = []
        met.add(line.key)
        open_.append(line)
    if open_:
        yield _stretch(open_)


def _stretch(lines: Sequence[ToldLine]) -> Stretch:
    text = "\n".join(line.text for line in lines)
    return Stretch(lines[0].path, lines[0].number, lines[-1].number, estimate(text), text)

"""What agents send of the files here at their start, from the table of uses; and which agents a command speaks of."""

import posixpath
from collections.abc import Sequence
from typing import Annotated

from msgspec.structs import replace

from ..discovery.paths import expand_path
from ..discovery.world import World
from ..errors import OvertureError
from ..known_agents import AGENTS
from ..model.recipe.recipe import OwnPrompt
from ..model.state.reasons import NO_REASON, Reason
from ..model.struct import Frozen, note
from ..terminal.option_values import counter_for, window_for
from ..terminal.options import CommandOptions, at_one_moment, load_settings
from .table import AgentInfo, Table, ask, count_tokens, make_table, open_agents_in
from .uses import LISTED_KINDS, Span, Use, shorten_reason


class RequestPart(Frozen, frozen=True):
    """A file and what an agent's request has of it."""

    path: str
    kind: str
    how: str
    tokens: int = 0
    lines: Annotated[tuple[Span, ...], note("first and last lines that are loaded; none: not known, or all")] = ()
    last_line: int | None = None
    of: Annotated[int | None, note("of a truncated file: how many lines it has")] = None
    times: int = 1
    reason: Reason = NO_REASON
    text: Annotated[str, note("the reason in words")] = ""
    personal: Annotated[bool, note("others who work on the project do not have it")] = False


class AgentRequest(Frozen, frozen=True, omit_defaults=False):
    """The parts of an agent's first request that come from files."""

    name: str
    title: str
    tokens: Annotated[int, note("of files and skills; its own prompt is not counted")]
    files: tuple[RequestPart, ...]
    skills: Annotated[tuple[RequestPart, ...], note("also commands and sub-agents")]
    later: Annotated[tuple[RequestPart, ...], note("loaded on demand, and not counted")]
    skipped: tuple[RequestPart, ...]
    own: Annotated[OwnPrompt, note("the size of its own prompt, in characters")]
    window: int | None = None
    free: Annotated[int | None, note("tokens left, of which its own prompt takes some")] = None


class AgentRequests(Frozen, frozen=True, omit_defaults=False):
    """The requests of some agents that start in one folder."""

    agents: tuple[AgentRequest, ...]
    tokenizer: str
    exact: Annotated[bool, note("false: the tokens are an estimate")]


def find_subjects(options: CommandOptions) -> tuple[str, ...] | None:
    """The agent that is named, or all that are in use (empty); None: a recipe, a state or a saved file is meant."""
    changed = (options.state_file, options.no_discover, options.subagent, options.sets, options.tools_file,
               options.budgets, options.audience)  # fmt: skip
    if any(changed) or (options.recipe is not None and options.recipe not in AGENTS):
        return None
    if options.recipe is not None:
        return (options.recipe,)
    try:
        recipe = load_settings(options).get("recipe").value
    except OvertureError:
        return None
    if recipe in AGENTS:
        return (str(recipe),)
    return () if recipe in (None, "") else None


def read_requests(names: Sequence[str], options: CommandOptions) -> tuple[Table, AgentRequests]:
    """What these agents send at their start, of the files here."""
    options = at_one_moment(options)
    base = open_agents_in(options.cwd, options.home, options.root, options.world, read_outside=options.read_outside)
    table = make_table(ask(base, names, counter=counter_for(options)))
    window = window_for(options) if options.window is not None else None
    agents = tuple(_make_request(agent, table, window) for agent in table.agents)
    return table, AgentRequests(agents, table.tokenizer, table.exact)


def _make_request(agent: AgentInfo, table: Table, window: int | None) -> AgentRequest:
    uses = table.at(agent.name)
    parts = [(use, _make_part(use, table)) for use in uses]
    tokens = count_tokens(uses)
    listed = [(use, part) for use, part in parts if use.how in ("loaded", "truncated", "listed")]
    return AgentRequest(
        agent.name, agent.title, tokens,
        tuple(part for use, part in listed if use.kind not in LISTED_KINDS),
        tuple(part for use, part in listed if use.kind in LISTED_KINDS),
        tuple(part for use, part in parts if use.how == "on_demand"),
        tuple(part for use, part in parts if use.how == "skipped"),
        agent.own, window, None if window is None else window - tokens,
    )  # fmt: skip


def _make_part(use: Use, table: Table) -> RequestPart:
    reason = shorten_reason(use.reason, table.shorten)
    return RequestPart(
        table.shorten(use.path), use.kind, use.how, use.tokens, use.spans, use.last_line, use.lines, use.times, reason,
        table.explain(use, table.shorten), use.personal,
    )  # fmt: skip


def select_path(requests: AgentRequests, table: Table, name: str, options: CommandOptions) -> AgentRequests | None:
    """Only the parts that a path, a file's name or a skill's name means; None: there is no such file."""
    path = table.shorten(posixpath.normpath(expand_path(name, table.cwd, options.home or World().machine.home())))
    ends = f"/{name}", f"/{name}/SKILL.md"
    parts = [part for a in requests.agents for group in (a.files, a.skills, a.later, a.skipped) for part in group]
    exact = {part.path for part in parts if part.path in (path, f"{path}/SKILL.md")}
    paths = exact or {part.path for part in parts if f"/{part.path}".endswith(ends)}
    if not paths:
        return None

    def keep(group: tuple[RequestPart, ...]) -> tuple[RequestPart, ...]:
        return tuple(part for part in group if part.path in paths)

    agents = tuple(
        replace(a, files=keep(a.files), skills=keep(a.skills), later=keep(a.later), skipped=keep(a.skipped))
        for a in requests.agents
    )
    return replace(requests, agents=agents)

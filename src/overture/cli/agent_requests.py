"""What `context` and `explain` say of agents: the files and skills in their requests, from the table of uses."""

import posixpath
from collections.abc import Callable, Sequence
from typing import Annotated

from msgspec.structs import replace

from ..agents.table import AgentInfo, Table, ask, count_tokens, make_table, open_place
from ..agents.uses import LISTED_KINDS, Span, Use, shorten_reason
from ..discovery.paths import expand_path
from ..discovery.world import World
from ..errors import OvertureError
from ..known_agents import AGENTS
from ..model.recipe.recipe import OwnPrompt
from ..model.state.reasons import NO_REASON, Reason
from ..model.struct import Frozen, note
from ..terminal.option_values import counter_for, window_for
from ..terminal.options import CommandOptions, at_one_moment, load_settings, make_path_printer
from ..terminal.output import count_noun, dim, escape_controls, print_heading, print_line, print_table, print_wrapped
from ..tokens.counter import describe_tokens, format_tokens

MAX_SKIPPED = 20
HOW = {"loaded": "loaded", "truncated": "truncated", "on_demand": "on demand", "listed": "listed", "skipped": "skipped"}


class RequestPart(Frozen, frozen=True):
    """A file and what an agent's request has of it."""

    path: str
    kind: str
    how: str
    tokens: int = 0
    lines: Annotated[tuple[Span, ...], note("first and last lines that are loaded; none: not known, or all")] = ()
    last_line: int | None = None
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
    base = open_place(options.cwd, options.home, options.root, options.world, read_outside=options.read_outside)
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
        table.shorten(use.path), use.kind, use.how, use.tokens, use.spans, use.last_line, use.times, reason,
        table.explain(use, table.shorten), use.personal,
    )  # fmt: skip


def describe_own(own: OwnPrompt) -> str:
    """`its own prompt (about 15,125 characters) and 12 tools (about 30,363)`."""
    if own.characters is None:
        return "its own prompt, of which the size is not known"
    tools = f" and {count_noun(own.tools, 'tool')}" if own.tools else ""
    size = f" (about {own.tool_characters:,})" if own.tools and own.tool_characters else ""
    return f"its own prompt (about {own.characters:,} characters){tools}{size}"


def show_requests(requests: AgentRequests, table: Table, options: CommandOptions) -> None:
    """The parts of each request, the largest group first in the order in which the agent loads them."""
    if not requests.agents:
        print_wrapped("No agent reads anything here.")
    show = _make_shower(table, options)
    for number, agent in enumerate(requests.agents):
        if number:
            print_line()
        size = describe_tokens(agent.tokens, exact=requests.exact)
        free = ""
        if agent.window is not None and agent.free is not None:
            free = f" of {agent.window:,}; {agent.free:,} are left for its own prompt and the conversation"
        what = f"{size} of files and skills before the first message{free}"
        print_wrapped(f"{agent.title}: {what} ({requests.tokenizer})")
        for title, parts in (("Files", agent.files), ("Skills", agent.skills), ("Later, on demand", agent.later)):
            if parts:
                print_heading(title)
                rows = [(format_tokens(p.tokens, exact=requests.exact), show(p.path), _name_part(p)) for p in parts]
                print_table([(count.rjust(max(len(r[0]) for r in rows)), *rest) for count, *rest in rows])
        print_line()
        print_wrapped(dim(f"Not counted: {describe_own(agent.own)}."))


def _make_shower(table: Table, options: CommandOptions) -> Callable[[str], str]:
    """Prints the paths of requests, which are relative to the project, as a person writes them here."""
    printer = make_path_printer(options)
    return lambda path: printer(posixpath.join(table.root, path))


def _name_part(part: RequestPart) -> str:
    last = f"truncated after line {part.last_line:,}" if part.last_line is not None else ""
    times = f"{part.times} times" if part.times > 1 else ""
    return dim(escape_controls(", ".join(filter(None, (last, times, "personal" if part.personal else "")))))


def show_lines(requests: AgentRequests, table: Table, options: CommandOptions, *, everything: bool) -> None:
    """Each file with its lines in the request, and why it is there or not."""
    show = _make_shower(table, options)
    for number, agent in enumerate(requests.agents):
        if number:
            print_line()
        print_wrapped(f"{agent.title}: {describe_tokens(agent.tokens, exact=requests.exact)} ({requests.tokenizer})")
        skipped = agent.skipped if everything or len(agent.skipped) <= MAX_SKIPPED else ()
        parts = [*agent.files, *agent.skills, *agent.later, *skipped]
        rows = [
            (HOW[part.how], format_tokens(part.tokens, exact=requests.exact) if part.tokens else "", show(part.path),
             _name_lines(part), dim(escape_controls(part.text)))
            for part in parts
        ]  # fmt: skip
        print_table(rows, heads=("", "tokens", "file", "lines", "why"))
        if hidden := len(agent.skipped) - len(skipped):
            print_wrapped(dim(f"and {hidden:,} skipped: `--all` lists them"), "  ")
        print_wrapped(dim(f"Not counted: {describe_own(agent.own)}."))


def _name_lines(part: RequestPart) -> str:
    """`1-20, 24-60`; where a limit ends a file, up to that line."""
    merged: list[Span] = []
    for first, end in sorted(part.lines):
        last = min(end, part.last_line or end)
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        elif first <= last:
            merged.append((first, last))
    named = [f"{first}-{last}" if last > first else f"{first}" for first, last in merged]
    return ", ".join(named[:3]) + (f" and {len(named) - 3} more" if len(named) > 3 else "")


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

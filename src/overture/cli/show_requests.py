"""How `context` and `explain` show the requests of agents."""

import posixpath
from collections.abc import Callable

from ..agents.requests import AgentRequests, RequestPart
from ..agents.table import Table
from ..agents.uses import Span
from ..model.recipe.recipe import OwnPrompt
from ..terminal.options import CommandOptions, make_path_printer
from ..terminal.output import count_noun, dim, escape_controls, print_heading, print_line, print_table, print_wrapped
from ..tokens.counter import describe_tokens, format_tokens

MAX_SKIPPED = 20
HOW = {"loaded": "loaded", "truncated": "truncated", "on_demand": "on demand", "listed": "listed", "skipped": "skipped"}


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
    more = f" and {len(named) - 3} more" if len(named) > 3 else ""
    return ", ".join(named[:3]) + more + (f" of {part.of}" if part.of else "")

"""`context` and `explain` of agents: the views of the table, with a window, or with the lines that are loaded."""

from collections.abc import Iterator

from ..agents.command import show_why
from ..agents.table import Question, Table, agents_to_data, ask, count_tokens, make_table, open_agents_in
from ..agents.views import Block, Cell, print_view, view_agent
from ..errors import OvertureError
from ..known_agents import AGENTS
from ..terminal.option_values import counter_for, window_for
from ..terminal.options import CommandOptions, check_home, load_settings, make_path_printer
from ..terminal.output import print_wrapped, write_json
from ..tokens.counter import describe_tokens


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


def ask_subjects(names: tuple[str, ...], options: CommandOptions) -> Question:
    """The agents that a command is about, where its options say."""
    check_home(options)
    base = open_agents_in(options.cwd, options.home, options.root, options.world, read_outside=options.read_outside)
    return ask(base, names, counter=counter_for(options))


def show_agents_context(names: tuple[str, ...], options: CommandOptions, *, everything: bool, as_json: bool) -> None:
    """What each agent sends of files and skills before the first message, and what a window leaves for the rest."""
    table = make_table(ask_subjects(names, options))
    window = window_for(options) if options.window is not None else None
    if as_json:
        data = agents_to_data(table)
        for agent in data["agents"] if window else ():
            agent.update(window=window, free=(window or 0) - agent["tokens"])
        write_json(data)
    else:
        print_view(_view_context(table, window, options, everything))


def _view_context(table: Table, window: int | None, options: CommandOptions, everything: bool) -> Iterator[Block]:
    printer = make_path_printer(options)
    for agent in table.agents:
        yield from view_agent(table, agent, printer, everything)
        if window is not None:
            tokens = count_tokens(table.at(agent.name))
            size = describe_tokens(tokens, exact=table.exact)
            yield Cell(f"{size} of {window:,}; {window - tokens:,} are left for its own prompt and the conversation.")


def explain_agents(
    names: tuple[str, ...], options: CommandOptions, path: str | None, *, everything: bool, as_json: bool
) -> int:
    """What agents load, with lines; of one path, if that is asked about. The exit code."""
    question, printer = ask_subjects(names, options), make_path_printer(options)
    if path is not None:
        return show_why(question, path, printer, as_json=as_json, everything=everything)
    table = make_table(question)
    if as_json:
        write_json(agents_to_data(table))
    elif not table.agents:
        print_wrapped("No agent reads anything here.")
    else:
        views = (view_agent(table, agent, printer, everything, lines=True) for agent in table.agents)
        print_view(block for view in views for block in view)
    return 0

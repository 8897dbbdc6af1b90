"""`overture cache` predicts what a provider's cache saves, turn by turn, and shows each miss."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import reduce
from typing import Any

import click

from ...discover.load_tokenizer import find_counter
from ...errors import ConfigError
from ...known_models.model_facts import ModelFacts
from ...known_models.model_table import find_vendors
from ...model.prompt.budget import Budget
from ...model.prompt.prompt import Prompt
from ...model.prompt.saved_prompt import SavedPrompt
from ...model.state.state import State
from ...providers import PROVIDERS
from ...providers.render import check_ttl, facts_for, sent_tools
from ...providers.write.tools import tools_text
from ...report.cache.cache_drawing import draw_cache
from ...report.cache.cache_report import (
    CachedCounter,
    CacheReport,
    PlayedSession,
    SessionSender,
    play_session,
    report_cache,
    report_sessions,
)
from ...report.cache.cause_of_miss import CacheTurn, describe_miss_cause
from ...report.cache.predict_cache import TimedTurn, describe_turn_miss
from ...report.cache.scenarios import SCENARIOS
from ...terminal.gather_state import GatheredState, gather_state
from ...terminal.option_values import budget_for, counter_for, models_for
from ...terminal.options import AS_JSON, RECIPE_HELP, CommandOptions, add_shared_options, refuse_combinations
from ...terminal.output import (
    dim,
    escape_controls,
    print_heading,
    print_table,
    print_wrapped,
    style,
    write_drawing,
    write_json,
)
from ...terminal.progress_line import report_step
from ...terminal.saved_files import SessionItem, check_session, read_session
from ...tokens.counter import Counter
from ..show_facts import together

PREDICTED = "Predicted from bytes and a price table of {date}; only the provider's response shows real cache hits."
COLUMNS = "same: share of tokens equal to the previous turn; read: share of tokens read from the cache."


def show_cache(reports: Sequence[CacheReport], counter: Counter, elsewhere: str | None = None) -> None:
    """The reports for a person: one in full, several side by side. `elsewhere` is the provider that has the model."""
    print_wrapped("; ".join(_format_cache_header(reports[0], elsewhere)))
    print_wrapped(dim(PREDICTED.format(date=reports[0].facts.as_known_on)))
    if len(reports) > 1:
        show_side_by_side(reports, counter)
        return
    (report,) = reports
    after = f"breakpoints after {', '.join(report.breakpoints)}" if report.breakpoints else "no breakpoints"
    tools = "tools included" if report.tools else "tools not included: saved prompts have none"
    print_wrapped(f"{style(report.recipe, bold=True)}  {counter.describe(report.tokens)}, {tools}; {after}")
    if report.sessions:
        print_wrapped(dim(COLUMNS))
    for session in report.sessions:
        show_session(session, counter)
    if report.fleet:
        print_heading("Shared by three agents")
        rows = [
            (n.differs, f"{n.stable:.0%}", f"{n.effective:.0%}", escape_controls(describe_miss_cause(n.blame)))
            for n in report.fleet
        ]
        print_table(rows, heads=("differing in", "same", "cached", "first difference"))


def _format_cache_header(report: CacheReport, elsewhere: str | None) -> Iterator[str]:
    """The provider of the cache, its price, and the counter and budget."""
    facts = report.facts
    unknown = "" if facts.known else ", which is unknown: its provider's defaults are used"
    if elsewhere:
        unknown = f", which has no such model, so its defaults are used: try --provider {elsewhere}"
    yield f"{style(facts.model, bold=True)} ({facts.vendor}){unknown}"
    yield "price unknown" if facts.input is None else f"${facts.input:g} per million input tokens"
    if facts.minimum:
        yield f"cache minimum {facts.minimum:,} tokens"
    if not facts.publishes_life:
        yield f"cache lifetime unknown: {facts.ttl()} is assumed"
    yield f"counted by {report.tokenizer}"
    if report.budget:
        total = [] if report.budget.total is None else [f"{report.budget.total:,}"]
        limits = [*total, *(f"{name} {limit:,}" for name, limit in report.budget.sections.items())]
        yield f"budget {', '.join(limits)} tokens, without tools"


def show_session(session: PlayedSession, counter: Counter) -> None:
    """One session, a line for each turn."""
    least, low, middle = session.stable
    print_heading(f"{session.name}: {escape_controls(session.about)}")
    rows: list[tuple[str, ...]] = []
    for number, turn in enumerate(session.turns, 1):
        same, read = (f"{turn.stable:.0%}", f"{turn.effective:.0%}") if number > 1 else ("", "")
        cost, cause = _format_cost(turn.cost, turn.at_least), escape_controls(describe_turn_miss(turn))
        rows.append((str(number), counter.shown(turn.tokens), same, read, cost, cause))
    print_table(rows, heads=("turn", "tokens", "same", "read", "cost", "first difference"))
    spread = f"same: minimum {least:.0%}, 5th percentile {low:.0%}, median {middle:.0%}"
    cost, uncached = (_format_cost(each, session.at_least) for each in (session.cost, session.uncached))
    costs = f"{cost}, {uncached} without a cache"
    print_wrapped(dim(f"{spread}; read {session.effective:.0%}; {costs}"), "  ")


def show_side_by_side(reports: Sequence[CacheReport], counter: Counter) -> None:
    """Several recipes side by side."""
    heads = ["session", *(report.recipe for report in reports)]
    sessions = list(enumerate(reports[0].sessions))
    print_heading("Tokens, tools included")
    print_table([["length", *(counter.shown(report.tokens) for report in reports)]], heads=heads, wraps=())
    print_heading("Read from the cache, share of tokens after the first turn")
    rows = [[s.name, *(f"{r.sessions[i].effective:.0%}" for r in reports)] for i, s in sessions]
    print_table(rows, heads=heads, wraps=())
    print_heading("Cost of 1,000 such sessions")
    costs = [[s.name, *(_format_thousand(r.sessions[i].cost, r.sessions[i]) for r in reports)] for i, s in sessions]
    bare = [_format_thousand(report.sessions[0].uncached, report.sessions[0]) for report in reports]
    print_table([*costs, ["no cache", *bare]], heads=heads, wraps=())
    fleet = list(enumerate(reports[0].fleet))
    if fleet:
        print_heading("Same for three agents that differ in")
        rows = [[n.differs, *(f"{r.fleet[i].stable:.0%}" for r in reports)] for i, n in fleet]
        print_table(rows, heads=("differing in", *heads[1:]), wraps=())
    print_heading("First difference")
    ends: list[tuple[str, ...]] = []
    for i, s in sessions:
        for n, r in enumerate(reports):
            first = next((turn.blame for turn in r.sessions[i].turns if turn.blame), None)
            ends.append((s.name if not n else "", r.recipe, escape_controls(describe_miss_cause(first)) or "nothing"))
    print_table(ends, heads=("session", "recipe", "what"))


def _format_cost(cost: float | None, at_least: bool, digits: int = 5) -> str:
    if cost is None:
        return "no price"
    return f"at least ${cost:.{digits}f}" if at_least else f"${cost:.{digits}f}"


def _format_thousand(cost: float | None, session: PlayedSession) -> str:
    return _format_cost(None if cost is None else cost * 1000, session.at_least, 2)


@click.command("cache", epilog=RECIPE_HELP)
@click.argument("recipes", nargs=-1, metavar="[RECIPE]…")
@add_shared_options
@click.option("--provider", default="anthropic", metavar="NAME", help="The provider: " + ", ".join(PROVIDERS) + ".")
@click.option("--model", metavar="NAME", help="The model. Default: the provider's default model.")
@click.option("--ttl", metavar="TIME", help="Cache lifetime, e.g. 5m, 1h or 24h; the choices depend on the model.")
@click.option(
    "--scenario", "scenarios", multiple=True, type=click.Choice(list(SCENARIOS)), help="Only this scenario; repeatable."
)
@click.option(
    "--session",
    metavar="FILE",
    help="A recorded session: a saved one, or a JSON list of states, prompts or saved sessions.",
)
@click.option("--svg", metavar="FILE", help="Also write a drawing to this file; - is standard output.")
@AS_JSON
def command(
    recipes: tuple[str, ...], provider: str, model: str | None, ttl: str | None, scenarios: tuple[str, ...],
    session: str | None, svg: str | None, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Predict prompt cache reads turn by turn, the causes of misses, and the cost.

    Plays several sessions of RECIPE: one where only the clock changes, one where a file changes, and so on. Several
    recipes are compared with the same input. Tools are included, because they are sent before the system prompt; the
    conversation is not. With --budget, every prompt is cut as in a session.

    \b
    overture cache                       every session, turn by turn
    overture cache pi house              two recipes, side by side
    overture cache --scenario clock      one session only
    """
    asks = [CommandOptions(recipe=name, **options) for name in recipes or (None,)]
    refuse_combinations(("--session", "--scenario"))
    table = models_for(asks[0])
    facts = facts_for(provider, model, table, datetime.now(UTC).date())
    ttl = check_ttl(ttl, facts)
    counter, budget = counter_for(asks[0]) or find_counter(), budget_for(asks[0])
    gathered = [gather_state(recipe_options) for recipe_options in asks]
    for each in gathered:
        if each.sent is not None and each.sent.turn is None:
            problem = f"{each.options.recipe} is a saved prompt, which has no state to play."
            raise ConfigError(problem, hint="Try --session.")
    if budget is None and len(gathered) == 1 and (sent := gathered[0].sent) and sent.prompt.fitted:
        budget = sent.prompt.fitted.budget  # of a saved session that is replayed alone
    if session:
        items = read_session(session, subagent=asks[0].subagent)
        named = [each.recipe.name for each in gathered if recipes]
        check_session(session, items, named, budget is not None, asks[0].subagent)
        senders = [SessionSender(each.recipe, render_tools, counter, budget) for each in gathered]
        reports = [report_recorded(session, items, sender, facts, ttl) for sender in senders]
    else:
        reports = play_scenarios(gathered, facts, scenarios or tuple(SCENARIOS), counter, ttl, budget)
    if svg:
        write_drawing(svg, draw_cache(reports))
    if as_json:
        write_json(reports if len(reports) > 1 else reports[0])
    else:
        vendors = () if facts.known else find_vendors(table, facts.model)
        show_cache(reports, counter, next((name for name, vendor in PROVIDERS.items() if vendor in vendors), None))


def play_scenarios(
    gathered: list[GatheredState], facts: ModelFacts, scenarios: tuple[str, ...], counter: Counter, ttl: str | None,
    budget: Budget | None,
) -> list[CacheReport]:  # fmt: skip
    """The built-in scenarios in each recipe, on what all of them discover together."""
    state = reduce(together, (each.state for each in gathered))
    reports: list[CacheReport] = []
    for recipe in (each.recipe for each in gathered):
        report_step(f"playing sessions of {recipe.name}")
        report = report_cache(
            recipe, state, facts, count=counter, scenarios=scenarios, ttl=ttl, tools=render_tools, budget=budget
        )
        reports.append(report)
    return reports


def render_tools(prompt: Prompt) -> str:
    """The text of the tools that go with a prompt."""
    return tools_text(sent_tools(prompt))


def report_recorded(
    path: str, items: list[SessionItem], sender: SessionSender, facts: ModelFacts, ttl: str | None
) -> CacheReport:
    """The report on a session from a file."""
    states = iter(sender.session(item for item in items if isinstance(item, State)))
    timed = [_time_session_item(item, sender, states) for item in items]
    tools = not any(isinstance(item, SavedPrompt) for item in items)
    if not tools:
        # A saved prompt holds no tools. Where some turns had theirs and others not, nothing could be compared.
        timed = [TimedTurn(CacheTurn(each.turn.prompt), each.at) for each in timed]
    count = CachedCounter(sender.counter)
    about = f"{len(timed)} turn{'s' if len(timed) > 1 else ''} from {path}"
    played = play_session("recorded", about, timed, facts, count, ttl)
    first = timed[0].turn
    return report_sessions(first.prompt.recipe, first, facts, count, [played], sender.budget, tools=tools)


def _time_session_item(item: SessionItem, sender: SessionSender, states: Iterator[TimedTurn]) -> TimedTurn:
    """A turn of a session file, for which `overture cache` predicts; `states` are the turns of its states."""
    if isinstance(item, SavedPrompt):
        return TimedTurn(CacheTurn(item))
    return next(states) if isinstance(item, State) else TimedTurn(sender.turn(item), item.state.now)

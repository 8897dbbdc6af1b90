"""`overture cache`: what of a prompt a provider's cache would give back, turn by turn, and what stops it."""

from collections.abc import Sequence
from typing import Any

import click
import msgspec

from ..assemble.build import build
from ..discover.inputs import read_json
from ..discover.world import RealWorld
from ..model.errors import StateError
from ..model.estimate import estimate
from ..model.explained import explained
from ..model.facts import Facts
from ..model.prompt import Prompt
from ..model.saved import SavedPrompt
from ..model.state import State
from ..render.render import PROVIDERS, facts_for, native, tools_text
from ..render.tools import in_order
from ..report.cache import CacheReport, Played, cache, play, reported
from ..report.cache_svg import draw
from ..report.cause import Blame, Turn
from ..report.kept import Timed
from ..report.scenario import SCENARIOS
from .compare import together
from .gather import Ask, Gathered, gather, models_for
from .options import AS_JSON, sharing
from .show import dim, heading, say, table, visible, write_file, write_json

PREDICTED = "Predicted from bytes and a price table of {date}; only the provider's answer says whether a cache was hit."


@click.command("cache")
@click.argument("recipes", nargs=-1, metavar="[RECIPE]…")
@sharing
@click.option("--provider", default="anthropic", metavar="NAME", help="Whose cache: " + ", ".join(PROVIDERS) + ".")
@click.option("--model", metavar="NAME", help="The model. Default: the provider's, in the table of models.")
@click.option("--ttl", metavar="TIME", help="How long the cache keeps: 5m or 1h, where the model has both.")
@click.option(
    "--scenario", "scenarios", multiple=True, type=click.Choice(list(SCENARIOS)), help="Only this one; repeatable."
)
@click.option("--session", metavar="FILE", help="A recorded session: a JSON list of states or of saved prompts.")
@click.option("--svg", metavar="FILE", help="Also draw it.")
@AS_JSON
def command(
    recipes: tuple[str, ...], provider: str, model: str | None, ttl: str | None, scenarios: tuple[str, ...],
    session: str | None, svg: str | None, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Play sessions of RECIPE and predict how much of each turn a cache gives back, what stops it, and the cost.

    Several recipes are compared on what all of them discover together. Tools count, as they are sent before the
    system prompt; the conversation does not.
    """
    asks = [Ask(recipe=name, **options) for name in recipes or (None,)]
    facts = facts_for(provider, model, models_for(asks[0]))
    gathered = [gather(ask) for ask in asks]
    state = gathered[0].state
    for other in gathered[1:]:
        state = together(state, other.state)
    told = [
        recorded(session, each, facts, ttl) if session
        else cache(each.recipe, state, facts, scenarios=scenarios or tuple(SCENARIOS), ttl=ttl, tools=tools_of)
        for each in gathered
    ]  # fmt: skip
    if svg:
        write_file(svg, draw(told))
    if as_json:
        write_json(told if len(told) > 1 else told[0])
    else:
        show(told)


def tools_of(prompt: Prompt) -> str:
    """The text of the tools that go with a prompt."""
    return tools_text(in_order(native(prompt), prompt.recipe))


def recorded(path: str, gathered: Gathered, facts: Facts, ttl: str | None) -> CacheReport:
    """A session from a file."""
    data = read_json(RealWorld(), path)
    if not isinstance(data, list) or not data:
        raise StateError(f"{path}: a recorded session is a JSON list of states or saved prompts, one for each turn.")
    timed = [_turn(item, f"{path}: [{index}]", gathered) for index, item in enumerate(data)]
    name = timed[0].turn.prompt.recipe
    played = play("recorded", f"{len(timed)} turns from {path}", timed, facts, estimate, ttl)
    return reported(name, timed[0].turn, facts, estimate, [played])


def _turn(item: Any, where: str, gathered: Gathered) -> Timed:
    saved = isinstance(item, dict) and "blocks" in item
    try:
        if saved:
            return Timed(Turn(msgspec.convert(item, SavedPrompt)))
        state = State.from_dict(item)
    except (msgspec.ValidationError, StateError) as problem:
        said = explained(problem, SavedPrompt) if isinstance(problem, msgspec.ValidationError) else problem
        raise StateError(f"{where}: {said}") from None
    prompt = build(gathered.recipe, state)
    return Timed(Turn(prompt.saved, tools_of(prompt)), state.now)


def show(told: Sequence[CacheReport]) -> None:
    """The reports for a person: one in full, several side by side."""
    facts = told[0].facts
    price = "no price is known" if facts.input is None else f"${facts.input:g} for a million input tokens"
    unknown = "" if facts.known else ", which is in no table: its provider's general numbers count"
    model = f"{click.style(facts.model, bold=True)} ({facts.vendor}){unknown}"
    say(f"{model}; {price}; nothing is kept below {facts.minimum:,} tokens")
    say(dim(PREDICTED.format(date=facts.as_known_on)))
    if len(told) > 1:
        show_beside(told)
        return
    (report,) = told
    after = f"breakpoints after {', '.join(report.breakpoints)}" if report.breakpoints else "no breakpoints"
    say(f"{click.style(report.recipe, bold=True)}  ~{report.tokens:,} tokens, tools included; {after}")
    for session in report.sessions:
        show_session(session)
    if report.fleet:
        heading("A fleet of three, which differ in")
        rows = [(n.differs, _share(n.stable), _share(n.effective), visible(_blamed(n.blame))) for n in report.fleet]
        table([("", "same", "kept", "first difference"), *rows])


def show_session(session: Played) -> None:
    """One session, a line for each turn."""
    least, low, middle = session.stable
    heading(f"{session.name}: {visible(session.about)}")
    rows = [("turn", "tokens", "same", "read", "cost", "first difference")]
    for number, turn in enumerate(session.turns, 1):
        same, read = (_share(turn.stable), _share(turn.effective)) if number > 1 else ("", "")
        gone = "expired; " if turn.expired else ""
        told = gone + (visible(_blamed(turn.blame)) if turn.blame else "")
        rows.append((str(number), f"~{turn.tokens:,}", same, read, _money(turn.cost), told.removesuffix("; ")))
    table(rows)
    spread = f"same: least {_share(least)}, 5th percentile {_share(low)}, median {_share(middle)}"
    costs = f"{_money(session.cost)}, {_money(session.uncached)} without a cache"
    say(dim(f"  {spread}; read {_share(session.effective)}; {costs}"))


def show_beside(told: Sequence[CacheReport]) -> None:
    """Several recipes side by side."""
    names = [report.recipe for report in told]
    sessions = list(enumerate(told[0].sessions))
    heading("Read from the cache, share of tokens after the first turn")
    table([["", *names], *([s.name, *(_share(r.sessions[i].effective) for r in told)] for i, s in sessions)])
    heading("Cost of 1,000 such sessions")
    costs = [[s.name, *(_thousand(r.sessions[i].cost) for r in told)] for i, s in sessions]
    bare = [_thousand(report.sessions[0].uncached) for report in told]
    table([["", *names], *costs, ["no cache", *bare]])
    fleet = list(enumerate(told[0].fleet))
    if fleet:
        heading("Same in a fleet of three, which differ in")
        table([["", *names], *([n.differs, *(_share(r.fleet[i].stable) for r in told)] for i, n in fleet)])
    heading("What ends the prefix")
    table([[s.name if not n else "", r.recipe, _ends(r.sessions[i])] for i, s in sessions for n, r in enumerate(told)])


def _ends(session: Played) -> str:
    found = next((turn.blame for turn in session.turns if turn.blame), None)
    return visible(_blamed(found)) if found else "nothing"


def _blamed(found: Blame | None) -> str:
    """`byte 3,210 in clock-and-cwd: now (clock)`."""
    if found is None:
        return ""
    inputs = f": {', '.join(found.inputs)}" if found.inputs else ""
    return f"byte {found.byte:,} in {found.section or 'the order of the sections'}{inputs} ({found.kind})"


def _share(ratio: float) -> str:
    return f"{ratio:.0%}"


def _money(cost: float | None) -> str:
    return "no price" if cost is None else f"${cost:.5f}"


def _thousand(cost: float | None) -> str:
    return "no price" if cost is None else f"${cost * 1000:.2f}"

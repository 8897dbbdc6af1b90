"""Reports on caches as a person reads them: one in full, several side by side."""

from collections.abc import Iterator, Sequence

from ...report.cache.cache_report import CacheReport, Played
from ...report.cache.cause_of_miss import Blame
from ...terminal.terminal import dim, heading, style, table, tell, visible
from ...tokens.counter import Counter

PREDICTED = "Predicted from bytes and a price table of {date}; only the provider's answer says whether a cache was hit."
COLUMNS = "same: how much is as on the turn before; read: how much the cache gives back; both as shares of the tokens."


def show(told: Sequence[CacheReport], counter: Counter, elsewhere: str | None = None) -> None:
    """The reports for a person: one in full, several side by side. `elsewhere` is the provider that has the model."""
    tell("; ".join(_header(told[0], elsewhere)))
    tell(dim(PREDICTED.format(date=told[0].facts.as_known_on)))
    if len(told) > 1:
        show_beside(told, counter)
        return
    (report,) = told
    after = f"breakpoints after {', '.join(report.breakpoints)}" if report.breakpoints else "no breakpoints"
    tell(f"{style(report.recipe, bold=True)}  {counter.shown(report.tokens)} tokens, {_tools(report)}; {after}")
    if report.sessions:
        tell(dim(COLUMNS))
    for session in report.sessions:
        show_session(session, counter)
    if report.fleet:
        heading("A fleet of three, which differ in")
        rows = [(n.differs, _share(n.stable), _share(n.effective), visible(_blamed(n.blame))) for n in report.fleet]
        table(rows, heads=("differing in", "same", "kept", "first difference"))


def _header(report: CacheReport, elsewhere: str | None) -> Iterator[str]:
    """Whose cache it is, what it costs, and by which count and budget."""
    facts = report.facts
    unknown = "" if facts.known else ", which is in no table: its provider's general numbers count"
    if elsewhere:
        unknown = f", which has no such model, so that its general numbers count: try --provider {elsewhere}"
    yield f"{style(facts.model, bold=True)} ({facts.vendor}){unknown}"
    yield "no price is known" if facts.input is None else f"${facts.input:g} for a million input tokens"
    if facts.minimum:
        yield f"nothing is kept below {facts.minimum:,} tokens"
    yield f"counted by {report.tokenizer}"
    if report.budget:
        total = [] if report.budget.total is None else [f"{report.budget.total:,}"]
        limits = [*total, *(f"{name} {limit:,}" for name, limit in report.budget.sections.items())]
        yield f"budget {', '.join(limits)} tokens, without tools"


def _tools(report: CacheReport) -> str:
    return "tools included" if report.tools else "tools not included: saved prompts hold none"


def show_session(session: Played, counter: Counter) -> None:
    """One session, a line for each turn."""
    least, low, middle = session.stable
    heading(f"{session.name}: {visible(session.about)}")
    rows: list[tuple[str, ...]] = []
    for number, turn in enumerate(session.turns, 1):
        same, read = (_share(turn.stable), _share(turn.effective)) if number > 1 else ("", "")
        gone = "expired; " if turn.expired else ""
        told = gone + (visible(_blamed(turn.blame)) if turn.blame else "")
        rows.append(
            (
                str(number),
                counter.shown(turn.tokens),
                same,
                read,
                _money(turn.cost, turn.at_least),
                told.removesuffix("; "),
            )
        )
    table(rows, heads=("turn", "tokens", "same", "read", "cost", "first difference"))
    spread = f"same: least {_share(least)}, 5th percentile {_share(low)}, median {_share(middle)}"
    cost, uncached = (_money(each, session.at_least) for each in (session.cost, session.uncached))
    costs = f"{cost}, {uncached} without a cache"
    tell(dim(f"{spread}; read {_share(session.effective)}; {costs}"), "  ")


def show_beside(told: Sequence[CacheReport], counter: Counter) -> None:
    """Several recipes side by side."""
    heads = ["session", *(report.recipe for report in told)]
    sessions = list(enumerate(told[0].sessions))
    heading("Tokens, tools included")
    table([["length", *(counter.shown(report.tokens) for report in told)]], heads=heads, wraps=())
    heading("Read from the cache, share of tokens after the first turn")
    rows = [[s.name, *(_share(r.sessions[i].effective) for r in told)] for i, s in sessions]
    table(rows, heads=heads, wraps=())
    heading("Cost of 1,000 such sessions")
    costs = [[s.name, *(_thousand(r.sessions[i].cost, r.sessions[i].at_least) for r in told)] for i, s in sessions]
    bare = [_thousand(report.sessions[0].uncached, report.sessions[0].at_least) for report in told]
    table([*costs, ["no cache", *bare]], heads=heads, wraps=())
    fleet = list(enumerate(told[0].fleet))
    if fleet:
        heading("Same in a fleet of three, which differ in")
        rows = [[n.differs, *(_share(r.fleet[i].stable) for r in told)] for i, n in fleet]
        table(rows, heads=("differing in", *heads[1:]), wraps=())
    heading("What ends the prefix")
    ends = [[s.name if not n else "", r.recipe, _ends(r.sessions[i])] for i, s in sessions for n, r in enumerate(told)]
    table(ends, heads=("session", "recipe", "what"))


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


def _money(cost: float | None, at_least: bool, digits: int = 5) -> str:
    if cost is None:
        return "no price"
    return f"at least ${cost:.{digits}f}" if at_least else f"${cost:.{digits}f}"


def _thousand(cost: float | None, at_least: bool) -> str:
    return _money(None if cost is None else cost * 1000, at_least, 2)

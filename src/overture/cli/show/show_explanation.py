"""An explanation as a person reads it: what is wrong and whose files are in it first, the recipe's own parts last."""

import re
from collections.abc import Iterator, Sequence

from ...model.diagnostic import Diagnostic
from ...model.recipe.recipe import Recipe
from ...model.source import Source
from ...model.state.discovery import Look
from ...model.state.state import State
from ...report.explain import BlockNote, Explanation, Share
from ...terminal.terminal import CHANGES, OUTCOMES, PACES, counted, dim, heading, say, style, table, tell, visible
from ...tokens.counter import Counter
from .show_empty import show_empty
from .show_tokens import caveat, figures, show_budget, size

OWN = (
    "agent", "user", "overrides", "context_files", "workspace_files", "skills", "channel", "memories", "task",
    "background", "mission", "extra",
)  # fmt: skip
"""The fields of a state that hold nothing in an empty folder: what is in them, somebody gave."""
FIELD = re.compile(r"[.\[]")
ORDER = "Sections, in the order of the prompt; each changes never, per session or per turn"
FEW = 6
"""So many problems are shown without `--all`."""
OUTSIDE = "outside the repository"
TOLD = ("user", "project", "dependency", "remote", "data")
"""The tiers that are named; what is built in is the rule."""
LAST = {"loaded": 0, "absent": 2}
"""Files that are in the prompt stand first, and those that are not there last."""


def show(told: Explanation, recipe: Recipe, state: State, counter: Counter, everything: bool) -> None:
    """An explanation for a person."""
    tell(f"{style(told.recipe, bold=True)}  {size(told.chars, told.tokens, counter)}")
    caveat(counter)
    if told.diagnostics:
        show_problems(told.diagnostics, everything)
    if told.budget:
        show_budget(told.budget, counter)
    given = [field for field in OWN if getattr(state, field)]
    empty = bool(told.looked_at) and not given and not everything
    show_files(told, counter, everything, empty)
    if empty:
        show_empty(recipe)
        return
    show_sections(told, counter, everything)
    show_left_out(told, recipe, given, everything)
    show_rules(told, everything)
    if everything:
        heading("Fingerprint")
        tell(told.fingerprint, "  ")


def show_problems(problems: Sequence[Diagnostic], everything: bool) -> None:
    """What is wrong, errors first; of many, the first few."""
    heading("Problems")
    ordered = sorted(problems, key=lambda problem: problem.level != "error")
    shown = ordered if everything or len(ordered) <= FEW + 1 else ordered[:FEW]
    for problem in shown:
        tell(style(visible(str(problem)), fg="red" if problem.level == "error" else "yellow"), "  ")
    if left := len(ordered) - len(shown):
        tell(dim(f"and {counted(left, 'more problem')}: `--all` lists them"), "  ")


def show_files(told: Explanation, counter: Counter, everything: bool, empty: bool) -> None:
    """What became of each file: those in the prompt first, with their tokens."""
    looks = [look for look in told.looked_at if everything or look.outcome != "absent"]
    if looks:
        heading("Files")
        looks.sort(key=lambda look: LAST.get(look.outcome, 1))
        tokens = figures(["tokens", *(_cost(look, told, counter) for look in looks)])
        rows = [_look(look, cost) for look, cost in zip(looks, tokens[1:], strict=True)]
        table(
            rows,
            heads=("outcome", tokens[0], "file", "why" if any(look.detail or look.outside for look in looks) else ""),
        )
    absent = len(told.looked_at) - len(looks)
    if absent and not empty:
        tell(dim(f"and {counted(absent, 'path')} where nothing lies: `--all` lists them"), "  " if looks else "")


def _cost(look: Look, told: Explanation, counter: Counter) -> str:
    """The tokens that a file has in the prompt."""
    shares = [share for block in (*told.blocks, *told.messages) for share in block.shares]
    cost = sum(share.tokens for share in shares if share.source.kind == "file" and share.source.path == look.path)
    return counter.shown(cost) if cost else ""


def _look(look: Look, cost: str) -> tuple[str, str, str, str]:
    outcome = style(look.outcome, fg=OUTCOMES.get(look.outcome, "yellow"))
    detail = "; ".join(filter(None, (visible(look.detail), OUTSIDE if look.outside else "")))
    return outcome, cost, visible(look.path), dim(detail)


def show_sections(told: Explanation, counter: Counter, everything: bool) -> None:
    """A line for each section, and under it one for each of its sources."""
    heading(ORDER)
    notes = [*((note, "") for note in told.blocks), *((note, " (in the user's message)") for note in told.messages)]
    rows = [row for note, where in notes for row in _section(note, where, counter, everything)]
    tokens = figures(["tokens", *(row[1] for row in rows)])
    lines = [(row[0], cost, row[2]) for row, cost in zip(rows, tokens[1:], strict=True)]
    table(lines, heads=("changes", tokens[0], "section, where it is from, and whose it is"))


def _section(note: BlockNote, where: str, counter: Counter, everything: bool) -> Iterator[tuple[str, str, str]]:
    changes = style(CHANGES[note.pace], fg=PACES[note.pace])
    yield changes, counter.shown(note.tokens), f"{style(note.name, bold=True)}{where}  {dim(visible(note.why))}"
    own = len(note.shares) == 1 and note.shares[0].source.kind == "recipe"
    for source, shares in [] if own and not everything else _sources(note.shares, everything):
        outside = f"  {OUTSIDE}" if any(share.outside for share in shares) else ""
        tiers = "".join(f"  {tier}" for tier in dict.fromkeys(share.tier for share in shares) if tier in TOLD)
        yield "", counter.shown(sum(share.tokens for share in shares)), f"  {dim(visible(source) + tiers + outside)}"


def _sources(shares: Sequence[Share], everything: bool) -> Iterator[tuple[str, list[Share]]]:
    """What gave a section its text: each by itself, or the many of a kind together."""
    kinds: dict[str, list[Share]] = {}
    for share in shares:
        kinds.setdefault(str(share.source) if everything else _kind(share.source), []).append(share)
    for kind, found in kinds.items():
        yield (kind if len(found) > 1 else str(found[0].source)) + (f" ({len(found)})" if len(found) > 1 else ""), found


def _kind(source: Source) -> str:
    if source.kind == "rule":
        return "rules"
    return f"state {re.split(FIELD, source.name or '')[0]}" if source.kind == "state" else str(source)


def show_left_out(told: Explanation, recipe: Recipe, given: Sequence[str], everything: bool) -> None:
    """What sections do not say although something was given for them; those with nothing to say are counted."""
    speak = {note.name for note in (*told.blocks, *told.messages)}
    speak |= {section.name for section in recipe.sections if set(section.reads) & set(given)}
    omitted = told.omitted
    shown = [each for each in omitted if everything or each.name in speak]
    if shown:
        heading("Left out")
        table([(o.name, dim(o.reason)) for o in shown], heads=("section", "why"))
    if others := len(omitted) - len(shown):
        say()
        tell(dim(f"{counted(others, 'section')} had nothing to say: `--all` names them, with every rule and path."))


def show_rules(told: Explanation, everything: bool) -> None:
    """The guideline rules that apply; all of them, with whether they do."""
    if everything and told.rules:
        heading("Rules")
        marks = {True: style("yes", fg="green"), False: dim("no")}
        table([(marks[r.fired], r.name, dim(r.because)) for r in told.rules], heads=("applies", "rule", "because"))
    elif fired := [rule for rule in told.rules if rule.fired]:
        heading("Rules that bring a line into the prompt")
        table([(rule.name, dim(rule.because)) for rule in fired], heads=("rule", "because"))

"""`overture explain` shows where every part of the prompt came from, and why the rest does not exist."""

import os
import re
from collections.abc import Iterator, Sequence
from shlex import quote
from typing import Any

import click
from msgspec.structs import replace

from ...agents.uses import LISTED_KINDS
from ...discovery.paths import expand_path
from ...discovery.world import World, make_absolute
from ...model.diagnostic import Diagnostic, has_problem
from ...model.prompt.prompt import Prompt
from ...model.recipe.recipe import Recipe
from ...model.source import Source
from ...model.state.discovery import Discovery, Look
from ...model.state.reasons import because
from ...model.state.state import State
from ...project.explain_path import explain_path
from ...report.explain import BlockNote, Explanation, Share, explain
from ...report.why import PathStatus, why
from ...terminal.gather_state import GatheredState, gather_state
from ...terminal.options import (
    AS_JSON,
    RECIPE_HELP,
    STRICT,
    CommandOptions,
    add_build_options,
    make_path_printer,
)
from ...terminal.output import (
    CHANGES,
    OUTCOME_NAMES,
    OUTCOMES,
    PACES,
    count_noun,
    dim,
    escape_controls,
    print_heading,
    print_line,
    print_table,
    print_wrapped,
    style,
    write_json,
)
from ...text.path_printer import PathPrinter
from ...tokens.counter import Counter
from ..agents_as_subject import explain_agents, find_subjects
from ..describe_wants_and_paths import show_empty, show_path_statuses
from ..show_tokens import align_figures, show_budget, show_caveat

CALLER_FIELDS = (
    "agent", "user", "overrides", "context_files", "workspace_files", "skills", "channel", "memories", "task",
    "background", "mission", "extra",
)  # fmt: skip
"""The fields of a state that are empty in an empty folder: their content comes from the caller."""
FIELD = re.compile(r"[.\[]")
ORDER = "Sections, in order; each changes never, per session or per turn"
MAX_LISTED = 6
"""So many problems are shown without `--all`."""
OUTSIDE = "outside the repository"
OUTCOME_WORDS = ("user", "project", "dependency", "remote", "data")
"""The tiers that are named; built-in is the default."""
LAST = {"loaded": 0, "absent": 2}
"""Files that are in the prompt come first, and those that do not exist last."""


def show_explanation(
    explanation: Explanation, recipe: Recipe, state: State, counter: Counter, printer: PathPrinter, everything: bool
) -> None:
    """An explanation for a person."""
    print_wrapped(_describe_size(explanation, counter))
    show_caveat(counter)
    if explanation.diagnostics:
        show_prompt_problems(explanation.diagnostics, printer, everything)
    if explanation.budget:
        show_budget(explanation.budget, counter, printer)
    set_fields = [field for field in CALLER_FIELDS if getattr(state, field)]
    empty = bool(explanation.looked_at) and not set_fields and not everything
    if explanation.budget:
        explanation = mark_dropped_files(explanation, state)
    show_prompt_files(explanation, counter, printer, everything, empty)
    if empty:
        show_empty(recipe)
        return
    show_sections(explanation, counter, printer, everything)
    show_omissions(explanation, recipe, set_fields, everything)
    show_recipe_rules(explanation, everything)
    if everything:
        print_heading("Fingerprint")
        print_wrapped(explanation.fingerprint, "  ")


def _describe_size(explanation: Explanation, counter: Counter) -> str:
    """`house: 786 tokens, 415 of them from 1 file (3,295 characters, o200k)`."""
    tokens = _count_tokens(explanation)
    costs = [cost for path in {look.path for look in explanation.looked_at} if (cost := tokens.get(path))]
    files = f", {counter.shown(sum(costs))} of them from {count_noun(len(costs), 'file')}" if costs else ""
    size = (
        f"{counter.describe(explanation.tokens)}{files} ({count_noun(explanation.chars, 'character')}, {counter.name})"
    )
    return f"{style(explanation.recipe, bold=True)}: {size}"


def show_prompt_problems(problems: Sequence[Diagnostic], printer: PathPrinter, everything: bool) -> None:
    """The problems, errors first; of many, the first few."""
    print_heading("Problems")
    ordered = sorted(problems, key=lambda problem: problem.level != "error")
    shown = ordered if everything or len(ordered) <= MAX_LISTED + 1 else ordered[:MAX_LISTED]
    for problem in shown:
        print_wrapped(style(printer.within(str(problem)), fg="red" if problem.level == "error" else "yellow"), "  ")
    if rest := len(ordered) - len(shown):
        print_wrapped(dim(f"and {count_noun(rest, 'more problem')}: `--all` lists them"), "  ")


def mark_dropped_files(explanation: Explanation, state: State) -> Explanation:
    """Marks files that were loaded, and that the budget dropped whole."""
    tokens = _count_tokens(explanation)
    gone = {file.path for file in state.context_files if not tokens.get(file.path)}
    looks = tuple(
        replace(look, reason=because("text", "", "nothing of it fits the budget"))
        if look.path in gone and look.outcome == "loaded"
        else look
        for look in explanation.looked_at
    )
    return replace(explanation, looked_at=looks)


def show_prompt_files(
    explanation: Explanation, counter: Counter, printer: PathPrinter, everything: bool, empty: bool
) -> None:
    """What became of each file: those in the prompt first, with their tokens."""
    loaded = {look.path: look for look in reversed(explanation.looked_at) if look.outcome == "loaded"}
    # A file that one step finds and another skips, as an import may be, counts as loaded.
    checked = [look for look in explanation.looked_at if loaded.get(look.path, look) is look]
    looks = [look for look in checked if everything or look.outcome != "absent"]
    if looks:
        print_heading("Files")
        looks.sort(key=lambda look: LAST.get(look.outcome, 1))
        known = _count_tokens(explanation)
        costs = [known.get(look.path) for look in looks]
        tokens = align_figures(["tokens", *(counter.shown(cost) if cost else "" for cost in costs)])
        rows = [_make_look_row(look, cost, printer) for look, cost in zip(looks, tokens[1:], strict=True)]
        why_head = "why" if any(look.detail or look.outside for look in looks) else ""
        print_table(rows, heads=("outcome", tokens[0], "file", why_head))
    absent = len(checked) - len(looks)
    if absent and not empty:
        print_wrapped(dim(f"and {count_noun(absent, 'path')} without a file (`--all`)"), "  " if looks else "")


def _count_tokens(explanation: Explanation) -> dict[str, int]:
    """The tokens that each file has in the prompt, by its path."""
    tokens: dict[str, int] = {}
    for share in (share for block in (*explanation.blocks, *explanation.messages) for share in block.shares):
        if share.source.kind == "file" and share.source.path is not None:
            tokens[share.source.path] = tokens.get(share.source.path, 0) + share.tokens
    return tokens


def _make_look_row(look: Look, cost: str, printer: PathPrinter) -> tuple[str, str, str, str]:
    """The row of a path in `overture explain`."""
    # A skill that only its user may load is found and loaded, and still not in the prompt.
    known = "hidden" if look.reason.code == "user-only" else look.outcome
    # Without a step, `agent` is the file that describes the agent itself.
    listed = known == "loaded" and cost.strip() and (look.what == "skill" or (look.step and look.what in LISTED_KINDS))
    outcome = style("listed" if listed else OUTCOME_NAMES.get(known, known), fg=OUTCOMES.get(known, "yellow"))
    detail = "; ".join(filter(None, (printer.within(look.detail), OUTSIDE if look.outside else "")))
    return outcome, cost, printer(look.path), dim(detail)


def show_sections(explanation: Explanation, counter: Counter, printer: PathPrinter, everything: bool) -> None:
    """A line for each section, and under it one for each of its sources."""
    print_heading(ORDER)
    notes = [(note, "") for note in explanation.blocks]
    notes += [(note, " (in the user's message)") for note in explanation.messages]
    rows = [row for note, where in notes for row in _list_section_rows(note, where, counter, printer, everything)]
    tokens = align_figures(["tokens", *(row[1] for row in rows)])
    lines = [(row[0], cost, row[2]) for row, cost in zip(rows, tokens[1:], strict=True)]
    print_table(lines, heads=("changes", tokens[0], "section, source and tier"))


def _list_section_rows(
    note: BlockNote, where: str, counter: Counter, printer: PathPrinter, everything: bool
) -> Iterator[tuple[str, str, str]]:
    changes = style(CHANGES[note.pace], fg=PACES[note.pace])
    yield changes, counter.shown(note.tokens), f"{style(note.name, bold=True)}{where}  {dim(escape_controls(note.why))}"
    own = len(note.shares) == 1 and note.shares[0].source.kind == "recipe"
    for source, shares in [] if own and not everything else _group_shares_by_source(note.shares, everything):
        outside = f"  {OUTSIDE}" if any(share.outside for share in shares) else ""
        tiers = "".join(f"  {tier}" for tier in dict.fromkeys(share.tier for share in shares) if tier in OUTCOME_WORDS)
        tokens = counter.shown(sum(share.tokens for share in shares))
        yield "", tokens, f"  {dim(printer.within(source) + tiers + outside)}"


def _group_shares_by_source(shares: Sequence[Share], everything: bool) -> Iterator[tuple[str, list[Share]]]:
    """What gave a section its text: each by itself, or the many of a kind together."""
    kinds: dict[str, list[Share]] = {}
    for share in shares:
        kinds.setdefault(str(share.source) if everything else _describe_source_kind(share.source), []).append(share)
    for kind, group in kinds.items():
        yield f"{kind} ({len(group)})" if len(group) > 1 else str(group[0].source), group


def _describe_source_kind(source: Source) -> str:
    if source.kind == "rule":
        return "rules"
    return f"state {FIELD.split(source.name or '')[0]}" if source.kind == "state" else str(source)


def show_omissions(explanation: Explanation, recipe: Recipe, fields: Sequence[str], everything: bool) -> None:
    """What sections do not render although they had input; sections without input are counted."""
    relevant = {note.name for note in (*explanation.blocks, *explanation.messages)}
    relevant |= {section.name for section in recipe.sections if set(section.reads) & set(fields)}
    omitted = explanation.omitted
    shown = [each for each in omitted if everything or each.name in relevant]
    if shown:
        print_heading("Skipped")
        print_table([(o.name, dim(o.reason)) for o in shown], heads=("section", "why"))
    if others := len(omitted) - len(shown):
        print_line()
        print_wrapped(
            dim(f"{count_noun(others, 'section')} had no content: `--all` lists them, with every rule and path.")
        )


def show_recipe_rules(explanation: Explanation, everything: bool) -> None:
    """The guideline rules that apply; all of them, with whether they do."""
    if everything and explanation.rules:
        print_heading("Rules")
        marks = {True: style("yes", fg="green"), False: dim("no")}
        print_table(
            [(marks[r.fired], r.name, dim(r.because)) for r in explanation.rules], heads=("applies", "rule", "because")
        )
    elif fired := [rule for rule in explanation.rules if rule.fired]:
        print_heading("Rules that add a line to the prompt")
        print_table([(rule.name, dim(rule.because)) for rule in fired], heads=("rule", "because"))


@click.command("explain", epilog=RECIPE_HELP)
@add_build_options
@click.option(
    "--all", "everything", is_flag=True, help="Also list empty sections, rules that do not apply and missing paths."
)
@click.option("--why", "path", metavar="PATH", help="Only this file, folder or skill.")
@AS_JSON
@STRICT
def command(everything: bool, path: str | None, as_json: bool, strict: bool, **options: Any) -> int:
    """Show where every part of the prompt came from, and why a file is not in it.

    For agents, by default those in use: each file with the lines that are loaded, and why. For a recipe: first the
    problems, then the result for each file, then each section of the prompt with its sources, its
    tokens and how often it changes. With --all also what is missing: empty sections, rules that do not apply,
    paths that do not exist.

    --why accepts any path, relative to --cwd, absolute or with ~, and the name of a skill. It exits with 2
    if the path does not exist, and with 1 if the recipe looks for it and it is missing.

    \b
    overture explain                     each file of the agents in use
    overture explain opal                the prompt of a recipe
    overture explain --why CLAUDE.md     one file
    overture agents --why CLAUDE.md      which agents load it
    """
    subjects = find_subjects(CommandOptions(**options))
    if subjects is not None:
        return explain_agents(subjects, CommandOptions(**options), path, everything=everything, as_json=as_json)
    gathered = gather_state(CommandOptions(**options))
    prompt, printer = gathered.build(), make_path_printer(gathered.options)
    if path is not None:
        statuses = explain_file(path, prompt, gathered)
        show_path_statuses(statuses, printer, gathered.recipe.name, as_json)
        if not as_json and gathered.options.recipe is None and os.path.lexists(statuses[0].path):
            where = quote(printer(statuses[0].path))
            print_wrapped(dim(f"hint: `overture agents --why {where}` shows which coding agents load it"))
        outcomes = {status.outcome for status in statuses}
        return 2 if "missing" in outcomes else int("absent" in outcomes)
    explanation = explain(prompt, gathered.found)
    if as_json:
        write_json(explanation)
    else:
        show_explanation(explanation, gathered.recipe, prompt.state, prompt.counter, printer, everything)
    return 1 if strict and has_problem(prompt.diagnostics) else 0


def explain_file(path: str, prompt: Prompt, gathered: GatheredState) -> tuple[PathStatus, ...]:
    """The status of each matching path."""
    options, world = gathered.options, World()
    if gathered.project is not None:
        return explain_path(gathered.project, prompt, gathered.found, path)
    full = make_absolute(world, expand_path(path, make_absolute(world, options.cwd or "."), world.machine.home()))
    if any(span.source.path == full for span in prompt.spans):
        return why(path, full, prompt, Discovery(prompt.state, looked_at=(Look(full, "state", "loaded"),)))
    return (PathStatus(full, "off", "not read: --no-discover reads no files except --state."),)

"""Compares two revisions as a command names them, and shows what differs for each agent."""

from ..discovery.tree_files import GitObjects
from ..errors import ConfigError
from ..known_agents import AGENTS
from ..terminal.option_values import counter_for
from ..terminal.options import CommandOptions
from ..terminal.output import dim, escape_controls, print_heading, print_line, print_table, print_wrapped, style
from ..text.escape import escape_diff_line
from ..text.words import join_words
from .prompts import PromptDiff, compare_prompts
from .revisions import (
    Names,
    RevisionInfo,
    RevisionPair,
    find_own_recipe,
    find_pair,
    make_shared_world,
    read_tree,
)
from .tables import TableDiff, compare_revisions, name_change, name_lines

CHANGE_COLOURS = {"changed": "yellow", "added": "green", "removed": "red", "skipped": "yellow"}


def compare_named_revisions(names: Names, options: CommandOptions) -> TableDiff | PromptDiff:
    """Both revisions, for the recipe or the agents that are named, else for those of the project."""
    pair = find_pair(names.revisions, options)
    if options.no_discover:
        raise ConfigError("--no-discover reads no files, so two revisions would be equal.", hint="Omit it.")
    with GitObjects(pair.root) as objects:
        return _compare_pair(pair, objects, names.subjects, options)


def _compare_pair(
    pair: RevisionPair, objects: GitObjects, named: tuple[str, ...], options: CommandOptions
) -> TableDiff | PromptDiff:
    trees = [read_tree(pair.root, revision, objects) for revision in (pair.before, pair.after)]
    subjects = named
    if not named:
        own = (find_own_recipe(make_shared_world(tree), pair.folder) for _, tree in reversed(trees))
        subjects = tuple(filter(None, own))[:1]
    if not subjects or subjects[0] in AGENTS:
        return compare_revisions(pair, trees, subjects, counter_for(options))
    is_own_file = not named and subjects[0].endswith(".toml")
    return compare_prompts(pair, trees, f"{pair.root}/{subjects[0]}" if is_own_file else subjects[0], options)


def show_table_diff(diff: TableDiff) -> None:
    """What `overture diff` shows of two revisions: tokens, files, changed lines and findings, equal ones once."""
    titles = [agent.title for agent in diff.agents.values()]
    if diff.same and not (diff.findings.added or diff.findings.removed):
        who = (
            f"{join_words(titles)} {'get' if len(titles) > 1 else 'gets'} the same"
            if titles
            else "No agent reads anything"
        )
        print_wrapped(escape_controls(f"{who} in {diff.before.short} and {diff.after.short}."))
    else:
        print_line(f"{style_revision(diff.before)} → {style_revision(diff.after)}")
        show_whys(diff.before, diff.after)
        print_line()
        rows = [(agent.title, *format_change(diff, agent.before, agent.after)) for agent in diff.agents.values()]
        print_table(rows, heads=("agent", "tokens at the start", ""))
    for note in diff.notes:
        print_wrapped(dim(escape_controls(f"Note: {note}.")))
    _show_files(diff)
    _show_lines(diff)
    found = [("new", "red", each) for each in diff.findings.added]
    found += [("gone", "green", each) for each in diff.findings.removed]
    if found:
        print_heading("Findings")
        print_table([(style(word, fg=fg), f.code, escape_controls(f.message)) for word, fg, f in found])


def format_change(diff: TableDiff | PromptDiff, before: int, after: int) -> tuple[str, str]:
    return f"{diff.format(before)} → {diff.format(after)}", diff.format(after - before, signed=True)


def show_whys(*sides: RevisionInfo) -> None:
    for side in sides:
        if side.why:
            what = "is not compared with anything"
            print_wrapped(escape_controls(f"{side.name} {what}: {side.why}"))


def style_revision(revision: RevisionInfo) -> str:
    subject = f" {dim(escape_controls(revision.subject[:60]))}" if revision.subject else ""
    return style(escape_controls(revision.short), bold=True) + subject


def _show_files(diff: TableDiff) -> None:
    rows = []
    for titles, each in diff.group_files():
        change, why = name_change(each)
        who = f"{', '.join(titles)}: {why}" if why else ", ".join(titles)
        rows.append((style(change, fg=CHANGE_COLOURS[each.change]), escape_controls(each.path), escape_controls(who)))
    if rows:
        print_heading("Files")
        print_table(rows)


def _show_lines(diff: TableDiff) -> None:
    """Each changed line once; the agents are named where not all of them get it."""
    groups = diff.group_lines()
    if groups:
        print_heading("Lines")
    everyone, place = len(diff.agents), ""
    for group in groups:
        some = f"  {', '.join(group.gets)}" if 0 < len(group.gets) < everyone else ""
        if group.change == "removed" or place != f"{group.path}:{group.line}{some}":
            print_line(f"  {style(escape_controls(name_lines(group)), bold=True)}{dim(some)}")
        place = f"{group.path}:{group.line}{some}" if group.change == "removed" else ""
        sign, colour = ("+", "green") if group.change == "added" else ("-", "red")
        for line in group.text:
            print_line("    " + style(escape_diff_line(f"{sign}{line}"), fg=colour))
        lines = "this line" if len(group.text) == 1 else "these lines"
        for titles, _, why in group.never:
            verb = ("never get" if len(titles) > 1 else "never gets") if group.change == "added" else "never got"
            print_wrapped(style(escape_controls(f"{join_words(titles)} {verb} {lines}: {why}"), fg="yellow"), "    ")

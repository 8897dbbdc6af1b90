"""`overture diff`: what a change does to what agents read, or what differs between two prompts."""

from typing import Any

import click

from ..discovery.tree_files import GitObjects
from ..discovery.world import World
from ..errors import ConfigError
from ..known_agents import AGENTS
from ..model.prompt.prompt import Prompt
from ..model.prompt.saved_prompt import SavedPrompt
from ..project.find_recipe import list_recipe_names
from ..report.diff import BlockDiff, Patch, diff
from ..report.text_diff import diff_lines
from ..terminal.gather_state import gather_state
from ..terminal.option_values import counter_for
from ..terminal.options import AS_JSON, CommandOptions, add_shared_options, load_settings, refuse_combinations
from ..terminal.output import (
    dim,
    escape_controls,
    print_heading,
    print_line,
    print_once,
    print_table,
    print_wrapped,
    style,
    write,
    write_json,
)
from ..text.escape import escape_diff_line
from ..text.words import count_noun, join_words
from .markdown import format_comment
from .prompts import PromptDiff, compare_prompts
from .revisions import (
    Names,
    RevisionInfo,
    RevisionPair,
    find_own_recipe,
    find_pair,
    make_shared_world,
    read_tree,
    sort_names,
)
from .tables import TableDiff, compare_revisions, name_change, name_lines

CHANGE_COLOURS = {"changed": "yellow", "added": "green", "removed": "red", "skipped": "yellow"}


@click.command("diff")
@click.argument("names", nargs=-1, required=True, metavar="[SUBJECT]… BEFORE [AFTER]")
@add_shared_options
@AS_JSON
@click.option("--markdown", is_flag=True, help="Print a comment for a pull request; for two revisions.")
@click.option("--exit-code", is_flag=True, help="Exit 1 if the two differ.")
def command(names: tuple[str, ...], as_json: bool, markdown: bool, exit_code: bool, **options: Any) -> int:
    """Show what a change does to what each agent reads, or what differs between two prompts.

    BEFORE and AFTER are two git revisions, recipes, states, saved prompts or saved sessions. A single revision
    is compared with the working tree; main..HEAD and main...HEAD have git's meaning. SUBJECT are agents, or one
    recipe; without one, the recipe of overture.toml or the agents in use are compared. What a recipe, an agent or a
    file is called is that; a branch of its name is called by a range.

    \b
    overture diff main...HEAD            what a branch does to each agent
    overture diff codex HEAD~1..HEAD     one agent
    overture diff opal main..HEAD        the prompt of a recipe
    overture diff pi house               two recipes, here
    overture diff old.json new.json      two states, prompts or sessions
    """
    refuse_combinations(("--json", "--markdown"))
    command_options = CommandOptions(**options)
    sorted_names = sort_names(names, command_options)
    if sorted_names.files is None:
        found = compare_named_revisions(sorted_names, command_options)
        show_difference(found, as_json=as_json, markdown=markdown)
        if isinstance(found, PromptDiff):
            return int(exit_code and not found.patch.same)
        return 2 if exit_code and found.partly else int(exit_code and not found.same)
    if markdown:
        hint = "Omit it, or pass two revisions."
        raise ConfigError("--markdown needs two git revisions, such as main..HEAD.", hint=hint)
    recipe = next(iter(sorted_names.subjects), None)
    before, after = (find_named_prompt(name, recipe, options) for name in sorted_names.files)
    patch = diff(before, after)
    if as_json:
        write_json(patch)
    else:
        show_patch(patch)
    return int(exit_code and not patch.same)


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


def find_named_prompt(name: str, recipe: str | None, options: dict[str, Any]) -> Prompt | SavedPrompt:
    """The prompt that an argument names: of a recipe, of a state, or as it was sent."""
    known = list_recipe_names(load_settings(CommandOptions(**options)))
    if name in known or name.endswith(".toml"):
        if recipe is not None:
            raise ConfigError(f"{name!r} is a recipe, so {recipe!r} has no meaning.", hint="Omit one of them.")
        return gather_state(CommandOptions(**{**options, "recipe": name})).build()
    if not World().exists(name):
        raise ConfigError(
            f"{name[:80]!r} is neither a recipe nor a file.", hint="`overture recipes` lists the recipes."
        )
    from ..terminal.saved_files import read_saved, read_sent

    known_value = read_saved(name)
    if isinstance(known_value, dict):
        return gather_state(CommandOptions(**{**options, "recipe": recipe, "state_file": name})).build()
    return known_value if isinstance(known_value, SavedPrompt) else read_sent(known_value, name).prompt


def show_difference(found: TableDiff | PromptDiff, *, as_json: bool, markdown: bool) -> None:
    if markdown:
        write(format_comment(found))
    elif isinstance(found, TableDiff):
        write_json(found) if as_json else show_table_diff(found)
    elif as_json:
        print_once(*(f"note: {note}" for note in (*found.notes, *filter(None, [found.before.why]))))
        write_json(found.patch)
    else:
        show_prompt_diff(found)


# Agents


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
        print_line(f"{_style_revision(diff.before)} → {_style_revision(diff.after)}")
        _show_whys(diff.before, diff.after)
        print_line()
        rows = [(agent.title, *_format_tokens(diff, agent.before, agent.after)) for agent in diff.agents.values()]
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


def _format_tokens(diff: TableDiff | PromptDiff, before: int, after: int) -> tuple[str, str]:
    return f"{diff.format(before)} → {diff.format(after)}", diff.format(after - before, signed=True)


def _show_whys(*sides: RevisionInfo) -> None:
    for side in sides:
        if side.why:
            what = "is not compared with anything"
            print_wrapped(escape_controls(f"{side.name} {what}: {side.why}"))


def _style_revision(revision: RevisionInfo) -> str:
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


# Prompts


def show_prompt_diff(found: PromptDiff) -> None:
    """How the prompt of a recipe differs between two revisions."""
    if found.patch.same:
        print_wrapped(escape_controls(f"The prompt is the same in {found.before.short} and {found.after.short}."))
    else:
        print_line(f"{_style_revision(found.before)} → {_style_revision(found.after)}")
        _show_whys(found.before, found.after)
        tokens, change = _format_tokens(found, *found.tokens)
        print_line(f"{tokens} tokens ({change})")
    for note in found.notes:
        print_wrapped(dim(escape_controls(f"Note: {note}.")))
    if not found.patch.same:
        show_patch(found.patch)


def show_patch(patch: Patch) -> None:
    """A difference of two prompts for a person."""
    if patch.same:
        print_line("The two prompts are the same.")
        return
    same = sum(block.change == "same" for block in patch.blocks)
    equal = f"{same} of {count_noun(len(patch.blocks), 'section')} {'is' if same == 1 else 'are'} the same"
    if patch.recipes[0] != patch.recipes[1] and all(patch.recipes):
        print_wrapped(f"{patch.recipes[0]} → {patch.recipes[1]}: {equal}")
    else:
        print_wrapped(f"{equal[:1].upper()}{equal[1:]}; the first difference is at character {patch.first:,}")
    for block in patch.changed:
        show_block(block)


def show_block(block: BlockDiff) -> None:
    """One block that is not the same, with its changed lines."""
    because = f"because {', '.join(block.because)} changed" if block.because else ""
    because = f"{because} ({block.why})" if block.why else because
    print_heading(f"{block.name}  " + style(block.change, fg=CHANGE_COLOURS[block.change]) + f"  {dim(because)}")
    for line in diff_lines(block.before or "", block.after or ""):
        colour = {"+": "green", "-": "red"}.get(line[:1])
        print_wrapped(style(escape_controls(line), fg=colour) if colour else dim(escape_controls(line)), "  ")

"""`overture diff`: what differs between two prompts, or two revisions, block by block, and because of what."""

from collections.abc import Callable, Iterator
from typing import Any

import click

from ...discovery.tree_files import GitObjects
from ...discovery.world import World
from ...errors import ConfigError
from ...lock.changed_lines_and_files import FileChange
from ...lock.find_and_build_revisions import build_and_compare, find_named_revisions
from ...lock.pull_request_markdown import COUNTS, OTHER_ORDER, format_comment
from ...lock.revision_diff import RevisionCacheEffect, RevisionDiff, RevisionInfo, SectionDiff
from ...model.prompt.prompt import Prompt
from ...model.prompt.saved_prompt import SavedPrompt
from ...project.find_recipe import list_recipe_names
from ...report.diff import BlockDiff, Patch, diff
from ...report.text_diff import diff_lines
from ...terminal.gather_state import gather_state
from ...terminal.options import AS_JSON, CommandOptions, add_shared_options, load_settings, refuse_combinations
from ...terminal.output import (
    dim,
    escape_controls,
    print_heading,
    print_line,
    print_table,
    print_wrapped,
    style,
    write,
    write_json,
)
from ...text.escape import escape_diff_line
from ...text.words import count_noun


@click.command("diff")
@click.argument("names", nargs=-1, required=True, metavar="BEFORE [AFTER]")
@click.option("--recipe", help="The recipe for two states or two revisions. Default: as for build.")
@click.option("--rev", is_flag=True, help="Treat BEFORE and AFTER as git revisions.")
@add_shared_options
@AS_JSON
@click.option("--markdown", is_flag=True, help="Print a comment for a pull request; for two revisions.")
@click.option("--exit-code", is_flag=True, help="Exit 1 if the two differ.")
def command(
    names: tuple[str, ...], recipe: str | None, rev: bool, as_json: bool, markdown: bool, exit_code: bool,
    **options: Any,
) -> int:  # fmt: skip
    """Show what differs between two prompts, and why.

    BEFORE and AFTER are two git revisions, recipes, states, saved prompts or saved sessions. A single revision
    is compared with the working tree; main..HEAD and main...HEAD have git's meaning. For each section:
    what changed, from which character, and because of which input.

    \b
    overture diff main...HEAD            what a branch does to the prompt
    overture diff pi house               two recipes, here
    overture diff old.json new.json      two states, prompts or sessions
    """
    refuse_combinations(("--json", "--markdown"))
    before, after, *others = (*names, None) if len(names) == 1 else names
    if others:
        raise click.UsageError(f"Got unexpected extra argument{'s' * (len(others) > 1)} ({' '.join(map(str, others))})")
    assert before is not None
    command_options = CommandOptions(recipe=recipe, **options)
    wanted = find_named_revisions(before, after, command_options, forced=rev)
    if wanted is not None:
        with GitObjects(wanted.repository.root) as objects:
            comparison = build_and_compare(wanted, objects, command_options)
        if as_json:
            write_json(comparison)
        elif markdown:
            write(format_comment(comparison))
        else:
            show_revisions(comparison)
        return 1 if exit_code and not comparison.same else 0
    if markdown:
        hint = "Omit it, or pass two revisions."
        raise ConfigError("--markdown needs two git revisions, such as main HEAD.", hint=hint)
    assert after is not None
    patch = diff(find_named_prompt(before, recipe, options), find_named_prompt(after, recipe, options))
    if as_json:
        write_json(patch)
    else:
        show_diff(patch)
    return 1 if exit_code and not patch.same else 0


def find_named_prompt(name: str, recipe: str | None, options: dict[str, Any]) -> Prompt | SavedPrompt:
    """The prompt that an argument names: of a recipe, of a state, or as it was sent."""
    known = list_recipe_names(load_settings(CommandOptions(**options)))
    if name in known or name.endswith(".toml"):
        if recipe is not None:
            raise ConfigError(f"{name!r} is a recipe, so `--recipe` has no meaning.", hint="Omit one of them.")
        return gather_state(CommandOptions(**{**options, "recipe": name})).build()
    if not World().exists(name):
        raise ConfigError(
            f"{name[:80]!r} is neither a recipe ({', '.join(known)}) nor a file.",
            message=f"{name[:80]!r} is neither a recipe nor a file",
            hint="`overture recipes` lists the recipes.",
        )
    from ...terminal.saved_files import read_saved, read_sent

    known_value = read_saved(name)
    if isinstance(known_value, dict):
        return gather_state(CommandOptions(**{**options, "recipe": recipe, "state_file": name})).build()
    return known_value if isinstance(known_value, SavedPrompt) else read_sent(known_value, name).prompt


def show_diff(patch: Patch) -> None:
    """A difference for a person."""
    if patch.same:
        print_line("The two prompts are the same.")
        return
    same = sum(block.change == "same" for block in patch.blocks)
    equal = f"{same} of {count_noun(len(patch.blocks), 'section')} {'is' if same == 1 else 'are'} the same"
    if patch.recipes[0] != patch.recipes[1]:
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


CHANGE_COLOURS = {"changed": "yellow", "added": "green", "removed": "red"}
COUNTING = {"now": "green", "no longer": "red", "not": "yellow"}


def show_revisions(diff: RevisionDiff) -> None:
    """What `overture diff` shows of two revisions: figures, each section with its lines, files and problems."""
    if diff.nothing:
        print_line(escape_controls(f"The prompt is the same in {diff.before.short} and {diff.after.short}."))
    else:
        for line in _format_header(diff):
            print_line(line)
    if diff.later:
        print_line(escape_controls(f"Changed, but only loaded on demand: {', '.join(diff.later)}."))
    for note in diff.notes:
        print_line(dim(escape_controls(f"Note: {note}.")))
    for section in diff.changed:
        show_section(section, diff.format)
    _show_files(diff.files)
    problems = [("new", "red", each) for each in diff.problems.new]
    problems += [("gone", "green", each) for each in diff.problems.gone]
    if problems:
        print_heading("Problems")
        print_table([(style(word, fg=colour), escape_controls(str(each))) for word, colour, each in problems])


def _format_header(diff: RevisionDiff) -> Iterator[str]:
    """The figures of two revisions, in words."""
    yield f"{_style_revision(diff.before)} → {_style_revision(diff.after)}"
    for side in (diff.before, diff.after):
        if side.why:
            all_of_it = "all of it is new" if side is diff.before else "all of it is removed"
            yield escape_controls(f"{side.name} has no prompt, so {all_of_it}: {side.why}")
    before, after = diff.tokens
    same = sum(block.change == "same" for block in diff.blocks)
    yield (
        f"{diff.format(before)} → {diff.format(after)} tokens "
        f"({diff.format(after - before, signed=True)}, {diff.tokenizer}). "
        f"{same} of {count_noun(len(diff.blocks), 'section')} {'is' if same == 1 else 'are'} the same."
    )
    if diff.first is not None and not diff.changed:
        yield OTHER_ORDER
    if diff.recipes[0] != diff.recipes[1] and all(diff.recipes):
        yield escape_controls(f"The recipes differ: {diff.recipes[0]}, {diff.recipes[1]}.")
    for change in ("added", "removed", "changed"):
        if names := getattr(diff.tools, change):
            yield escape_controls(f"Tools {change}: {', '.join(names)}.")
    if diff.cache:
        yield from _describe_cache_effect(diff.cache, diff.format)


def _describe_cache_effect(cache: RevisionCacheEffect, format: Callable[[int], str]) -> Iterator[str]:
    """The line that `overture diff` prints about the cache: how much of the prompt's beginning both revisions share."""
    some, total = format(cache.kept), format(cache.tokens)
    message = f"the first {some} of {total} tokens stay ({cache.share:.0%}), tools included"
    if cache.blame is None:
        yield f"Cache: {message}."
        return
    where = cache.blame.section or "between two sections"
    source = f" ({cache.blame.source})" if cache.blame.source else ""
    yield escape_controls(f"Cache: {message}; the first byte that differs is {cache.blame.byte:,}, in {where}{source}.")


def _style_revision(revision: RevisionInfo) -> str:
    """A revision with its subject, for a person."""
    subject = f" {dim(escape_controls(revision.subject[:60]))}" if revision.subject else ""
    return style(escape_controls(revision.short), bold=True) + subject


def show_section(section: SectionDiff, format: Callable[[int], str]) -> None:
    """One section that is not the same, with the lines that differ under their files."""
    before, after = section.tokens
    because = f"  because {', '.join(section.because)} changed" if section.because else ""
    where = "  in the user's message" if section.place == "user" else ""
    figures = f"{format(before)} → {format(after)} tokens"
    change = style(section.change, fg=CHANGE_COLOURS[section.change])
    print_heading(f"{section.name}  {change}  {figures}{dim(where + because)}")
    for hunk in section.hunks:
        print_line(f"  {style(escape_controls(hunk.place), bold=True)}")
        for line in hunk.removed:
            print_line("    " + style(escape_diff_line(f"-{line}"), fg="red"))
        for line in hunk.added:
            print_line("    " + style(escape_diff_line(f"+{line}"), fg="green"))


def _show_files(files: tuple[FileChange, ...]) -> None:
    """The files that differ between two revisions."""
    if files:
        print_heading("Files")
        rows = [
            (style(COUNTS[f.counts], fg=COUNTING[f.counts]), escape_controls(f.path), dim(escape_controls(f.why)))
            for f in files
        ]
        print_table(rows)

"""`overture diff`: what a change does to what agents read, or what differs between two prompts."""

from typing import Any

import click

from ...changes.markdown import format_comment
from ...changes.prompts import PromptDiff
from ...changes.revisions import sort_names
from ...changes.show import (
    CHANGE_COLOURS,
    compare_named_revisions,
    format_change,
    show_table_diff,
    show_whys,
    style_revision,
)
from ...changes.tables import TableDiff
from ...discovery.world import World
from ...errors import ConfigError
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
    print_once,
    print_wrapped,
    style,
    write,
    write_json,
)
from ...text.words import count_noun


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
    from ...terminal.saved_files import read_saved, read_sent

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


def show_prompt_diff(found: PromptDiff) -> None:
    """How the prompt of a recipe differs between two revisions."""
    if found.patch.same:
        print_wrapped(escape_controls(f"The prompt is the same in {found.before.short} and {found.after.short}."))
    else:
        print_line(f"{style_revision(found.before)} → {style_revision(found.after)}")
        show_whys(found.before, found.after)
        tokens, change = format_change(found, *found.tokens)
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

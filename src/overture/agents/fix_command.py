"""`overture agents --fix` shows what it would write, asks, writes it, and can undo it."""

from collections.abc import Sequence
from itertools import groupby

from ..discover.disk.location import locate, locate_home
from ..discover.load_tokenizer import find_counter
from ..errors import ConfigError
from ..known_agents import AGENTS, agent
from ..project.resolve import resolve
from ..terminal.confirm_changes import confirm_writing, diff_texts, style_diff_line
from ..terminal.options import CommandOptions
from ..terminal.output import (
    count_noun,
    dim,
    escape_controls,
    print_error,
    print_line,
    print_wrapped,
    style,
    write_json,
)
from .advice.give_advice import Advice, advise_on_plan
from .advice.plan_changes import ChangePlan, plan_in_folder
from .advice.possible_changes import AgentChange
from .report_agents import list_project_folders
from .write_fixes import (
    FixHistory,
    find_change_refusal,
    find_difference,
    find_history_path,
    read_history,
    record_fix,
    undo_fix_record,
    write_changes,
    write_history,
)


def fix_agents(names: tuple[str, ...], options: CommandOptions, *, yes: bool, as_json: bool = False) -> int:
    """Show what would be written, ask, and write. 1 where something is to do and nothing was written."""
    where = {"cwd": options.cwd, "home": options.home, "root": options.root}
    plan = plan_in_folder(names, **where, world=options.world, read_outside=options.read_outside)
    advice = advise_on_plan(plan, counter=find_counter(options.tokenizer))
    changes = plan.changes
    refused = {each.path: why for each in changes if (why := find_change_refusal(each, plan.place.root)) is not None}
    for path, why in refused.items():
        print_error(f"error: Can't write {plan.printer(path)}: {plan.printer.within(why)}")
    if as_json:
        write_json({"changes": changes, "by_hand": [each for each in advice if each.change is None]})
    else:
        _show_plan(plan, changes, advice)
    if refused:
        raise ConfigError(
            f"Nothing was written: {count_noun(len(refused), 'file')} can't be changed.",
            hint="Fix that, then run it again.",
        )
    if not changes:
        return 0
    if not (yes or confirm_writing([plan.printer(each.path) for each in changes])):
        return 1
    write_plan(plan, options)
    if not as_json:
        print_wrapped(f"Wrote {count_noun(len(changes), 'file')}. Undo it with `overture agents --fix --undo`.")
    return 0


def _show_plan(plan: ChangePlan, changes: tuple[AgentChange, ...], advice: tuple[Advice, ...]) -> None:
    if not plan.before:
        print_wrapped("No agent is set up here. Name the agents: `overture agents --fix codex claude-code`.")
    elif not plan.shared and not plan.below:
        print_wrapped("No instruction files here. Write an AGENTS.md first: most agents read it.")
    elif not changes and not plan.unsolved:
        if len({frozenset(result.lines) for result in plan.before.values()}) > 1:
            print_wrapped("Only rules of single agents differ, which is left as it is: `overture check` names them.")
        else:
            print_wrapped("All of them get the same instructions at the start: nothing to fix.")
        if plan.skills_differ:
            print_wrapped(
                "Their skills differ, which is left as it is: `overture agents --skills` shows who lists each."
            )
    for (titles, _), group in groupby(changes, lambda change: (_list_titles(change), change.link is not None)):
        _show_changes(plan, titles, list(group))
    unsolved = [each for each in advice if each.change is None]
    if unsolved:
        print_wrapped(style("Fix by hand" if changes else "No automatic fix is safe. Fix by hand", bold=True))
    for each in unsolved:
        print_wrapped(escape_controls(each.sentence), "  ")


def _list_titles(change: AgentChange) -> str:
    return ", ".join(facts.title for name in change.helps if (facts := agent(name).agent))


def _show_changes(plan: ChangePlan, titles: str, changes: Sequence[AgentChange]) -> None:
    """Changes for the same agents: links below each other, or diffs."""
    print_wrapped(dim(f"for {titles}"))
    for change in changes:
        path = plan.printer.relative(change.path)
        if change.link is not None:
            print_wrapped(style(escape_controls(f"+ {path} -> {change.link}"), fg="green"))
            continue
        for line in _diff_change(path, change):
            print_line(style_diff_line(line))
    print_line()


def _diff_change(path: str, change: AgentChange) -> list[str]:
    if change.before is not None:
        return diff_texts(path, change.before, change.after or "")
    lines = (change.after or "").splitlines()
    return ["--- /dev/null", f"+++ b/{path}", f"@@ -0,0 +1,{len(lines)} @@", *(f"+{line}" for line in lines)]


def write_plan(plan: ChangePlan, options: CommandOptions) -> None:
    """Keep what is needed to undo it, then write: only where all is still as it was shown."""
    root, changes = plan.place.root, plan.changes
    for change in changes:
        if (why := find_change_refusal(change, root)) is not None:
            raise ConfigError(f"Nothing was written: {change.path!r}: {why}.")
    path = _find_history_path(root, options)
    history, fix = read_history(path, root), record_fix(changes, options.world.now().isoformat())
    write_history(path, FixHistory(root, (*history.fixes, fix)))
    if (failed := write_changes(changes, fix, root)) is not None:
        write_history(path, history)
        raise ConfigError(f"Can't write {failed[0]!r}: {failed[1]}.", cause="All changes were rolled back.")


def _find_history_path(root: str, options: CommandOptions) -> str:
    return find_history_path(options.world, locate_home(options.world, options.home), root)


def undo_fix(options: CommandOptions) -> int:
    """Take back the last fix of this project, if every file is still as it was left; 1 where there is none."""
    location = locate(cwd=options.cwd, home=options.home, root=options.root, world=options.world)
    base = resolve(agent(AGENTS[0]), location)
    root = list_project_folders(base)[0]
    path = _find_history_path(root, options)
    history = read_history(path, root)
    if not history.fixes:
        print_wrapped("Nothing to undo here.")
        return 1
    fix = history.fixes[-1]
    changed = {file.path: why for file in fix.files if (why := find_difference(file)) is not None}
    for each, why in changed.items():
        print_error(f"error: {each}: {why}")
    if changed:
        raise ConfigError(
            "Nothing was undone: files have changed since `--fix` wrote them.",
            hint="Restore these files, or edit them by hand.",
        )
    failed = undo_fix_record(fix, fix.files, root)
    if failed:
        raise ConfigError("; ".join(f"can't restore {each!r}: {why}" for each, why in failed.items()) + ".")
    write_history(path, FixHistory(root, history.fixes[:-1]))
    print_wrapped(f"Restored {count_noun(len(fix.files), 'file')} to the state before {fix.when}.")
    return 0

"""`overture agents --fix` shows changes, asks, and writes all of them or none."""

from collections.abc import Sequence
from itertools import groupby

from ...discover.discover import ResolvedProject
from ...discover.disk.write_file import write_file, write_link
from ...errors import ConfigError
from ...known_agents import agent_facts
from ...terminal.confirm_changes import confirm_writing, diff_texts, find_change_refusal, style_diff_line
from ...terminal.output import (
    count_noun,
    dim,
    escape_controls,
    print_error,
    print_line,
    print_wrapped,
    style,
    write_json,
)
from ...tokens.counter import Counter
from ..advice.give_advice import Advice, advise_on_plan
from ..advice.plan_changes import ChangePlan, plan_in_folder
from ..advice.possible_changes import AgentChange
from .fix_history import (
    FixHistory,
    FixRecord,
    find_history_path,
    lock_history,
    read_history,
    record_fix,
    undo_fix_record,
    write_history,
)


def write_changes(changes: Sequence[AgentChange], fix: FixRecord, root: str) -> tuple[str, str] | None:
    """Make all changes in a project; where one fails, take back those before it: the path, and why."""
    for done, change in enumerate(changes):
        try:
            if change.link is not None:
                write_link(change.path, change.link, within=root, folders=0o777)
            else:
                # A new file never takes the place of another.
                data = (change.after or "").encode()
                write_file(change.path, data, new=change.before is None, within=root, folders=0o777)
        except OSError as problem:
            undo_fix_record(fix, fix.files[:done], root)
            return change.path, (problem.strerror or str(problem)).lower()
    return None


def fix_agents(
    base: ResolvedProject, names: tuple[str, ...], counter: Counter | None, *, yes: bool, as_json: bool
) -> int:
    """Show what would be written, ask, and write. 1 where something is to do and nothing was written."""
    plan = plan_in_folder(base, names)
    advice = advise_on_plan(plan, counter=counter)
    changes = plan.changes
    refused = {
        each.path: why
        for each in changes
        if (why := find_change_refusal(each.path, each.before, plan.place.root)) is not None
    }
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
    write_plan(plan, base)
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
    return ", ".join(agent_facts(name).title for name in change.helps)


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


def write_plan(plan: ChangePlan, base: ResolvedProject) -> None:
    """Stores the record to undo it, then writes: only if all files are still as they were shown."""
    root, changes = plan.place.root, plan.changes
    path = find_history_path(base, root)
    with lock_history(path):
        for change in changes:
            if (why := find_change_refusal(change.path, change.before, root)) is not None:
                raise ConfigError(f"Nothing was written: {change.path!r}: {why}.")
        history, fix = read_history(path, root), record_fix(changes, base.world.now().isoformat())
        write_history(path, FixHistory(root, (*history.fixes, fix)))
        if (failed := write_changes(changes, fix, root)) is not None:
            write_history(path, history)
            raise ConfigError(f"Can't write {failed[0]!r}: {failed[1]}.", cause="All changes were rolled back.")

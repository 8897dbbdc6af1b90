"""`overture agents --fix` shows changes, asks, and writes all of them or none."""

from collections.abc import Sequence
from itertools import groupby

from ...discovery.world import World
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
from ...text.path_printer import PathPrinter, make_root_printer
from ...text.words import join_words
from ...tokens.counter import Counter
from ..agent_project import AgentProject
from ..verdicts import explain_finding
from .advise import Advice, advise_on, explain_advice
from .history import FixHistory, find_history_path, lock_history, read_history, record_fix, write_changes, write_history
from .plan import FixPlan, plan_fix
from .simulate import Change

MAX_SHOWN_CHANGES = 20
"""Changes that are shown for the same agents; more are counted."""
REASONS = {
    "ignored": "git ignores it",
    "loads-less": "{agent} would load less",
    "loads-twice": "{agent} would load a text twice",
    "loads-stub": "{agent} would load a file that only imports",
}


def fix_agents(base: AgentProject, names: Sequence[str], counter: Counter | None, *, yes: bool, as_json: bool) -> int:
    """Show what would be written, ask, and write. 1 where something is to do and nothing was written."""
    plan = plan_fix(base, names, counter)
    root = plan.state.files.top
    show = make_root_printer(root)
    refused = {c.path: why for c in plan.changes if (why := find_change_refusal(c.path, c.before, root))}
    for path, why in refused.items():
        print_error(f"error: Can't write {show(path)}: {show.within(why)}")
    if as_json:
        counts = {"handled": len(plan.handled_folders), "left": len(plan.left_folders)}
        twice = [{"agent": agent, "files": len(paths)} for agent, paths in plan.twice.items()]
        data = {"changes": plan.changes, "by_hand": list_advice(plan), "refused": plan.refused}
        write_json({**data, "twice": twice, "folders": counts})
    else:
        show_plan(plan, show)
    if refused:
        message = f"Nothing was written: {count_noun(len(refused), 'file')} can't be changed."
        raise ConfigError(message, hint="Fix that, then run it again.")
    if not plan.changes:
        return 0
    if not (yes or confirm_writing([show(change.path) for change in plan.changes])):
        return 1
    write_plan(plan, base, names, counter)
    if not as_json:
        print_wrapped(f"Wrote {count_noun(len(plan.changes), 'file')}. Undo it with `overture agents --fix --undo`.")
    return 0


def list_advice(plan: FixPlan) -> list[Advice]:
    """What is left to do by hand."""
    question, table = plan.state.question, plan.state.verdicts.table
    moves = [Advice("move", agents, paths) for agents, paths in plan.apart.items()]
    return [*(each for goal in plan.left for each in advise_on(question, table, goal.finding)), *moves]


def show_plan(plan: FixPlan, show: PathPrinter) -> None:
    """The changes, grouped by the agents that they help, and what is left to do by hand."""
    if not plan.state.question.names:
        print_wrapped("No agent is set up here. Name the agents: `overture agents --fix codex claude-code`.")
    elif not plan.state.files.judged and not plan.changes:
        print_wrapped("No instruction files here. Write an AGENTS.md first: most agents read it.")
    elif not plan.changes and not plan.left_folders:
        print_wrapped("Nothing to fix here.")
    for (agents, _), group in groupby(plan.changes, lambda change: (change.agents, change.target is not None)):
        changes = list(group)
        print_wrapped(dim(f"for {_name_agents(agents)}"))
        for change in changes[:MAX_SHOWN_CHANGES]:
            _show_change(show.relative(change.path), change)
        if (rest := len(changes) - MAX_SHOWN_CHANGES) > 0:
            print_wrapped(dim(f"and {rest:,} more: `--json` lists them"))
        print_line()
    for agent, paths in plan.twice.items():
        files = count_noun(len(paths), "file")
        print_wrapped(f"note: {_name_agents([agent])}, of which nothing is here, would load {files} twice")
    if plan.left or plan.apart:
        _show_left(plan, show)
    if plan.changes or plan.left_folders:
        handled, left = (count_noun(len(each), "folder") for each in (plan.handled_folders, plan.left_folders))
        print_wrapped(f"Handled: {handled}. Left to do by hand: {left}.")


def _show_left(plan: FixPlan, show: PathPrinter) -> None:
    """The problems that no safe change solves, why, and what to do about them."""
    print_wrapped(style("Fix by hand" if plan.changes else "No automatic fix is safe. Fix by hand", bold=True))
    lines = [explain_finding(goal.finding, plan.state.verdicts.table, show) for goal in plan.left]
    left = [path for goal in plan.left for path in goal.paths]
    for each in plan.refused:
        if any(f"{path}/".startswith(f"{each.source.rstrip('/')}/") for path in left):
            why = REASONS[each.code].format(agent=_name_agents([each.agent] * bool(each.agent)))
            lines.append(f"not written: {show(each.path)}: {why}")
    lines += [f"- {explain_advice(each, show)}" for each in list_advice(plan)]
    for line in dict.fromkeys(lines):
        print_wrapped(escape_controls(line), "  ")


def _name_agents(names: Sequence[str]) -> str:
    return join_words([agent_facts(name).title for name in names])


def _show_change(path: str, change: Change) -> None:
    """A link, or a diff; a file that becomes a link loses its lines."""
    new = (change.after or "").splitlines()
    lines = [f"-{line}" for line in (change.before or "").splitlines()]
    if change.target is None and change.before is None:
        lines = ["--- /dev/null", f"+++ b/{path}", f"@@ -0,0 +1,{len(new)} @@", *(f"+{line}" for line in new)]
    elif change.target is None:
        lines = diff_texts(path, change.before or "", change.after or "")
    else:
        lines.append(f"+ {path} -> {change.target}")
    for line in lines:
        print_line(style_diff_line(line))


def write_plan(plan: FixPlan, base: AgentProject, names: Sequence[str], counter: Counter | None = None) -> None:
    """Stores the record to undo it, then writes: only if the plan would still be the one that was shown."""
    root = plan.state.files.top
    path = find_history_path(base, root)
    with lock_history(path):
        for change in plan.changes:
            if (why := find_change_refusal(change.path, change.before, root)) is not None:
                raise ConfigError(f"Nothing was written: {change.path!r}: {why}.")
        # Another fix may have written while this one read: then some files were read before it, and some after.
        world = World(base.world.disk, base.world.machine, facts={})
        now = base._replace(location=base.location._replace(world=world))
        if plan_fix(now, names, counter).changes != plan.changes:
            raise ConfigError("Nothing was written: files have changed meanwhile.", hint="Run it again.")
        history, fix = read_history(path, root), record_fix(plan.changes, base.world.machine.now().isoformat())
        write_history(path, FixHistory(root, (*history.fixes, fix)))
        if (failed := write_changes(plan.changes, fix, root)) is not None:
            write_history(path, history)
            raise ConfigError(f"Can't write {failed[0]!r}: {failed[1]}.", cause="All changes were rolled back.")

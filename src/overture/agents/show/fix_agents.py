"""`overture agents --fix`: what would be written is shown, somebody agrees, it is written, and can be undone."""

import sys

import click

from ...check.fix import diff
from ...discover.disk.walk import absolute
from ...errors import ConfigError
from ...known_agents import agent
from ...project.project import settle
from ...terminal.options import Ask
from ...terminal.terminal import complain, counted, dim, say, style, tell, visible, write_json
from ..advice.advice import Advice, Change
from ..advice.advice_for import advice_of
from ..advice.agents_here import plan_here
from ..advice.plan_changes import Plan
from ..report_agents import walk_here
from .kept_fixes import Kept, fixes_path, read_fixes, write_fixes
from .write_changes import differs, put_back, refusal, to_keep, write_changes

COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def fix_agents(names: tuple[str, ...], ask: Ask, *, yes: bool, as_json: bool = False) -> int:
    """Show what would be written, ask, and write. 1 where something is to do and nothing was written."""
    where = {"cwd": ask.cwd, "home": ask.home, "root": ask.root}
    plan = plan_here(names, **where, world=ask.world, read_outside=ask.read_outside)
    advice = advice_of(plan)
    changes = plan.changes
    refused = {each.path: why for each in changes if (why := refusal(each, plan.place.root)) is not None}
    for path, why in refused.items():
        complain(f"error: {path}: not written: {why}")
    if as_json:
        write_json({"changes": changes, "by_hand": [each for each in advice if each.change is None]})
    else:
        _show(plan, changes, advice)
    if refused:
        raise ConfigError(f"Nothing was written: {counted(len(refused), 'file')} can't be. Mend that, and try again.")
    if not changes:
        return 0
    if not (yes or _agreed(len(changes))):
        return 1
    write_plan(plan, ask)
    if not as_json:
        tell(f"Wrote {counted(len(changes), 'file')}. `overture agents --fix --undo` takes that back.")
    return 0


def _show(plan: Plan, changes: tuple[Change, ...], advice: tuple[Advice, ...]) -> None:
    if not plan.before:
        tell("No agent is used here. Name those that should read the same: overture agents --fix codex claude-code.")
    elif not plan.shared and not plan.below:
        tell("There is no instruction file here. Write an AGENTS.md first: most agents read it.")
    elif not changes and not plan.left:
        tell("All of them are told the same: there is nothing to do.")
    for change in changes:
        _show_change(plan, change)
    left = [each for each in advice if each.change is None]
    if left:
        tell(style("By hand" if changes else "Nothing can be written safely. By hand", bold=True))
    for each in left:
        tell(visible(each.sentence), "  ")


def _show_change(plan: Plan, change: Change) -> None:
    path = change.path.removeprefix(f"{plan.place.root.rstrip('/')}/")
    titles = [facts.title for name in change.helps if (facts := agent(name).agent)]
    tell(dim(f"for {', '.join(titles)}"))
    if change.link is not None:
        say(style(visible(f"+ {path} -> {change.link}"), fg="green"))
    for line in _diff(path, change) if change.link is None else ():
        say(style(visible(line), fg=COLOURS.get(line[:1])))
    say()


def _diff(path: str, change: Change) -> list[str]:
    if change.before is not None:
        return diff(path, change.before, change.after or "")
    lines = (change.after or "").splitlines()
    return ["--- /dev/null", f"+++ b/{path}", f"@@ -0,0 +1,{len(lines)} @@", *(f"+{line}" for line in lines)]


def _agreed(files: int) -> bool:
    """Whoever sits at a terminal is asked; nobody else agreed to anything."""
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()):
        complain("Nothing was written: give --yes with --fix to write what is shown.")
        return False
    return click.confirm(f"Write {'this file' if files == 1 else f'these {files} files'}?", default=False, err=True)


def write_plan(plan: Plan, ask: Ask) -> None:
    """Keep what is needed to undo it, then write: only where all is still as it was shown."""
    root, changes = plan.place.root, plan.changes
    for change in changes:
        if (why := refusal(change, root)) is not None:
            raise ConfigError(f"Nothing was written: {change.path!r}: {why}.")
    path = _kept_at(root, ask)
    kept, fix = read_fixes(path, root), to_keep(changes, ask.world.now().isoformat())
    write_fixes(path, Kept(root, (*kept.fixes, fix)))
    if (failed := write_changes(changes, fix, root)) is not None:
        write_fixes(path, kept)
        raise ConfigError(f"{failed[0]!r} can't be written: {failed[1]}. All is as it was.")


def _kept_at(root: str, ask: Ask) -> str:
    home = absolute(ask.world, ask.home if ask.home is not None else ask.world.home())
    return fixes_path(ask.world, home, root)


def undo_fix(ask: Ask) -> int:
    """Take back the last fix of this project, if every file is still as it was left; 1 where there is none."""
    base = settle(None, cwd=ask.cwd, home=ask.home, root=ask.root, world=ask.world)
    root = walk_here(base)[0]
    path = _kept_at(root, ask)
    kept = read_fixes(path, root)
    if not kept.fixes:
        tell("There is nothing to undo here.")
        return 1
    fix = kept.fixes[-1]
    changed = {file.path: why for file in fix.files if (why := differs(file)) is not None}
    for each, why in changed.items():
        complain(f"error: {each}: {why}")
    if changed:
        raise ConfigError("Nothing was undone: files are not as --fix left them. Mend them by hand, or put them back.")
    failed = put_back(fix, fix.files, root)
    if failed:
        raise ConfigError("; ".join(f"{each!r} can't be put back: {why}" for each, why in failed.items()) + ".")
    write_fixes(path, Kept(root, kept.fixes[:-1]))
    tell(f"Took back {counted(len(fix.files), 'file')}, as they were before {fix.when}.")
    return 0

"""`overture agents --fix` shows changes, asks, and writes all of them or none; a history can undo them."""

import base64
import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby
from typing import Annotated, Literal

import msgspec

from ..discovery.configuration.trust import approvals_path
from ..discovery.world import World
from ..discovery.write_file import lock_folder, remove_file, write_file, write_link
from ..errors import ConfigError
from ..known_agents import agent_facts
from ..model.struct import Frozen, note
from ..terminal.confirm_changes import confirm_writing, diff_texts, find_change_refusal, style_diff_line
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
from ..tokens.counter import Counter
from .advice.give_advice import Advice, advise_on_plan
from .advice.plan_changes import ChangePlan, plan_in_folder
from .advice.possible_changes import AgentChange
from .agent_project import AgentProject
from .survey_project import list_project_folders

MAX_STORED_FIXES = 20
"""Fixes of one project that can be undone."""


class FileBackup(Frozen, frozen=True, omit_defaults=False):
    """One path, as it was and as it was left."""

    path: str
    before: Annotated[str | None, note("its bytes in base64; none: the file did not exist")]
    mode: Annotated[int | None, note("its permissions before")]
    sha256: Annotated[str | None, note("hash of what was written; none: a symlink")]
    link: Annotated[str | None, note("the target of the symlink")] = None

    @property
    def old(self) -> bytes | None:
        """What was at the path before the fix."""
        return None if self.before is None else base64.b64decode(self.before)


class FixRecord(Frozen, frozen=True, omit_defaults=False):
    """One run of `--fix`."""

    when: str
    files: tuple[FileBackup, ...]
    folders: Annotated[tuple[str, ...], note("folders that were created for them, innermost first")] = ()


class FixHistory(Frozen, frozen=True, omit_defaults=False):
    """The file of one project."""

    root: str
    fixes: tuple[FixRecord, ...] = ()
    version: Literal[1] = 1


def find_history_path(base: AgentProject, root: str) -> str:
    """Where the fixes of a project are stored: beside the user's approvals."""
    name = hashlib.sha256(root.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return f"{os.path.dirname(approvals_path(base.world, base.home))}/fixes/{name}.json"


def read_history(path: str, root: str) -> FixHistory:
    """All fixes of a project, the last one at the end."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return msgspec.json.decode(file.read(), type=FixHistory)
    except FileNotFoundError:
        return FixHistory(root)
    except (OSError, msgspec.MsgspecError, ValueError) as problem:
        message = getattr(problem, "strerror", None) or str(problem)
        raise ConfigError(
            f"Can't read the history of fixes {path!r}: {message}.",
            hint="Move it away; earlier fixes can then no longer be undone.",
        ) from None


def write_history(path: str, history: FixHistory) -> None:
    """Writes the history atomically; only the user may read it."""
    history = FixHistory(history.root, history.fixes[-MAX_STORED_FIXES:])
    try:
        data = msgspec.json.format(msgspec.json.encode(history), indent=1) + b"\n"
        write_file(path, data, mode=0o600, folders=0o700)
    except OSError as problem:
        raise _describe_unwritable(path, problem) from None


def _describe_unwritable(path: str, problem: OSError) -> ConfigError:
    message = (problem.strerror or str(problem)).lower()
    return ConfigError(
        f"Can't write the history of fixes {path!r}: {message}.",
        cause="Nothing was changed: without the history, it could not be undone.",
    )


@contextmanager
def lock_history(path: str) -> Iterator[None]:
    """Only one process at a time fixes or undoes: two would each lose the other's record."""
    with ExitStack() as stack:
        try:
            stack.enter_context(lock_folder(path, folders=0o700))
        except OSError as problem:
            raise _describe_unwritable(path, problem) from None
        yield


def record_fix(changes: Sequence[AgentChange], when: str) -> FixRecord:
    """The record that undoes the changes, made before any of them."""
    folders: dict[str, None] = {}
    for change in changes:
        folder = os.path.dirname(change.path)
        while not os.path.lexists(folder):
            folders[folder] = None
            folder = os.path.dirname(folder)
    return FixRecord(when, tuple(map(_back_up_file, changes)), tuple(sorted(folders, key=len, reverse=True)))


def _back_up_file(change: AgentChange) -> FileBackup:
    old = None if change.before is None else base64.b64encode(change.before.encode()).decode()
    mode = None if change.before is None else stat.S_IMODE(os.lstat(change.path).st_mode)
    new = None if change.after is None else hashlib.sha256(change.after.encode()).hexdigest()
    return FileBackup(change.path, old, mode, new, change.link)


def find_difference(file: FileBackup) -> str | None:
    """Why a path differs from the result of a fix; None if it does not."""
    try:
        if file.link is not None:
            return None if os.readlink(file.path) == file.link else "the symlink has a different target now"
        if not stat.S_ISREG(os.lstat(file.path).st_mode):
            return "it is not a regular file any more"
        with open(file.path, "rb") as opened:  # noqa: PTH123
            same = hashlib.sha256(opened.read()).hexdigest() == file.sha256
        return None if same else "it has changed since"
    except FileNotFoundError:
        return "it no longer exists"
    except OSError as problem:
        return (problem.strerror or str(problem)).lower()


def is_as_before(file: FileBackup) -> bool:
    """Whether a path is as it was before a fix: the fix was killed before it came to it, or somebody restored it."""
    try:
        status = os.lstat(file.path)
        if file.old is None or not stat.S_ISREG(status.st_mode) or stat.S_IMODE(status.st_mode) != file.mode:
            return False
        with open(file.path, "rb") as opened:  # noqa: PTH123
            return opened.read() == file.old
    except (FileNotFoundError, NotADirectoryError):
        return file.old is None
    except OSError:
        return False


def undo_fix_record(fix: FixRecord, files: Sequence[FileBackup], root: str) -> dict[str, str]:
    """Every path as it was, byte for byte, and no folder that was made for one; why some could not be."""
    failed = {}
    for file in reversed(files):
        try:
            if file.old is None:
                remove_file(file.path, within=root)
            else:
                # A fix keeps owner and permissions: only what was changed since is set.
                kept = stat.S_IMODE(os.lstat(file.path).st_mode) == file.mode
                write_file(file.path, file.old, mode=None if kept else file.mode, within=root)
        except OSError as problem:
            failed[file.path] = (problem.strerror or str(problem)).lower()
    for folder in fix.folders:
        try:
            os.rmdir(folder)
        except OSError:
            continue  # the user put something into it: it stays
    return failed


def undo_fix(base: AgentProject) -> int:
    """Takes back the last fix of this project, if every file is unchanged since; 1 if there is none."""
    root = list_project_folders(base)[0]
    path = find_history_path(base, root)
    if not read_history(path, root).fixes:
        print_wrapped("Nothing to undo here.")
        return 1
    with lock_history(path):
        _undo_last_fix(path, root)
    return 0


def _undo_last_fix(path: str, root: str) -> None:
    history = read_history(path, root)
    fix = history.fixes[-1]
    files = [file for file in fix.files if not is_as_before(file)]
    changed = {file.path: why for file in files if (why := find_difference(file)) is not None}
    for each, why in changed.items():
        print_error(f"error: {each}: {why}")
    if changed:
        raise ConfigError(
            "Nothing was undone: files have changed since `--fix` wrote them.",
            hint="Restore these files, or edit them by hand.",
        )
    failed = undo_fix_record(fix, files, root)
    if failed:
        raise ConfigError("; ".join(f"can't restore {each!r}: {why}" for each, why in failed.items()) + ".")
    write_history(path, FixHistory(root, history.fixes[:-1]))
    if files:
        print_wrapped(f"Restored {count_noun(len(files), 'file')} to the state before {fix.when}.")
    else:
        print_wrapped(f"All files of the last fix are as they were before {fix.when}.")


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


def fix_agents(base: AgentProject, names: tuple[str, ...], counter: Counter | None, *, yes: bool, as_json: bool) -> int:
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
    write_plan(plan, base, names)
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


def write_plan(plan: ChangePlan, base: AgentProject, names: tuple[str, ...]) -> None:
    """Stores the record to undo it, then writes: only if the plan would still be the one that was shown."""
    root, changes = plan.place.root, plan.changes
    path = find_history_path(base, root)
    with lock_history(path):
        for change in changes:
            if (why := find_change_refusal(change.path, change.before, root)) is not None:
                raise ConfigError(f"Nothing was written: {change.path!r}: {why}.")
        # Another fix may have written while this one read: then some files were read before it, and some after.
        world = World(base.world.disk, base.world.machine, facts={})
        now = base._replace(location=base.location._replace(world=world))
        if plan_in_folder(now, names).changes != changes:
            raise ConfigError("Nothing was written: files have changed meanwhile.", hint="Run it again.")
        history, fix = read_history(path, root), record_fix(changes, base.world.machine.now().isoformat())
        write_history(path, FixHistory(root, (*history.fixes, fix)))
        if (failed := write_changes(changes, fix, root)) is not None:
            write_history(path, history)
            raise ConfigError(f"Can't write {failed[0]!r}: {failed[1]}.", cause="All changes were rolled back.")

"""`overture`: prints its stored output again if nothing has changed, and otherwise runs the command.

It always ends with a few lines and an exit code, never a traceback.
"""

import atexit
import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from .fail_and_end import fail, fail_to_write, quiet_end

if TYPE_CHECKING:
    from click import ClickException

GC_THRESHOLD = 200_000
"""Objects after which Python looks for garbage: what a command makes mostly lives until it ends."""

OPTIONS = ("--json", "--all", "--files")
"""Options that neither write a file nor read one that the user names."""
OF_PROMPT = ("build", "check", "context", "explain")
"""Commands about one prompt; the build shows whether that stays the same all day."""


def run_program() -> None:
    """The program `overture`: where nothing is left to be done, it ends without taking apart what it made."""
    main(end=end_at_once)


def main(*, end: Callable[[int], None] | None = None) -> None:
    """Run the command line; click and all else is loaded where a command has to run.

    A command that did nothing but read and print may `end` the process.
    """
    gc.set_threshold(GC_THRESHOLD)
    try:
        with quiet_end():
            if is_repeatable(sys.argv[1:]):
                from .recall_output import run_or_recall

                code, only_read = run_or_recall(sys.argv[1:], run_command)
            else:
                code, only_read = run_command(), False
            if only_read and end is not None:
                end(code)
            sys.exit(code)
    except KeyboardInterrupt:  # while modules are imported
        sys.exit(130)
    finally:
        if "duckdb" not in sys.modules:  # it reports all that it finds alive at the end as a leak
            gc.freeze()  # the end of the process frees it all: nothing need be looked through for that


def end_at_once(code: int) -> None:
    """End this process, if it has no other threads. To free objects one by one takes a twentieth of a command."""
    threads = sys.modules.get("threading")
    if threads is None or threads.active_count() == 1:
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def is_repeatable(words: Sequence[str]) -> bool:
    """Whether a command only reads and prints, and depends on the clock by the day at most.

    That is `overture` alone, `agents` with names, and those of one prompt. The meaning of a name is recorded like all
    other reads, unless it is the name of a file, which may be a pipe.
    """
    names = [word for word in words if not word.startswith("-")]
    known = not names or names[0] == "agents" or (names[0] in OF_PROMPT and not any(map(os.path.lexists, names[1:])))
    return known and {*words} - {*names} <= {*OPTIONS} and None not in (sys.stdout, sys.stderr)


def run_command() -> int:
    """Run the command; 0: done, 1: something was found, 2: it could not be done, 130: interrupted."""
    import click

    from ..errors import BudgetError, OvertureError
    from .group import overture

    try:
        code = overture.main(prog_name="overture", standalone_mode=False)
        with quiet_end():
            if sys.stdout is not None:
                sys.stdout.flush()
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as problem:
        from ..terminal.error_lines import convert_usage_error

        return fail(convert_usage_error(problem, name_command(problem)))
    except OvertureError as problem:
        return fail(problem, 1 if isinstance(problem, BudgetError) else 2)
    except (click.Abort, KeyboardInterrupt):
        return 130
    except RecursionError:
        return fail(OvertureError("The input is nested too deeply.", hint="Flatten it."))
    except OSError as problem:
        return fail_to_write(problem)
    return code if isinstance(code, int) else 0


def name_command(problem: "ClickException") -> str:
    """The command in which a slip was made, as one types it."""
    from click import UsageError

    from .group import ALIASES, COMMANDS

    below = problem.ctx.command_path.split()[2:] if isinstance(problem, UsageError) and problem.ctx else []
    return " ".join(["overture", *(word for word in sys.argv[1:2] if word in (*COMMANDS, *ALIASES)), *below])

"""`overture`: runs the command, and ends with a few lines and an exit code, never a traceback."""

import sys
from typing import TYPE_CHECKING

from .fail_and_end import fail, fail_to_write, quiet_end

if TYPE_CHECKING:
    from click import ClickException


def main() -> None:
    """Run the command line; click and all else is loaded where a command has to run."""
    try:
        with quiet_end():
            sys.exit(run_command())
    except KeyboardInterrupt:  # while modules are imported
        sys.exit(130)


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

    from .group import COMMANDS

    below = problem.ctx.command_path.split()[2:] if isinstance(problem, UsageError) and problem.ctx else []
    return " ".join(["overture", *(word for word in sys.argv[1:2] if word in COMMANDS), *below])

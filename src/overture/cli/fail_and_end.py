"""How a command ends where something fails: what it prints, and its exit code; a closed pipe is no failure."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from errno import ENAMETOOLONG
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..errors import OvertureError


def fail(problem: "OvertureError", code: int = 2) -> int:
    """Prints what happened, its cause and a hint, as `overture` ends; returns the exit code."""
    from ..discovery.paths import find_home
    from ..terminal.error_lines import format_error, shorten_error
    from ..terminal.options import list_typed_paths
    from ..terminal.output import print_error
    from ..text.path_printer import PathPrinter

    try:
        printer = PathPrinter(os.getcwd(), find_home(), typed=list_typed_paths())
    except OSError:  # the folder was removed
        printer = PathPrinter("")

    try:
        for line in format_error(problem, printer):
            print_error(shorten_error(line), indented=True)
    except BrokenPipeError:
        write_nowhere()
    return code


def fail_to_write(problem: OSError) -> int:
    """Reports that the output can't be written, or what is wrong with a path.

    The rest of the output is discarded, or Python would try again at its end.
    """
    from ..discovery.world import World
    from ..errors import OvertureError

    try:
        World().machine.cwd()
    except OvertureError as gone:  # a path could not be made absolute: nothing was to be written
        return fail(gone)
    if problem.errno == ENAMETOOLONG:  # standard output has no name: a file to look for has
        size = f"{len(os.fsdecode(problem.filename or '')):,} characters"
        return fail(
            OvertureError(f"The path of a file is too long ({size}).", hint="Use a folder with a shorter path.")
        )
    reason = (problem.strerror or str(problem)).lower()
    if problem.filename:
        return fail(OvertureError(f"{os.fsdecode(problem.filename)!r}: {reason}."))
    code = fail(OvertureError(f"The output can't be written: {reason}."))
    write_nowhere()
    return code


@contextmanager
def quiet_end() -> Iterator[None]:
    """A reader that closes the pipe (`| head`) ends a command with 0; click would make that a failure."""
    try:
        yield
    except BrokenPipeError:
        write_nowhere()
        raise SystemExit(0) from None


def write_nowhere() -> None:
    """Before `overture` exits: discards unwritten output, as Python would complain when it flushes."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)

"""Whether sudo works without a question. Asked with a time limit, and so that it can't prompt."""

import subprocess
from contextlib import suppress

SECONDS = 0.15


def works_without_question() -> bool | None:
    """True or false; None where sudo did not say so in time."""
    quiet = subprocess.DEVNULL
    command = ("sudo", "-n", "true")
    try:
        # In a session of its own it has no terminal on which it could ask for a password.
        process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    except OSError:
        return False
    try:
        return process.wait(SECONDS) == 0
    except subprocess.TimeoutExpired:
        _end(process)
        return None


def _end(process: "subprocess.Popen[bytes]") -> None:
    # A process of root's can't be killed by its user. It is left to end by itself: nobody waits for it.
    with suppress(OSError, subprocess.TimeoutExpired):
        process.kill()
        process.wait(SECONDS)

"""Runs a command of ours in a process of its own, for one call of a tool.

So each answer is what the command prints, of the files as they are now; and whatever happens to it, the server stays.
"""

import os
import sys
from subprocess import DEVNULL
from typing import Any, NamedTuple

import anyio
import msgspec

from ..errors import ConfigError

MAX_SECONDS = 120
MAX_PROCESSES = 2
"""Commands that run at the same time."""
MAX_RESULT_CHARS = 60_000
"""Characters of JSON in one result: some 20,000 tokens, about what clients take."""
FIRST_LIMIT = 4096
"""Items of a list, and four times as many characters of a text: halved until the result fits."""


class CommandResult(NamedTuple):
    """What a command printed."""

    data: Any
    """Its JSON, or its text."""
    code: int


async def run_command(
    words: list[str], folder: str, limiter: anyio.CapacityLimiter, *, text: bool = False
) -> CommandResult:
    """The JSON that a command prints in this folder, or its text. What it complains of is a ConfigError."""
    # -P: a folder that somebody works in brings no modules of its own.
    command = [sys.executable, "-P", "-m", "overture", *words]
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONUTF8": "1"}
    try:
        async with limiter:
            with anyio.fail_after(MAX_SECONDS):
                done = await anyio.run_process(command, cwd=folder, stdin=DEVNULL, check=False, env=environment)
    except TimeoutError:
        raise ConfigError(f"No response within {MAX_SECONDS} seconds.", hint="Use a smaller folder.") from None
    except (OSError, ValueError) as problem:
        raise ConfigError(f"The command can't be run: {problem}.", hint="Pass shorter, printable values.") from None
    try:
        if done.stdout:  # also of a path that does not exist: exit code 2, with data
            data = done.stdout.decode() if text else msgspec.json.decode(done.stdout)
            return CommandResult(data, done.returncode)
    except ValueError:
        pass
    raise ConfigError(explain_failure(done.stderr.decode("utf-8", "replace"), done.returncode))


def explain_failure(stderr: str, code: int) -> str:
    """What a command said on standard error, without warnings; never a traceback."""
    lines = [line for line in stderr.splitlines() if not line.startswith(("warning: ", "info: "))]
    start = next((index for index, line in enumerate(lines) if line.startswith("error: ")), None)
    if start is None:
        return f"The command ended with exit code {code} and without a result."
    return "\n".join(lines[start:]).removeprefix("error: ")[:MAX_RESULT_CHARS]


def shorten_data(data: Any) -> tuple[Any, bool]:
    """The data with shorter lists and texts where it is too long for one result; whether it is."""
    limit, shown = FIRST_LIMIT, data
    while len(msgspec.json.encode(shown)) > MAX_RESULT_CHARS and limit > 1:
        limit //= 2
        shown = _limit_items(data, limit)
    return shown, shown is not data


def _limit_items(value: Any, limit: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= 4 * limit else f"{value[: 4 * limit]}…"
    if isinstance(value, list):
        return [_limit_items(item, limit) for item in value[:limit]]
    return {key: _limit_items(item, limit) for key, item in value.items()} if isinstance(value, dict) else value

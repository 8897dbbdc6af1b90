"""Running `overture`: most commands here, in this process, the others as people start them."""

import io
import os
import shlex
import shutil
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any
from unittest.mock import patch

OVERTURE = Path(shutil.which("overture", path=str(Path(sys.executable).parent)) or "overture")
SOURCE = Path(__file__).parents[3] / "src"
OWN_PROCESS = {"serve", "tap", "mcp", "batch", "audit"}
"""Commands that start threads, processes or servers."""
RECORDED = {"import", "report", "list", "show", "diff", "export", "retain"}
STARTING = ("PYTHON", "LC_", "LANG", "TIKTOKEN")
"""Variables with these beginnings count when Python starts, or when a package is imported."""
Word = str | bytes | Path


def run_overture(
    words: Sequence[Word], given: bytes, cwd: Path | None, environment: Mapping[str, str]
) -> "subprocess.CompletedProcess[bytes]":
    """Run a command with this on standard input."""
    names = [os.fsdecode(word) for word in words]
    if needs_process(names) or any(name.startswith(STARTING) for name in environment):
        return run_process(words, given, cwd, environment)
    output, errors = io.BytesIO(), io.BytesIO()
    code = run_here(names, io.BufferedReader(io.BytesIO(given)), output, errors, cwd, environment)
    return subprocess.CompletedProcess([OVERTURE, *words], code, output.getvalue(), errors.getvalue())


def needs_process(words: Sequence[str]) -> bool:
    """Whether a command starts threads, processes or servers; those about what the tap recorded do not."""
    return bool(OWN_PROCESS & {*words}) and not (words[0] == "tap" and {*words} & RECORDED)


def run_process(
    words: Sequence[Word], given: bytes = b"", cwd: Path | None = None, environment: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[bytes]":
    """Run a command in a process of its own."""
    env = {**os.environ, **(environment or {})}
    return subprocess.run([OVERTURE, *words], input=given, cwd=cwd, env=env, capture_output=True, check=False)


def run_line(line: str, cwd: Path | None = None, **environment: str) -> str:
    """What a line of a shell prints on either stream; where it is `overture` alone, no shell is started."""
    words = shlex.split(line) if line.startswith("overture") and not set(line) & set("|&;<>()$`\\*?[]{}#~!\n") else []
    if words[:1] == ["overture"] and not needs_process(words[1:]):
        both = io.BytesIO()
        run_here(words[1:], io.BytesIO(), both, both, cwd, environment)
        return both.getvalue().decode()
    env = {**os.environ, **environment}
    env["PATH"] = os.pathsep.join((str(OVERTURE.parent), env["PATH"]))
    pipe, both_streams = subprocess.PIPE, subprocess.STDOUT
    done = subprocess.run(
        ["bash", "-c", line], cwd=cwd, env=env, stdout=pipe, stderr=both_streams, timeout=60, check=False
    )
    return done.stdout.decode()


def run_here(
    words: Sequence[str],
    given: io.BufferedIOBase,
    output: io.BytesIO,
    errors: io.BytesIO,
    cwd: Path | None,
    environment: Mapping[str, str],
) -> int:
    """Run a command in this process, with these as its standard streams; its exit code."""
    streams: dict[str, Any] = {
        "stdin": io.TextIOWrapper(given, "utf-8"),
        "stdout": io.TextIOWrapper(output, "utf-8"),
        "stderr": io.TextIOWrapper(errors, "utf-8", errors="backslashreplace"),
    }
    with patch.multiple(sys, **streams, argv=["overture", *words]), _place(cwd, environment), _own_modules():
        try:
            _program()()
            code: object = 0
        except SystemExit as end:
            code = end.code
        except BaseException:
            traceback.print_exc()
            code = 1
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    for stream in streams.values():
        stream.detach()
    return code if isinstance(code, int) else int(code is not None)


def run_between(words: Sequence[Word], streams: Sequence[int], cwd: Path | None, environment: Mapping[str, str]) -> int:
    """Run a command in a process of its own, with these as its standard streams; its exit code."""
    env = {**os.environ, **environment}
    stdin, stdout, stderr = streams
    return subprocess.run(
        [OVERTURE, *words], cwd=cwd, env=env, check=False, stdin=stdin, stdout=stdout, stderr=stderr
    ).returncode


@cache
def _program() -> Any:
    """What the console script `overture` calls."""
    return next(each for each in entry_points(group="console_scripts") if each.name == "overture").load()


@contextmanager
def _place(cwd: Path | None, environment: Mapping[str, str]) -> Iterator[None]:
    """The folder and the variables of the command."""
    before = os.getcwd() if cwd is not None else None
    with patch.dict(os.environ, environment):
        try:
            if cwd is not None:
                os.chdir(cwd)
            yield
        finally:
            if before is not None:
                os.chdir(before)


@contextmanager
def _own_modules() -> Iterator[None]:
    """What the command imports of a project's code, it takes along at its end."""
    path, known = [*sys.path], {*sys.modules}
    try:
        yield
    finally:
        sys.path[:] = path
        for name in {*sys.modules} - known:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and not file.startswith((sys.prefix, sys.base_prefix, str(SOURCE))):
                del sys.modules[name]

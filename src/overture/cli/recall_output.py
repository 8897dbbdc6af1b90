"""Prints a command's stored output again if all that it read from the machine is unchanged."""

import marshal
import os
import sys
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from ..discover.disk.real_world import RealWorld
from ..discover.stored.code_stamps import stamp_code, stamp_tokenizers
from ..discover.stored.recorded_questions import Question, QuestionRecord, RecordedVariables, record_into
from ..discover.stored.signed_result_store import KeyedStore, current_store, use_store

KIND = "output"
DONE = (0, 1)
"""Exit codes of commands that came to their end."""


def run_or_recall(words: Sequence[str], run: Callable[[], int]) -> tuple[int, bool]:
    """The exit code of a command, after it has run, or after its earlier output was printed again.

    Beside it, whether the command is known to have done nothing but read and print.
    """
    with use_store(os.environ):
        store = current_store()
        return (run(), False) if store is None else _run_with(store, words, run)


def _run_with(store: KeyedStore, words: Sequence[str], run: Callable[[], int]) -> tuple[int, bool]:
    """Print the stored output of a command, or run it and store its output."""
    key = store.make_key(KIND, stamp_code(), stamp_tokenizers(), _describe_call(words))
    if (known := store.get(key)) is not None and (code := _print_again(known)) is not None:
        return code, True
    recording = QuestionRecord()
    with record_into(recording):
        code = run()
    if recording.repeatable and code in DONE:
        value = ([*recording.questions], recording.digest, recording.printed, code)
        store.put(key, zlib.compress(marshal.dumps(value), 1))
    return code, recording.repeatable


def _describe_call(words: Sequence[str]) -> bytes:
    """The inputs of the output besides what it reads: the arguments, the folder, and the terminal."""
    streams = [
        (_get_stream_width(each.fileno()) if each.isatty() else 0, each.encoding) for each in (sys.stdout, sys.stderr)
    ]
    form = (os.environ.get("COLUMNS"), os.environ.get("TERM") == "dumb", "NO_COLOR" in os.environ, streams)
    with suppress(OSError):
        return repr((words, os.getcwd(), form)).encode("utf-8", "surrogatepass")
    return b""  # the folder was removed, which is an error of the command


def _get_stream_width(stream: int) -> int:
    """The width of a terminal, on which the stored output depends."""
    with suppress(OSError):
        return os.get_terminal_size(stream).columns
    return 0


def _print_again(known: bytes) -> int | None:
    """Prints it, and returns its exit code; None if something that it read has changed."""
    questions, digest, printed, code = marshal.loads(zlib.decompress(known))
    if ask_again(questions).digest != digest:
        return None
    try:
        for number, data in printed:
            stream = sys.stdout if number == 1 else sys.stderr
            stream.buffer.write(data)
            stream.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as problem:
        from .fail_and_end import fail_to_write

        return fail_to_write(problem)
    result: int = code
    return result


def ask_again(questions: Sequence[Question]) -> QuestionRecord:
    """Ask the machine what the stored output depends on."""
    recording, world = QuestionRecord(), RealWorld()

    def ask_git_again(words: tuple[str, ...], folder: str, top: str | None, compares: bool) -> bytes | None:
        from ..discover.run_git import ask_git

        return ask_git(words, folder, top, compares=compares)

    def ask_for_wanted_again(*words: Any) -> None:
        from ..discover.disk.scan_folders import ask_for_wanted

        ask_for_wanted(*words)

    own: dict[str, Callable[..., Any]] = {
        "folder": recording.ask_stamp,
        "listing": recording.ask_listing,
        "variable": RecordedVariables(recording).get,
        "variables": lambda: [*RecordedVariables(recording)],
        "git": ask_git_again,
        "wanted": ask_for_wanted_again,
    }
    with record_into(recording):
        for name, *about in questions:
            with suppress(OSError):
                (own.get(name) or getattr(world, name))(*about)
    return recording

"""The limits of an agent -> how much of each file it takes."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...model.recipe.wants.wanted_instructions import Limit
from ...model.state.files import TextFile

ANNOUNCED = ("waiting", "model")
"""Files of which the agent is told that they are there, and not what they say."""


class Taken(NamedTuple):
    """How much of a file is told."""

    chars: int
    last_line: int
    """The last line of the file whose words are all told; 0: none."""
    limit: Limit


def taken(
    files: Sequence[TextFile],
    limits: Sequence[Limit],
    changed: Mapping[str, int],
    around: Mapping[str, int] | None = None,
) -> dict[int, Taken]:
    """The files that are cut or dropped, by their place. `changed` are limits that settings change.

    `around` is how many characters stand around a file of a step, for limits that count those too.
    """
    found: dict[int, Taken] = {}
    for limit in limits:
        left = most = changed.get(limit.name, limit.most)
        for index, file in enumerate(files):
            step, _, how = (file.kind or "").partition(":")
            if step not in limit.of or how in ANNOUNCED or limit.then == "refuse":
                continue
            left = most if limit.over == "file" else left
            frame = _frame(limit, (around or {}).get(file.kind or "", 0))
            room = max(left - frame, 0)
            size = _size(file.content, limit)
            if size > room:
                chars = _fitting(file.content, max(room - limit.kept, 0), limit)
                if index not in found or chars < found[index].chars:
                    found[index] = Taken(chars, _last_line(file, chars), limit)
            left = max(left - size - frame, 0)
    return found


def _frame(limit: Limit, around: int) -> int:
    """What counts of a file besides its text."""
    return around if limit.frames is True else int(limit.frames)


def _size(text: str, limit: Limit) -> int:
    return len(text) if limit.unit == "characters" or text.isascii() else len(text.encode())


def _fitting(text: str, room: int, limit: Limit) -> int:
    if limit.unit == "characters" or text.isascii():
        return room
    return len(text.encode()[:room].decode(errors="ignore"))


def _last_line(file: TextFile, chars: int) -> int:
    """The number of the last line whose words are all told, as the file counts."""
    last = 0
    for piece in file.stretches:
        if chars > 0 and piece.path == file.path and (whole := _whole_lines(piece.text, chars)):
            last = piece.line + whole - 1
        chars -= len(piece.text)
    return last


def _whole_lines(text: str, chars: int) -> int:
    """The number, in a text, of the last line with words that a beginning of the text holds whole; 0: none."""
    end = text.find("\n", chars)
    rest = text[chars : len(text) if end < 0 else end]
    head = text[: text.rfind("\n", 0, chars) + 1] if any(map(str.isalnum, rest)) else text[:chars]
    at = next((at for at in range(len(head) - 1, -1, -1) if head[at].isalnum()), None)
    return 0 if at is None else head.count("\n", 0, at) + 1

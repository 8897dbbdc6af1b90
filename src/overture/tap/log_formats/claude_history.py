"""What was said before a line of a transcript of Claude Code, by the lines that follow each other."""

from collections import OrderedDict
from typing import Any, NamedTuple

from ...providers.read.plain_data import Data, a_dict, a_text

HISTORY = ("user", "assistant")
MAX_KNOWN_PATHS = 8
"""Lines whose messages are remembered: as many agents may take turns."""


class HistoryLine(NamedTuple):
    """A line: behind which it stands, what it says, and whose it is."""

    parent: str
    message: Data | None
    owner: str
    """The id of an answer, which may have several lines; else that of the line."""


class MessagePath(NamedTuple):
    """The messages up to a line, and with it."""

    messages: list[Data]
    owner: str
    """Whose the last one is."""


NOTHING = MessagePath([], "")


class EarlierMessages:
    """What was said before, for transcripts that hold no requests.

    A line is looked at once for all answers behind it: the path to a line is that of an earlier one, and some lines.
    """

    def __init__(self) -> None:
        self.lines: dict[str, HistoryLine] = {}
        self._paths: OrderedDict[str, MessagePath] = OrderedDict()
        self._path_starts: set[str] = set()
        """The lines that are not there, behind which known paths begin."""

    def add(self, line: Data) -> None:
        """Remember a line: what it says, and behind which it stands."""
        if id := a_text(line.get("uuid")):
            message = a_dict(line.get("message")) if line.get("type") in HISTORY else {}
            content = {"role": message.get("role"), "content": message.get("content")} if message else None
            found = HistoryLine(a_text(line.get("parentUuid")), content, a_text(message.get("id")) or id)
            if id in self._path_starts or id in self.lines:
                self._forget_paths()
            self.lines[id] = found

    def list_before(self, line: Data) -> list[Data]:
        """The messages before a line; lines of one answer are one message."""
        last = at = a_text(line.get("parentUuid"))
        added: dict[str, HistoryLine] = {}
        while at in self.lines and at not in added and at not in self._paths:
            added[at] = self.lines[at]
            at = added[at].parent
        path = _extend_path(self._paths.get(at, NOTHING), added)
        # A path that ends in a circle is another one from each line of the circle.
        if at not in added:
            self._remember_path(last, path, at)
        return path.messages

    def _remember_path(self, last: str, path: MessagePath, start: str) -> None:
        if start not in self._paths:
            self._path_starts.add(start)
        self._paths[last] = path
        self._paths.move_to_end(last)
        if len(self._paths) > MAX_KNOWN_PATHS:
            self._paths.popitem(last=False)

    def _forget_paths(self) -> None:
        """A resumed session writes lines again, maybe behind others; and a line may come after those behind it."""
        self._paths.clear()
        self._path_starts.clear()


def _extend_path(path: MessagePath, added: dict[str, HistoryLine]) -> MessagePath:
    """A path with more lines, the last of which is the first given."""
    messages, owner = list(path.messages), path.owner
    for line in reversed(added.values()):
        if line.message is None:
            continue
        if messages and line.owner == owner:
            content = [*_wrap_in_list(messages[-1]["content"]), *_wrap_in_list(line.message["content"])]
            messages[-1] = {**messages[-1], "content": content}
        else:
            messages.append(line.message)
        owner = line.owner
    return MessagePath(messages, owner)


def _wrap_in_list(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [content] if content is not None else []

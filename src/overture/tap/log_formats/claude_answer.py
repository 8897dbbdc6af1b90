"""An answer as Claude Code writes it down: a line for each of its blocks, all with the counts of the whole."""

from typing import Any

from ..read.plain_values import Data, a_dict, a_text

HISTORY = ("user", "assistant")


class ClaudeAnswer:
    """The lines of one answer, gathered."""

    def __init__(self, place: str, line: Data) -> None:
        self.place, self.first = place, line
        self.message: Data = {**a_dict(line.get("message")), "content": []}
        self.last = line
        self.add(line)

    def add(self, line: Data) -> None:
        """One more line of it. The counts are those of the last line: earlier ones may be of a beginning."""
        more = a_dict(line.get("message"))
        content = more.get("content")
        blocks: list[Any] = content if isinstance(content, list) else [{"type": "text", "text": content}]
        told = {key: value for key, value in more.items() if value is not None and key != "content"}
        self.message = {**self.message, **told, "content": [*self.message["content"], *blocks]}
        self.last = line

    def goes_on(self, line: Data) -> bool:
        """Whether a line is of this answer, too."""
        other = a_dict(line.get("message"))
        same = line.get("requestId") == self.first.get("requestId")
        return line.get("type") == "assistant" and same and other.get("id") == self.message.get("id") is not None

    @property
    def is_whole(self) -> bool:
        """Whether it is said why it ended."""
        return bool(self.message.get("stop_reason"))

    @property
    def name(self) -> str:
        """What no other answer is called: sessions that are resumed may repeat the lines of earlier ones."""
        asked = a_text(self.first.get("requestId")) or a_text(self.first.get("requestRef"))
        said = a_text(self.message.get("id"))
        if asked and said:
            return f"claude-code {said} {asked}"
        return f"claude-code {said} {a_text(self.first.get('sessionId'))} {a_text(self.first.get('uuid'))}"


class History:
    """What was said before, by the lines that follow each other; for transcripts that hold no requests."""

    def __init__(self) -> None:
        self.lines: dict[str, tuple[str, Data | None, str]] = {}

    def add(self, line: Data) -> None:
        """Remember a line: what it says, and behind which it stands."""
        if id := a_text(line.get("uuid")):
            message = a_dict(line.get("message")) if line.get("type") in HISTORY else {}
            said = {"role": message.get("role"), "content": message.get("content")} if message else None
            self.lines[id] = (a_text(line.get("parentUuid")), said, a_text(message.get("id")) or id)

    def before(self, line: Data) -> list[Data]:
        """The messages before a line; lines of one answer are one message."""
        told: list[tuple[Data, str]] = []
        at, seen = a_text(line.get("parentUuid")), set()
        while at in self.lines and at not in seen:
            seen.add(at)
            above, said, owner = self.lines[at]
            if said is not None:
                told.append((said, owner))
            at = above
        messages: list[Data] = []
        last = ""
        for said, owner in reversed(told):
            if messages and owner == last:
                messages[-1] = {**messages[-1], "content": [*_list(messages[-1]["content"]), *_list(said["content"])]}
            else:
                messages.append(said)
            last = owner
        return messages


def _list(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [content] if content is not None else []

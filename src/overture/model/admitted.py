"""Text that may stand in a prompt, in a message of ours or in a request's tools: only the gate makes it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, NewType

if TYPE_CHECKING:
    Admitted = NewType("Admitted", str)
else:  # calling a NewType costs more than all else that is done to most texts
    Admitted = str
"""Text that came through assemble/gate. No other text passes for one: mypy refuses it, and a test holds that only the
gate and this file make any."""

LINE_END = Admitted("\n")


def sent_before(text: str) -> Admitted:
    """What a saved prompt says that was sent: it came through the gate then, and is shown as it was."""
    return Admitted(text)


def joined(texts: Iterable[Admitted]) -> Admitted:
    """Admitted texts side by side."""
    return Admitted("".join(texts))


def between(text: Admitted, start: int, end: int | None = None) -> Admitted:
    """A stretch of an admitted text."""
    return Admitted(text[start:end])


class AdmittedTool(NamedTuple):
    """What a request says of a tool: every text in it came through the gate."""

    name: Admitted
    description: Admitted | None
    parameters: dict[str, Any] | None
    signature: str | None = None
    """Of a tool without a schema; it has a grammar of its own."""
    strict: bool | None = None

"""What the contract asks of a framework: run an agent on a script, and tell what its model was sent."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from overture import Session


class Step(NamedTuple):
    """What the fake model answers: a text, or calls of tools by name and arguments."""

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    usage: tuple[int, int, int, int] = (100, 10, 40, 20)
    """Tokens of the whole input, of the output, read from the cache and written to it."""


class SeenTool(NamedTuple):
    """A tool as the model was offered it."""

    name: str
    description: str
    schema: dict[str, Any]


class SeenMessage(NamedTuple):
    """A message as the model was sent it: user, assistant or tool."""

    role: str
    text: str


class SeenRequest(NamedTuple):
    """One request, as the framework's own model class got it."""

    system: str
    messages: tuple[SeenMessage, ...]
    tools: tuple[SeenTool, ...]

    @property
    def text(self) -> str:
        """All messages in one text."""
        return "\n".join(message.text for message in self.messages)


class Run(NamedTuple):
    """What came of a run."""

    requests: tuple[SeenRequest, ...]
    answer: str
    history: Any = None
    """What the next run goes on with."""


class Framework(Protocol):
    """A module of `frameworks`."""

    MODEL: str
    """The model that the fake one says it is."""
    KEEPS_INSTRUCTIONS: bool
    """Whether an agent of the framework has instructions of its own beside the session's."""
    CANNOT: Mapping[str, str]
    """Tests of the contract that the framework's seams do not allow, with the reasons; a module may have none."""

    def run(
        self,
        session: Session,
        user: str,
        steps: Sequence[Step],
        tools: Sequence[Callable[..., Any]] = (),
        *,
        instructions: str = "",
        history: Any = None,
        stream: bool = False,
    ) -> Run:
        """Run an agent that is connected to the session, with the framework's fake model."""

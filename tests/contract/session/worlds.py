"""A small project in memory, and sessions on it."""

from typing import Any

from overture import Session
from overture.testing import FakeWorld

SKILL = "---\nname: {0}\ndescription: Does {0}.\n---\nHow to do {0}.\n"
FILES = {
    "/p/AGENTS.md": "Use tabs.",
    "/p/.agents/skills/tides/SKILL.md": SKILL.format("tides"),
    "/p/.agents/skills/berths/SKILL.md": SKILL.format("berths"),
}


def project(**more: str) -> FakeWorld:
    """The project; further files by name below /p."""
    return FakeWorld({**FILES, **{f"/p/{name}": text for name, text in more.items()}})


def session(recipe: Any = "opal", world: FakeWorld | None = None, **options: Any) -> Session:
    """A session on the project."""
    return Session(recipe, world=world or project(), **options)


def load(live: Session, name: str) -> str:
    """Let the model load a skill with its tool; what it is told as the result."""
    live.assistant("", [{"id": f"load-{len(live.messages)}", "name": "use_skill", "arguments": {"name": name}}])
    assert live.answer(live.messages[-1].calls[0])
    return next(message.text for message in reversed(live.messages) if message.kind == "result")


def texts(live: Session) -> list[str]:
    """The texts of all messages."""
    return [message.text for message in live.messages]

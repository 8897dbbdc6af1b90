"""Saved sessions on disk, for the commands that take one."""

from pathlib import Path
from typing import Any

from overture import Change, Session
from overture.testing import FakeWorld

SKILL = "---\nname: tides\ndescription: Reads the tide table.\n---\nLook at the table.\n"
FILES = {
    "/p/AGENTS.md": "Use tabs.",
    "/p/sub/AGENTS.md": "Sub rules.",
    "/p/.agents/skills/tides/SKILL.md": SKILL,
}


def world(**files: str) -> FakeWorld:
    """A project in memory: none of it is on the disk that a command sees."""
    return FakeWorld({**FILES, **{f"/p/{name}": text for name, text in files.items()}})


def talked(recipe: Any = "house", *, place: FakeWorld | None = None, **options: Any) -> Session:
    """A session in the middle of its work: a skill loaded, a nested file met, a result, a hook's edit."""
    live = Session(recipe, world=place or world(), state={"session": {"id": "s1"}}, **options)
    live.hook("before_agent_start", lambda _: Change.append("Hooked."), name="h")
    live.turn("Mend the crane.")
    live.framework.use_skill("tides")
    live.assistant("I look.", [{"id": "1", "name": "read", "arguments": {"path": "/p/sub/crane.py"}}])
    live.result("1", "crane = None\n")
    live.turn()
    live.assistant("It is mended.")
    return live


def saved(path: Path, recipe: Any = "house", **options: Any) -> tuple[Path, str]:
    """A session in a file, and the system prompt of its last turn."""
    live = talked(recipe, **options)
    text = live.turn().prompt.text
    live.save(path)
    return path, text

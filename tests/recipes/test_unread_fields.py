"""A field that is given and that the recipe never reads is reported, with the recipes that would."""

from typing import Any

import pytest

import overture
from overture import Session
from overture.recipes import BUILTIN, builtin
from overture.testing import FakeWorld

GIVEN: dict[str, Any] = {
    "agent": {"name": "Ada"},
    "user": {"name": "Ada"},
    "overrides": {"append": "Be brief."},
    "context_files": [{"path": "/p/AGENTS.md", "content": "Use tabs."}],
    "workspace_files": [{"name": "TOOLS.md", "path": "/p/TOOLS.md", "content": "Use tabs."}],
    "skills": [{"name": "tides", "description": "Does tides.", "location": "/p/SKILL.md"}],
    "channel": "telegram",
    "memories": ["Ada prefers tabs"],
    "task": {"id": "1", "title": "Go"},
    "background": True,
    "mission": {"prompt": "Go."},
    "git": {"root": "/p", "branch": "main"},
}
SILENT: dict[str, Any] = {
    "tools": [{"name": "read"}], "native_tools": False, "runtime": {"cwd": "/p"}, "now": "2026-01-01T12:00:00Z",
    "session": {"id": "s"}, "extra": {"x": 1}, "audience": "public", "secrets": "show",
}  # fmt: skip


def unread(notes: Any) -> dict[str, str]:
    """What is said of each field that is not read."""
    return {note.field: note.message for note in notes if note.code == "field-unread"}


@pytest.mark.parametrize("recipe", BUILTIN)
def test_every_field_is_read_or_reported(recipe: str) -> None:
    """Each field of the State is read by a section, used elsewhere, or named with the recipes that read it."""
    read = {field for section in builtin(recipe).sections for field in section.reads}
    said = unread(overture.build(recipe, {**GIVEN, **SILENT}).diagnostics)
    assert {path for path in said if "." not in path} == GIVEN.keys() - read
    assert said.get("memories", "nova, house").endswith("nova, house")
    for field in GIVEN.keys() & read:
        assert field not in unread(overture.build(recipe, {field: GIVEN[field]}).diagnostics)


def test_a_session_reports_what_is_given_and_what_comes_later() -> None:
    """Session(state=…) and session.update: the prompt says so as long as the field is given."""
    live = Session("opal", world=FakeWorld(), state={"memories": ["tabs"]})
    assert list(unread(live.turn("Go").prompt.diagnostics)) == ["memories"]
    live.update(task={"id": "1", "title": "Go"})
    assert list(unread(live.prompt.diagnostics)) == ["memories", "task"]
    live.update(memories=[])
    assert list(unread(live.turn("On").prompt.diagnostics)) == ["task"]

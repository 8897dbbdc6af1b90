"""A field that is given and that the recipe never reads is reported, with the recipes that would."""

import json
from pathlib import Path
from typing import Any

import pytest

import overture
from overture import Session
from overture.recipes import BUILTIN, builtin
from overture.testing import FakeWorld
from tests.contract.cli.run import run

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


def test_an_agent_of_somebody_elses_reads_the_files_of_its_own_steps() -> None:
    """Project files that are given to codex are not in its prompt, and that is said; its own are not reported."""
    said = unread(overture.build("codex", {"context_files": GIVEN["context_files"]}).diagnostics)
    assert said["context_files"].endswith("opal, pi, moltis, house")
    found = overture.discover("codex", world=FakeWorld({"/p/AGENTS.md": "Use tabs."}))
    assert found.state.context_files
    assert unread(overture.build("codex", found.state).diagnostics) == {}


def test_what_discovery_filled_is_not_reported() -> None:
    """A state that was discovered holds what the recipe wants, and memories that another found are nobody's gift."""
    world = FakeWorld({"/p/memories.json": '["tabs"]', "/p/AGENTS.md": "Use tabs."})
    for recipe in BUILTIN:
        found = overture.discover(recipe, world=world)
        assert unread(overture.build(recipe, found.state).diagnostics) == {}
        assert unread(Session(recipe, world=world).prompt.diagnostics) == {}
    nova = overture.discover("nova", world=world)
    assert unread(overture.build("opal", nova.state).diagnostics) == {}


def test_an_empty_field_is_not_reported() -> None:
    """Who gives no memories misses none."""
    assert unread(overture.build("opal", {"memories": [], "background": False}).diagnostics) == {}


def test_a_session_reports_what_is_given_and_what_comes_later() -> None:
    """Session(state=…) and session.update: the prompt says so as long as the field is given."""
    live = Session("opal", world=FakeWorld(), state={"memories": ["tabs"]})
    assert list(unread(live.turn("Go").prompt.diagnostics)) == ["memories"]
    live.update(task={"id": "1", "title": "Go"})
    assert list(unread(live.prompt.diagnostics)) == ["memories", "task"]
    live.update(memories=[])
    assert list(unread(live.turn("On").prompt.diagnostics)) == ["task"]


@pytest.mark.parametrize("more", [(), ("--no-discover",)])
@pytest.mark.parametrize("how", ["state", "set"])
def test_the_command_line_reports_it(how: str, more: tuple[str, ...], tmp_path: Path) -> None:
    """--state and --set name the field in one line on standard error; the prompt is printed all the same."""
    (tmp_path / "s.json").write_text(json.dumps({"memories": ["tabs"], "runtime": {"cwd": "/p"}}))
    given = {"state": ["--state", str(tmp_path / "s.json")], "set": ["--set", 'memories=["tabs"]']}[how]
    done = run("build", "opal", "--cwd", tmp_path, "--root", tmp_path, *given, *more)
    assert done.returncode == 0
    lines = [line for line in done.stderr.splitlines() if "memories" in line]
    assert len(lines) == 1 and lines[0].startswith("warning: ") and lines[0].endswith("nova, house")

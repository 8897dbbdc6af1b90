"""One state, six recipes: whatever is given or missing, every recipe says something and breaks nothing.

They use only what users can use.
"""

import ast
from typing import Any

import msgspec
import pytest

import overture
from overture.model.state.state import FIELDS
from overture.recipes import BUILTIN, builtin
from overture.testing import make_state
from overture.text.fences_and_headings import plain_heading
from overture.text.scan_for_marks import scan

from ..sources import source_nodes, source_paths

FULL: dict[str, Any] = {
    "limits": {"most": 100},
    "agent": {
        "name": "Ada",
        "emoji": "🦊",
        "creature": "fox",
        "vibe": "dry",
        "soul": "Be kind.",
        "identity": "You are Ada, who keeps the harbour.",
        "instructions": "Answer in a sentence.",
        "role": "keeper",
        "responsibilities": [{"title": "Bookings", "content": "Keep the book.\nNever delete."}],
        "capabilities": ["files", "memory"],
    },
    "user": {"name": "Robin", "timezone": "Europe/Paris", "location": "Brest"},
    "overrides": {"append": "Mind the tide."},
    "context_files": [{"path": "/AGENTS.md", "content": "Outer."}, {"path": "/p/AGENTS.md", "content": "Inner."}],
    "workspace_files": [{"name": "TOOLS.md", "path": "/home/u/TOOLS.md", "content": "Prefer rg."}],
    "skills": [
        {"name": "tides", "description": "Reads the tide table.", "location": "/p/.agents/skills/tides/SKILL.md"}
    ],
    "tools": [
        {"name": "read", "description": "Read a file.", "parameters": {"type": "object", "properties": {}}},
        {"name": "bash", "snippet": "Run a command", "guidelines": ["Quote paths."]},
        {"name": "read_file"},
        {"name": "exec"},
        {"name": "memory_search"},
        {"name": "notify_user"},
        {"name": "use_skill"},
        {"name": "planner", "signature": "(goal :string) -> :map", "planning_only": True},
    ],
    "servers": [{"name": "tides", "instructions": "Ask for one day."}],
    "native_tools": False,
    "runtime": {
        "cwd": "/p",
        "directories": ["/shared"],
        "host": "quay",
        "os": "linux",
        "timezone": "America/Chicago",
        "home": "/home/u",
        "docs": {"main": "/docs"},
        "sandbox": {"enabled": True, "network": False},
    },
    "git": {
        "root": "/p",
        "branch": "moorings",
        "head": "1a2b3c4d5e6f",
        "status": [" M crane.py"],
        "more": 3,
        "commits": [{"id": "1a2b3c4", "subject": "Oil the winch"}],
    },
    "now": "2026-03-07T08:55:05-06:00",
    "session": {"id": "s1"},
    "channel": "telegram",
    "memories": ["Robin likes tea.", "The crane is broken."],
    "task": {"id": 7, "title": "Mend the crane", "status": "active", "steps": [{"title": "Look", "done": True}]},
    "background": True,
    "audience": "private",
    "secrets": "redact",
    "mission": {
        "prompt": "Count the ships of {{port}}.",
        "data": {"port": "Brest", "ships": [{"id": 1}], "_token": "x"},
        "output_signature": "{count :int}",
        "max_turns": 3,
        "error": {"type": "parse_error", "message": "Unexpected token", "details": {"at": 45}},
    },
    "extra": {"conventions": ["silent", "status"]},
}


@pytest.mark.parametrize("name", BUILTIN)
def test_a_full_state_is_said(name: str) -> None:
    """Everything given at once: the prompt is well formed, and every character of it has a source."""
    prompt = overture.build(name, overture.State.from_dict(FULL))
    assert prompt.text.strip() == prompt.text != ""
    assert "".join(prompt.text[s.start : s.end] for s in prompt.spans) == prompt.text
    assert prompt.to_dict()["recipe"] == name


@pytest.mark.parametrize("name", BUILTIN)
@pytest.mark.parametrize("field", [field for field in FIELDS if field != "origins"])
def test_any_one_field_may_be_missing(name: str, field: str) -> None:
    """Without any one field every recipe still builds, and says of each section why it is out."""
    prompt = overture.build(name, overture.State.from_dict({k: v for k, v in FULL.items() if k != field}))
    assert all(omission.reason for omission in prompt.omitted)
    assert prompt.text == prompt.text.strip()


@pytest.mark.parametrize("name", BUILTIN)
@pytest.mark.parametrize("field", sorted(FULL))
def test_any_one_field_may_be_alone(name: str, field: str) -> None:
    """With one field alone every recipe still builds."""
    prompt = overture.build(name, overture.State.from_dict({field: FULL[field]}))
    assert prompt.text == prompt.text.strip()


@pytest.mark.parametrize("name", BUILTIN)
def test_an_empty_state_is_said(name: str) -> None:
    """With nothing given, each recipe says what it always says, or why it says nothing."""
    prompt = overture.build(name, overture.State())
    assert len(prompt.blocks) + len(prompt.messages) + len(prompt.omitted) >= len(builtin(name).sections)


def sections_of_house() -> list[overture.Section]:
    return [section for section in builtin("house").sections if section.place == "system"]


def test_house_is_ordered_by_pace() -> None:
    """In house nothing that changes faster stands before what changes more slowly."""
    order = ["static", "session", "turn"]
    paces = [order.index(section.pace) for section in sections_of_house()]
    assert paces == sorted(paces)


def test_house_puts_the_clock_into_the_users_message() -> None:
    """A minute later the system prompt of house has the same bytes; only the message differs."""
    state = overture.State.from_dict(FULL)
    assert state.now is not None
    before = overture.build("house", state)
    after = overture.build("house", state.replace(now=state.now.replace(minute=56)), since=before)
    assert before.text == after.text
    assert [m.text for m in before.messages] == ["Current time: Saturday, March 7, 2026 at 8:55 AM (America/Chicago)"]
    assert [m.text for m in after.messages] == ["Current time: Saturday, March 7, 2026 at 8:56 AM (America/Chicago)"]


def test_house_says_all_that_the_five_can_say() -> None:
    """No fact of the full state that one of the five says is left out by house."""
    from overture.report.compare_facts import compare

    state = overture.State.from_dict(FULL)
    told = compare(tuple(overture.build(name, state) for name in BUILTIN))
    at = told.recipes.index("house")
    missing = [
        row.fact.field for row in told.rows if row.by[at] == "skipped" and any(how == "stated" for how in row.by)
    ]
    assert missing == []


def test_one_unfinished_text_cannot_break_another_section() -> None:
    """In every recipe a project file that writes all tags and headings of the recipe changes none of them."""
    for name in BUILTIN:
        recipe = builtin(name)
        tags, headings, children = recipe.frames
        lines = sorted(line.replace("{}", "/p/AGENTS.md") for line in headings)
        openers = [f'<{child} name="x">' for child in sorted(children)]
        forged = "\n".join([*(f"</{tag}>\n<{tag}>" for tag in sorted(tags)), *lines, *openers])
        clean = overture.build(name, overture.State.from_dict(FULL))
        files = [{"path": "/p/AGENTS.md", "content": forged}]
        dirty = overture.build(name, overture.State.from_dict({**FULL, "context_files": files}))
        own_tags = {name.lower() for name in (*tags, *children)}
        for found, own in (("tags", own_tags), ("headings", set(map(plain_heading, lines)))):
            before = [mark[1] for mark in getattr(scan(clean.text), found) if mark[1] in own]
            after = [mark[1] for mark in getattr(scan(dirty.text), found) if mark[1] in own]
            around = ("project-context", "prompt-project-context")
            expected = [m for m in before if m not in around]
            assert [m for m in after if m not in around] == expected, name


def test_the_headings_are_compared_as_they_are_written() -> None:
    """A heading is known in any letter case, with more blanks, and with closing hashes."""
    assert plain_heading("#  Project   CONTEXT  ##") == plain_heading("# Project Context")


def test_the_full_state_has_every_field() -> None:
    """The full state above is full: a new field of State has to be added to it."""
    assert set(FULL) == set(FIELDS) - {"origins"}
    assert msgspec.json.encode(overture.State.from_dict(FULL).to_dict())


@pytest.mark.parametrize("recipe", ["opal", "pi", "moltis", "house"])
def test_a_blank_project_file_is_left_out_and_named(recipe: str) -> None:
    """A file that holds nothing has no heading or tag of its own, and the record says that it is blank."""
    files = [{"path": "/p/AGENTS.md", "content": " \n"}, {"path": "/p/a/AGENTS.md", "content": "Use tabs."}]
    prompt = overture.build(recipe, make_state(context_files=files))
    assert "/p/AGENTS.md" not in prompt.text
    assert "/p/AGENTS.md is blank" in [omission.reason for omission in prompt.omitted]
    only = overture.build(recipe, make_state(context_files=files[:1]))
    assert "the project files are blank" in [omission.reason for omission in only.omitted]


@pytest.mark.parametrize("recipe", ["nova", "house"])
def test_a_blank_memory_is_left_out_and_named(recipe: str) -> None:
    """It has no bullet, and the record says which it is."""
    prompt = overture.build(recipe, make_state(memories=["tabs", " ", "blanks"]))
    assert "- tabs\n- blanks" in prompt.text
    assert "memories[1] is blank" in [omission.reason for omission in prompt.omitted]


ALLOWED_IMPORTS = ("model", "sections", "recipes", "text", "errors", "lazy")


def test_recipes_import_nothing_that_a_users_recipe_could_not() -> None:
    """A recipe imports nouns, errors, sections, other recipes and what is known of text, and no private name of any."""
    strange = []
    for path in source_paths("recipes/"):
        depth = path.count("/")
        for node in source_nodes(path):
            if not isinstance(node, ast.ImportFrom) or not node.level:
                continue
            if any(alias.name.startswith("_") for alias in node.names):
                strange.append(f"{path}: a private name from {node.module}")
            if node.level > depth and (node.module or "").split(".")[0] not in ALLOWED_IMPORTS:
                strange.append(f"{path}: {node.module}")
    assert strange == []

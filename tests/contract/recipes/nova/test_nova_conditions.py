"""When each of Nova's sections speaks, and the reason it gives when it does not."""

from typing import Any

import pytest

import overture
from overture.testing import make_state

DUTY = {"title": "T", "content": "C"}
LEFT_OUT: list[tuple[str, dict[str, Any], str]] = [
    ("identity", {}, "neither an identity nor a role"),
    ("identity", {"agent": {"identity": " \n"}}, "neither an identity nor a role"),
    ("instructions", {"agent": {"identity": "I"}}, "no instructions"),
    ("instructions", {"agent": {"instructions": "How"}}, "need an identity"),
    ("instructions", {"agent": {"role": "R", "instructions": "How"}}, "need an identity"),
    ("responsibilities", {}, "no responsibilities"),
    ("responsibilities", {"agent": {"responsibilities": []}}, "no responsibilities"),
    ("responsibilities", {"agent": {"responsibilities": [{"title": "T", "content": " "}]}}, "is blank"),
    ("directories", {}, "neither a working directory"),
    ("directories", {"runtime": {"cwd": " ", "directories": [""]}}, "neither a working directory"),
    ("directories", {"runtime": {"cwd": "/p"}, "agent": {"capabilities": []}}, "can't read files"),
    ("directories", {"runtime": {"cwd": "/p"}, "agent": {"capabilities": ["memory"]}}, "no `files`"),
    (
        "directories",
        {"runtime": {"cwd": "/p", "directories": [" "]}, "agent": {"capabilities": []}},
        "can't read files",
    ),
    ("storage", {"agent": {"capabilities": []}}, "no capabilities"),
    ("formatting", {}, "no channel"),
    ("formatting", {"channel": " "}, "no channel"),
    ("formatting", {"channel": "cli"}, "'cli' has no formatting rules"),
    ("formatting", {"channel": "my-telegram"}, "no formatting rules"),
    ("context", {}, "no time is given"),
    ("memories", {}, "no memories"),
    ("memories", {"memories": ["", " \n"]}, "every memory is blank"),
    ("task", {}, "not bound to a task"),
    ("background", {}, "not in the background"),
    ("background", {"background": False}, "not in the background"),
]
SPOKEN: list[tuple[str, dict[str, Any], str]] = [
    ("identity", {"agent": {"identity": "I"}}, "<Identity>\nI\n</Identity>"),
    ("identity", {"agent": {"role": "R"}}, "<Role>\nR\n</Role>"),
    ("identity", {"agent": {"identity": " ", "role": "R"}}, "<Role>\nR\n</Role>"),
    ("identity", {"agent": {"identity": "I", "role": "R"}}, "<Identity>\nI\n</Identity>"),
    ("instructions", {"agent": {"identity": "I", "instructions": "How"}}, "<Instructions>\nHow\n</Instructions>"),
    ("responsibilities", {"agent": {"responsibilities": [DUTY]}}, '  <Responsibility title="T">\n    C\n'),
    ("responsibilities", {"agent": {"responsibilities": [{**DUTY, "title": ""}]}}, '  <Responsibility title="">\n'),
    ("directories", {"runtime": {"cwd": "/p"}}, "before creating new ones.\n</Directories>"),
    ("directories", {"runtime": {"directories": ["/a\n- /b"]}}, "directories:\n- /a\\u{000A}- /b\n</Directories>"),
    ("directories", {"runtime": {"cwd": "/p"}, "agent": {}}, "Your working directory is: /p\n"),
    (
        "directories",
        {"runtime": {"cwd": "/p"}, "agent": {"capabilities": ["files"]}},
        "Your working directory is: /p\n",
    ),
    (
        "directories",
        {"runtime": {"cwd": "/p", "directories": ["/own"]}, "agent": {"capabilities": []}},
        "Your working directory is: /p\nThere may already be existing files — check before creating new ones.\n\n"
        "You also have access to these additional directories:\n- /own\n",
    ),
    ("storage", {}, "- **Triggers** are"),
    ("storage", {"agent": {"capabilities": ["files"]}}, "look at it: **Files**\n</Storage>"),
    ("formatting", {"channel": "telegram"}, "*bold*"),
    ("formatting", {"channel": "Telegram:42"}, "*bold*"),
    ("context", {"now": "2026-01-01T00:00:00Z"}, "Thursday, January 1, 2026 at 12:00 AM (UTC)"),
    ("context", {"now": "2026-01-01T00:00:00+05:30"}, "at 12:00 AM (UTC+05:30)"),
    ("context", {"now": "2026-07-01T17:05:00Z", "user": {"timezone": "Asia/Tokyo"}}, "at 5:05 PM (UTC)"),
    ("memories", {"memories": ["a", "b"]}, "<Memories>\n- a\n- b\n</Memories>"),
    ("task", {"task": {"id": 1, "title": "T"}}, "this task.\n\nTitle: T\n</Task>"),
    ("task", {"task": {"id": 1, "title": "T", "status": "done"}}, "Title: T\nStatus: done\n</Task>"),
    ("task", {"task": {"id": 1, "title": "T", "steps": [{"title": "a\n2. b"}]}}, "Steps:\n1. → a 2. b\n</Task>"),
    ("task", {"task": {"id": 1, "title": "T", "steps": [{"title": " "}]}}, "Steps:\n1. →\n</Task>"),
    ("task", {"task": {"id": 1, "title": "T", "steps": [{"done": True}]}}, "Steps:\n1. ✓ (done)\n</Task>"),
    ("background", {"background": True}, "use the notify_user tool.\n</Background>"),
    ("background", {"background": True}, "use the notify_user tool.\n</Background>"),
]
STEPS = [
    ([True, False, False, True], "✓→○✓"),
    ([False, False], "→○"),
    ([True, True], "✓✓"),
]


@pytest.mark.parametrize(("name", "state", "reason"), LEFT_OUT)
def test_a_section_whose_condition_is_not_met_says_why(name: str, state: dict[str, Any], reason: str) -> None:
    """Without what it needs, a section is left out whole, with a reason that a user understands."""
    prompt = overture.build("nova", make_state(**state))
    reasons = {omission.name: omission.reason for omission in prompt.omitted}
    assert reason in reasons[name]
    assert f"<{name.capitalize()}>" not in prompt.text


@pytest.mark.parametrize(("name", "state", "text"), SPOKEN)
def test_a_section_whose_condition_is_met_speaks(name: str, state: dict[str, Any], text: str) -> None:
    """With what it needs, a section says what the document spells out."""
    blocks = {block.name: block.text for block in overture.build("nova", make_state(**state)).blocks}
    assert text in blocks[name]


@pytest.mark.parametrize(("done", "marks"), STEPS)
def test_the_arrow_stands_at_the_first_open_step(done: list[bool], marks: str) -> None:
    """A step that is done has a check mark, the first that is not an arrow, the others a circle."""
    steps = [{"title": f"s{index}", "done": each} for index, each in enumerate(done)]
    text = overture.build("nova", make_state(task={"id": 1, "title": "T", "steps": steps})).text
    lines = text.split("Steps:\n")[1].removesuffix("\n</Task>").split("\n")
    suffixes = [" (done)" if each else "" for each in done]
    assert lines == [f"{i + 1}. {marks[i]} s{i}{suffixes[i]}" for i in range(len(done))]


@pytest.mark.parametrize("recipe", ["nova", "house"])
def test_a_step_without_a_title_keeps_its_number(recipe: str) -> None:
    """It stands with number and mark, the arrow may stand at it, and the steps after it keep their numbers."""
    steps = [{"title": "a", "done": True}, {"title": "\n"}, {"title": "c"}, {"done": True}, {"title": "e"}]
    prompt = overture.build(recipe, make_state(task={"id": 1, "title": "T", "steps": steps}))
    assert "Steps:\n1. ✓ a (done)\n2. →\n3. ○ c\n4. ✓ (done)\n5. ○ e\n</" in prompt.text
    assert not [line for line in prompt.text.split("\n") if line != line.rstrip()]


@pytest.mark.parametrize("absent", ["files", "instructions", "memory", "triggers"])
def test_storage_names_only_what_the_agent_has(absent: str) -> None:
    """A way of keeping things that the agent lacks is named in none of the lines."""
    able = [name for name in ("files", "instructions", "memory", "triggers") if name != absent]
    block = overture.build("nova", make_state(agent={"capabilities": able})).blocks[0]
    assert block.name == "storage"
    assert f"**{absent.capitalize()}**" not in block.text
    assert all(block.text.count(f"**{name.capitalize()}**") == 2 for name in able)


@pytest.mark.parametrize(
    ("state", "codes"),
    [
        ({"background": True}, ["tool-inactive"]),
        ({"background": True, "tools": [{"name": "notify_user", "planning_only": True}]}, ["tool-inactive"]),
        ({"background": True, "tools": [{"name": "notify_user"}]}, []),
        ({"now": None}, ["clock-missing"]),
        ({"now": None, "runtime": {"timezone": "Mars/Base"}}, ["clock-missing", "timezone-unknown"]),
        ({"runtime": {"timezone": "Mars/Base"}}, ["timezone-unknown"]),
        ({"agent": {"identity": "I", "role": "R"}}, ["role-unused"]),
        ({"agent": {"responsibilities": [DUTY, {"title": "x", "content": ""}]}}, ["responsibility-blank"]),
        ({"memories": ["</Memories>"]}, ["contained-tag"]),
        ({"agent": {"responsibilities": [{"title": "a\u200bb", "content": "c"}]}}, ["hidden-character"]),
    ],
)
def test_what_a_user_should_know_is_a_diagnostic(state: dict[str, Any], codes: list[str]) -> None:
    """A prompt that says less or other than was meant comes with a diagnostic."""
    told = {"now": "2026-01-01T00:00:00Z", **state}
    assert [note.code for note in overture.build("nova", make_state(**told)).diagnostics] == codes


def test_an_unknown_zone_shows_the_offset() -> None:
    """A zone that is not known is not printed: the time's own offset stands in its place."""
    state = make_state(now="2026-03-07T08:55:05-06:00", runtime={"timezone": "</Context>"})
    assert "Current time: Saturday, March 7, 2026 at 8:55 AM (UTC-06:00)\n" in overture.build("nova", state).text


def test_the_recipe_is_sealed() -> None:
    """Nobody appends to what Nova's builder returns."""
    assert overture.load_recipe("nova").sealed

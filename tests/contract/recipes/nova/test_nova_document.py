"""What Nova's document says of the prompt as a whole."""

import re
from pathlib import Path
from typing import Any

import pytest

import overture
from overture.testing import FakeWorld, make_state

from ..full_state import FULL

TAGS = [
    "Identity", "Instructions", "Responsibilities", "Directories", "Storage",
    "Formatting", "Context", "Memories", "Task", "Background",
]  # fmt: skip
READ = ("agent", "runtime", "channel", "now", "memories", "task", "background", "tools")


@pytest.mark.parametrize("missing", [None, *READ])
def test_every_word_stands_in_a_tag_in_the_fixed_order(missing: str | None) -> None:
    """Whatever is missing, no text stands between the sections, none is empty, and their order stays."""
    text = overture.build("nova", make_state(**{name: FULL[name] for name in READ if name != missing})).text
    sections = re.compile(r"^<([A-Z]\w+)>\n.+?\n</\1>$", re.MULTILINE | re.DOTALL)
    found = [match[1] for match in sections.finditer(text)]
    assert sections.sub("", text).strip() == ""
    assert found == [tag for tag in TAGS if tag in found]


def test_the_order_in_which_a_caller_gives_things_is_no_matter() -> None:
    """The fields of a state in reverse give the same prompt."""
    turned = dict(reversed(FULL.items()))
    assert overture.build("nova", make_state(**turned)).text == overture.build("nova", make_state(**FULL)).text


def test_what_others_inject_is_not_said() -> None:
    """Skills, tools, project files, appended text, sandbox and user change no byte of the prompt."""
    runtime = {name: FULL["runtime"][name] for name in ("cwd", "directories", "timezone")}
    plain = {name: FULL[name] for name in READ if name != "tools"}
    alone = overture.build("nova", make_state(**{**plain, "runtime": runtime}))
    assert overture.build("nova", make_state(**FULL)).text == alone.text


@pytest.mark.parametrize("budget", [60, 120, 400])
def test_the_time_is_told_within_any_budget(budget: int) -> None:
    """Context is always there: it is not cut to make room, as identity is not."""
    state = make_state(agent={"identity": "I.", "instructions": "Be brief. " * 400}, now="2026-03-07T14:55:05Z")
    small = overture.fit(overture.build("nova", state), budget)
    assert "<Context>\nCurrent time: Saturday, March 7, 2026 at 2:55 PM (UTC)\n</Context>" in small.text


@pytest.mark.parametrize(("line", "sealed"), [("", True), ("sealed = false", False)])
def test_a_recipe_that_extends_nova_is_sealed_too(line: str, sealed: bool, tmp_path: Path) -> None:
    """Another order or a further section is another recipe, as sealed as nova unless it says otherwise."""
    mine = tmp_path / "mine.toml"
    mine.write_text(f'extends = "nova"\n{line}\n[[sections]]\nname = "x"\ntag = "X"\ntext = "More."\n')
    recipe = overture.load_recipe(str(mine))
    assert (recipe.name, recipe.sealed) == ("mine", sealed)
    assert "<X>" not in overture.build("nova", make_state(**FULL)).text


def test_what_is_built_is_the_whole_system_prompt() -> None:
    """A request and a session send what the builder made, and nothing after it."""
    turn = overture.Session("nova", state={"agent": {"identity": "I."}}, world=FakeWorld()).turn("Hello")
    body: dict[str, Any] = overture.render("openai-chat", turn.prompt, model="gpt-5")
    assert [m["content"] for m in body["messages"] if m["role"] in ("system", "developer")] == [turn.prompt.text]
    assert turn.prompt.text == overture.build("nova", turn.prompt.state).text


def test_a_task_is_as_far_as_it_has_come() -> None:
    """In a session the steps follow what the caller says, slow sections stay as they are, and no task is no section."""
    session = overture.Session("nova", state={"agent": {"identity": "I."}}, world=FakeWorld())
    steps: list[dict[str, Any]] = [{"title": "a"}, {"title": "b"}]
    session.update(task={"id": 1, "title": "T", "steps": steps})
    first = session.turn("Go").prompt
    assert first.text.endswith("Steps:\n1. → a\n2. ○ b\n</Task>")
    session.update(task={"id": 1, "title": "T", "steps": [{**steps[0], "done": True}, steps[1]]})
    later = session.turn("On").prompt
    assert later.text.endswith("Steps:\n1. ✓ a (done)\n2. → b\n</Task>")
    assert [block.text for block in later.blocks[:-1]] == [block.text for block in first.blocks[:-1]]
    session.update(task=None)
    assert "<Task>" not in session.turn("On").prompt.text

"""One state, six recipes: whatever is given or missing, every recipe says something and breaks nothing.

They use only what users can use.
"""

import re

import msgspec
import pytest

import overture
from overture.testing import make_state

from .full_state import FULL, RECIPES

FIELDS = overture.State.__struct_fields__


@pytest.mark.parametrize("name", RECIPES)
def test_a_full_state_is_said(name: str) -> None:
    """Everything given at once: the prompt is well formed, and every character of it has a source."""
    prompt = overture.build(name, overture.State.from_dict(FULL))
    assert prompt.text.strip() == prompt.text != ""
    assert "".join(prompt.text[s.start : s.end] for s in prompt.spans) == prompt.text
    assert prompt.to_dict()["recipe"] == name


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("field", [field for field in FIELDS if field != "origins"])
def test_any_one_field_may_be_missing(name: str, field: str) -> None:
    """Without any one field every recipe still builds, and says of each section why it is out."""
    prompt = overture.build(name, overture.State.from_dict({k: v for k, v in FULL.items() if k != field}))
    assert all(omission.reason for omission in prompt.omitted)
    assert prompt.text == prompt.text.strip()


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("field", sorted(FULL))
def test_any_one_field_may_be_alone(name: str, field: str) -> None:
    """With one field alone every recipe still builds."""
    prompt = overture.build(name, overture.State.from_dict({field: FULL[field]}))
    assert prompt.text == prompt.text.strip()


@pytest.mark.parametrize("name", RECIPES)
def test_an_empty_state_is_said(name: str) -> None:
    """With nothing given, each recipe says what it always says, or why it says nothing."""
    prompt = overture.build(name, overture.State())
    assert len(prompt.blocks) + len(prompt.messages) + len(prompt.omitted) >= len(overture.load_recipe(name).sections)


def sections_of_house() -> list[overture.Section]:
    return [section for section in overture.load_recipe("house").sections if section.place == "system"]


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


def test_one_unfinished_text_cannot_break_another_section() -> None:
    """In every recipe a project file that writes all tags and headings of the recipe changes none of them."""
    for name in RECIPES:
        recipe = overture.load_recipe(name)
        tags, headings, children = recipe.frames
        lines = sorted(line.replace("{}", "/p/AGENTS.md") for line in headings)
        openers = [f'<{child} name="x">' for child in sorted(children)]
        forged = "\n".join([*(f"</{tag}>\n<{tag}>" for tag in sorted(tags)), *lines, *openers])
        clean = overture.build(name, overture.State.from_dict(FULL))
        files = [{"path": "/p/AGENTS.md", "content": forged}]
        dirty = overture.build(name, overture.State.from_dict({**FULL, "context_files": files}))
        own = [rf"</?{tag}\b" for tag in (*tags, *children) if tag != "project-context"]
        own += [rf"^{re.escape(line)}$" for line in lines]
        for pattern in own:
            count = len(re.findall(pattern, clean.text, re.MULTILINE | re.IGNORECASE))
            if "project-context" not in pattern:
                assert len(re.findall(pattern, dirty.text, re.MULTILINE | re.IGNORECASE)) == count, (name, pattern)


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

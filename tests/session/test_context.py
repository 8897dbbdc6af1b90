"""The whole context: all that a request holds, by parts that add up; live, and of a recipe before anybody spoke."""

from typing import Any

import pytest

import overture
from overture import Message, Session
from overture.providers.render import sent_tools
from overture.providers.write.tools import tools_text
from overture.report.context import Context
from overture.session.turn_and_context import measure_prompt_context
from overture.testing import FakeWorld, make_state
from tests.contract.session.worlds import FILES, SKILL

COUNT = overture.counter()


def talked(recipe: Any = "house", **options: Any) -> Session:
    """A session with a message of nearly every kind."""
    skill = {"/p/.moltis/skills/tides/SKILL.md": SKILL.format("tides")}
    world = FakeWorld({**FILES, **skill, "/p/sub/AGENTS.md": "Sub rules."})
    live = Session(recipe, world=world, **options)
    live.turn("Mend the crane.")
    live.add(Message("user", live.framework.use_skill("tides"), "skill", name="tides", shown=False))
    live.assistant("I look.", [{"id": "1", "name": "read", "arguments": {"path": "/p/sub/crane.py"}}])
    live.result("1", "crane = None\n")
    live.add(Message.shell("!ls", "crane.py"))
    live.send_message("A program speaks.")
    live.turn()
    return live


def parts(context: Context) -> int:
    """All of them together."""
    kinds = (context.system, context.tools, context.skills, context.nested, context.messages)
    return sum(row.tokens for rows in kinds for row in rows)


def rows(items: Any) -> dict[str, int]:
    """Tokens by name."""
    return {item.name: item.tokens for item in items}


@pytest.mark.parametrize("recipe", ["house", "opal", "pi", "moltis", "nova"])
def test_the_whole_is_the_sum_of_its_parts(recipe: str) -> None:
    """Every part is counted once, and the total is what they add up to; the system prompt's parts are the prompt's."""
    turn = talked(recipe).turn("On") if recipe != "nova" else Session(recipe, world=FakeWorld(FILES)).turn("On")
    told = turn.context
    assert told.tokens == parts(told)
    system = sum(row.tokens for row in (*told.system, *told.skills))
    assert system == turn.prompt.counted(COUNT).tokens
    assert (told.tokenizer, told.exact) == (COUNT.name, COUNT.exact)
    for row in (*told.system, *told.tools, *told.skills, *told.nested, *told.messages):
        assert sum(part.tokens for part in row.parts) <= row.tokens


def test_the_system_prompt_by_section() -> None:
    """Sections stand in the prompt's order, project files below theirs."""
    told = talked("opal").turn("On").context
    assert [row.name for row in told.system] == [
        "identity", "project-context", "environment", "tool-guidelines", "planning",
    ]  # fmt: skip
    [file] = told.system[1].parts
    assert file.name == "/p/AGENTS.md"
    assert 0 < file.tokens <= told.system[1].tokens


def test_tools_are_counted_as_they_are_sent() -> None:
    """Each tool with its name, description and schema; tools that are not sent are not there."""
    state = make_state(
        tools=[
            {"name": "read", "description": "Read a file.", "parameters": {"type": "object", "properties": {}}},
            {"name": "plan", "planning_only": True},
        ]
    )
    prompt = overture.build("house", state)
    told = measure_prompt_context(prompt)
    assert rows(told.tools) == {"read": COUNT(tools_text(sent_tools(prompt)[:1]))}
    assert measure_prompt_context(overture.build("house", state.replace(native_tools=False))).tools == ()


def test_messages_by_kind() -> None:
    """What the user said, replies, calls, results, loaded skills, commands, programs; each kind with its number."""
    told = talked().turn("On we go.").context
    found = {row.name: row for row in told.messages}
    assert list(found) == ["prompt", "sections", "reply", "call", "result", "skill", "shell", "custom"]
    assert (found["prompt"].count, found["prompt"].tokens) == (2, COUNT("Mend the crane.") + COUNT("On we go."))
    assert (found["reply"].count, found["reply"].tokens) == (1, COUNT("I look."))
    assert (found["call"].count, found["call"].tokens) == (1, COUNT('read{"path": "/p/sub/crane.py"}'))
    assert found["result"].tokens == COUNT("crane = None\n")
    assert rows(found["skill"].parts) == {"tides": found["skill"].tokens}
    assert rows(told.nested) == {
        "/p/sub/AGENTS.md": COUNT(next(m.text for m in talked().messages if m.kind == "context"))
    }


def test_a_recipe_before_anybody_spoke() -> None:
    """What the recipe places in the user's message is there too: it will be sent with it."""
    prompt = overture.build("house", make_state(now="2026-03-07T08:55:05-06:00"))
    [row] = measure_prompt_context(prompt).messages
    assert row.name == "sections"
    assert rows(row.parts) == {"clock": COUNT(prompt.messages[0].text)}


def test_the_window_of_the_model() -> None:
    """The state's model gives the window; one that nobody knows gives none, and so does none at all."""
    live = talked(state={"runtime": {"model": "claude-opus-5"}})
    told = live.turn("On").context
    assert told.window == overture.window("claude-opus-5")
    assert told.free == told.window - told.tokens
    assert told.model == "claude-opus-5"
    live.update(runtime={"model": "nobody-knows-9"})
    told = live.turn("On").context
    assert (told.model, told.window, told.free) == ("nobody-knows-9", None, None)
    bare = talked().turn("On").context
    assert (bare.model, bare.window, bare.free) == (None, None, None)
    small = bare.within(100)
    assert (small.window, small.free, small.tokens) == (100, 100 - bare.tokens, bare.tokens)

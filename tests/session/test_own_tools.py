"""Which tools a session has: those that were given, named or registered, and a recipe's own where nobody did."""

from typing import Any

import pytest

import overture
from overture import Session
from overture.recipes import BUILTIN, builtin
from tests.contract.session.worlds import session

SUM = {"name": "sum", "description": "Adds.", "parameters": {"type": "object", "properties": {}}}


def names(live: Session) -> list[str]:
    """The active tools but the one that loads skills, which a session offers whenever it lists any."""
    return [tool.name for tool in live.prompt.state.tools if tool.name != "use_skill"]


@pytest.mark.parametrize("recipe", BUILTIN)
def test_a_session_that_registers_tools_has_exactly_these(recipe: str) -> None:
    """No tool of the recipe's stays beside them, in the prompt or in the request, also after a reload."""
    live = session(recipe)
    live.register(SUM)
    turn = live.turn("Go")
    assert names(live) == ["sum"]
    own = {tool.name for tool in builtin(recipe).tools} - {"use_skill"}
    assert not [name for name in own if f"- {name}: " in turn.prompt.text or f"### {name}\n" in turn.prompt.text]
    live.reload()
    live.turn("On")
    assert names(live) == ["sum"]
    live.register({**SUM, "name": "more"})
    assert names(live) == ["sum", "more"]


def test_a_session_without_tools_of_its_own_has_the_recipes() -> None:
    """Those are there from the first turn on, and a tool that comes online later stands behind them."""
    live = session("house")
    live.turn("Go")
    live.register(SUM)
    assert names(live) == ["read", "edit", "write", "bash", "sum"]


@pytest.mark.parametrize("how", ["tools", "state", "config", "set_tools"])
def test_tools_that_are_named_stay_beside_registered_ones(how: str) -> None:
    """Whoever names tools of the recipe's has them: by argument, state, configuration or set_tools."""
    options: dict[str, Any] = {
        "tools": {"tools": ["read"]},
        "state": {"state": {"tools": [{"name": "read"}]}},
        "config": {"config": {"tools": ["read"]}},
    }
    live = session("house", **options.get(how, {}))
    if how == "set_tools":
        live.set_tools(["read"])
    live.register(SUM)
    assert names(live) == ["read", "sum"]


@pytest.mark.parametrize(
    ("recipe", "mission"), [("ptc", None), ("ptc", {"prompt": "Go."}), ("house", {"prompt": "Go."})]
)
def test_tools_that_a_program_calls_are_not_sent(recipe: str, mission: Any) -> None:
    """Where the prompt has tools called inside the program, no provider is offered them."""
    live = session(recipe, tools=[SUM], state={"mission": mission} if mission else None)
    turn = live.turn("Go")
    assert "sum(" in turn.prompt.text
    for body in (turn.to_openai(), turn.to_anthropic(), overture.render("anthropic", turn.prompt, tools=True)):
        assert "tools" not in body
    assert "tools" in overture.render("anthropic", turn.prompt, tools=[SUM])

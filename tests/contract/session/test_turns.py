"""A short conversation in each recipe, as each provider gets it: whole request bodies, against recorded ones.

`pytest tests/contract/session/test_turns.py --snapshot-update` writes them again.
"""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import overture
from overture.testing import FakeWorld

from ..providers.sendable import PROVIDERS, SOME
from ..recipes.full_state import FULL, RECIPES
from .six_sdks import ANSWERS

GOLDENS = Path(__file__).parents[1] / "goldens/turns"
MODELS = {"gemini": "gemini-3.8-flash", "bedrock": "anthropic.claude-opus-5-v1:0"}
READ_FILE = {
    "name": "read_file",
    "description": "Reads a file.",
    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
}
GIVEN = {key: value for key, value in FULL.items() if key not in ("tools", "native_tools", "mission", "servers")}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("recipe", RECIPES)
def test_three_requests_are_as_recorded(recipe: str, provider: str, request: pytest.FixtureRequest) -> None:
    """A question, a call of a tool with its result, a last word, and a new question after a changed memory."""
    state = {**GIVEN, "mission": FULL["mission"]} if recipe == "ptc" else GIVEN
    model = MODELS.get(provider, SOME[provider])
    live = overture.Session(recipe, world=FakeWorld({"/p/AGENTS.md": "Use tabs."}), state=state, tools=[READ_FILE])
    bodies = [live.turn("Why is the tide wrong?").render(provider, model=model)]
    for call in live.reply(ANSWERS[provider]):
        live.result(call, "12:04 high water")
    bodies.append(live.turn().render(provider, model=model))
    live.assistant("The table is of last year.")
    live.update(memories=["Robin likes coffee."])
    bodies.append(live.turn("And tomorrow?").render(provider, model=model))
    path = GOLDENS / f"{recipe}-{provider}.json"
    text = json.dumps(shorten(bodies), ensure_ascii=False, indent=1) + "\n"
    if request.config.getoption("--snapshot-update"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


def shorten(value: Any) -> Any:
    """Long texts, which goldens of prompts hold whole, as their beginning and their digest."""
    if isinstance(value, str) and len(value) > 200:
        return f"{value[:60]}… {len(value)} {sha256(value.encode()).hexdigest()[:16]}"
    if isinstance(value, dict):
        return {key: shorten(inner) for key, inner in value.items()}
    return [shorten(inner) for inner in value] if isinstance(value, (list, tuple)) else value

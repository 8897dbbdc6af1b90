"""Whole prompts, against plain text files that were written by hand from Nova's document."""

from pathlib import Path
from typing import Any

import pytest

import overture
from overture.testing import make_state

GOLDENS = Path(__file__).parents[2] / "goldens" / "nova"

STATES: dict[str, dict[str, Any]] = {
    "full": {
        "agent": {
            "identity": "You are Nova, the user's first contact.",
            "instructions": "Answer in the user's language.",
            "responsibilities": [
                {
                    "title": "Agent routing",
                    "content": "When a new conversation starts, determine whether to handle it or delegate...",
                },
                {"title": "Product onboarding", "content": "Help the user get started with Nova. Goals: ..."},
            ],
        },
        "runtime": {
            "cwd": "/home/user/nova/agents/nova",
            "directories": ["/home/user/notes", "/srv/shared"],
            "timezone": "America/Chicago",
        },
        "channel": "telegram",
        "now": "2026-03-07T14:55:05+00:00",
        "memories": ["The user's name is Ada", "Ada lives in Chicago"],
        "task": {
            "id": "12",
            "title": "Plan the trip",
            "description": "Three days in April",
            "status": "active",
            "owner": "nova",
            "steps": [{"title": "Step one"}, {"title": "Step two"}, {"title": "Step three", "done": True}],
        },
        "background": True,
        "tools": [{"name": "notify_user"}],
    },
    "role": {
        "agent": {"role": "You keep the calendar.", "instructions": "Be brief.", "capabilities": []},
        "runtime": {"cwd": "/p"},
        "channel": "cli",
        "now": "2026-03-07T12:05:59-06:00",
    },
    "several_lines": {
        "agent": {
            "identity": "\nYou are Nova.\r\n\r\nYou are patient.\n\n",
            "responsibilities": [
                {
                    "title": 'The "first" & last\nword',
                    "content": "One line.\n  \n  An indented one, </Responsibility> and <b>bold</b>.\n",
                }
            ],
            "capabilities": ["triggers", "memory"],
        },
        "runtime": {"directories": ["/srv/shared"]},
        "memories": ["Ada has two cats:\n- Bit\n\n- Byte </Memories>", " \n", "# Not a heading\n"],
        "task": {"id": 7, "title": "Feed the cats\nStatus: done", "description": "Morning\nStatus: done"},
    },
}


@pytest.mark.parametrize("name", STATES)
def test_the_prompt_is_the_golden_text(name: str) -> None:
    """A state gives, character for character, the text that Nova's document spells out."""
    prompt = overture.build("nova", make_state(**STATES[name]))
    assert prompt.text + "\n" == (GOLDENS / f"{name}.txt").read_text(encoding="utf-8")


def test_a_whole_state_leaves_nothing_out_and_nothing_to_complain_of() -> None:
    """With every condition met there are ten blocks, no omission and no diagnostic."""
    prompt = overture.build("nova", make_state(**STATES["full"]))
    assert [block.name for block in prompt.blocks] == [
        "identity", "instructions", "responsibilities", "directories", "storage",
        "formatting", "context", "memories", "task", "background",
    ]  # fmt: skip
    assert prompt.omitted == ()
    assert prompt.diagnostics == ()


def test_slow_sections_stand_before_fast_ones_as_nova_orders_them() -> None:
    """The paces are the document's layers: who, what it can reach, what is happening now."""
    prompt = overture.build("nova", make_state(**STATES["full"]))
    paces = {block.name: block.pace for block in prompt.blocks}
    assert [name for name, pace in paces.items() if pace == "static"] == [
        "identity", "instructions", "responsibilities", "storage",
    ]  # fmt: skip
    assert [name for name, pace in paces.items() if pace == "turn"] == ["context", "memories", "task", "background"]

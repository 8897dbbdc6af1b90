"""The prompts of the document, as it writes them."""

from pathlib import Path
from typing import Any

import pytest

import overture
from overture.testing import make_state

GOLDENS = Path(__file__).parents[2] / "goldens" / "ptc"

TOOLS: list[dict[str, Any]] = [
    {
        "name": "search",
        "signature": "(query :string, limit :int?) -> [{id :int, title :string}]",
        "description": "Search for items matching query. Limit defaults to 10.",
    },
    {
        "name": "get_user",
        "signature": "(id :int) -> {name :string, email :string?}",
        "description": "Fetch user by ID. Returns user object or nil if not found.",
    },
    {
        "name": "email_agent",
        "signature": "(prompt :string) -> {summary :string, _ids [:int]}",
        "description": "Specialized agent for email processing.",
        "planning_only": True,
    },
]
MISSION: dict[str, Any] = {
    "prompt": "Find all urgent emails for {{user.name}} and draft acknowledgment replies.",
    "data": {
        "user_id": 123,
        "emails": [{"id": n, "subject": "Hello"} for n in range(1, 6)],
        "_token": "secret",
        "user": {"name": "Ada"},
    },
    "data_signature": "(user_id :int, emails [{id :int, subject :string}], _token :string)",
    "output_signature": "{count :int, draft_ids [:int]}",
    "limits": {"list_sample": 1},
}
FAILED = {"type": "parse_error", "message": "Unexpected token at position 45", "details": {"position": 45}}
NUMBERS = {
    "prompt": "Add up the numbers.",
    "data": {"numbers": [1, 2, 3, 4, 5]},
    "output_signature": ":int",
    "max_turns": 1,
}

CASES: dict[str, dict[str, Any]] = {
    "agent": {"tools": TOOLS, "mission": MISSION},
    "error": {"tools": TOOLS, "mission": {**MISSION, "error": FAILED}},
    "single": {"mission": NUMBERS},
    "bare": {"mission": {"prompt": "Say hello.", "limits": {"omit_reference": True}}},
}


@pytest.mark.parametrize("name", CASES)
def test_prompt_is_as_the_document_writes_it(name: str) -> None:
    """Every character of the document's sections, in both variants."""
    prompt = overture.build("ptc", make_state(**CASES[name]))
    assert prompt.text + "\n" == (GOLDENS / f"{name}.txt").read_text(encoding="utf-8")
    assert prompt.diagnostics == ()


def test_every_golden_is_used() -> None:
    """No golden is left over."""
    assert {path.stem for path in GOLDENS.iterdir()} == set(CASES)


def test_every_character_has_a_source() -> None:
    """The spans of a prompt cover it without a gap."""
    prompt = overture.build("ptc", make_state(**CASES["error"]))
    ends = [0, *(span.end for span in prompt.spans)]
    assert [span.start for span in prompt.spans] == ends[:-1]
    assert ends[-1] == len(prompt.text)
    assert str(prompt.source_at(prompt.text.index("Ada and draft"))) == "state mission.data.user.name"
    assert str(prompt.source_at(prompt.text.index("get_user(id"))) == "state tools[1].signature"

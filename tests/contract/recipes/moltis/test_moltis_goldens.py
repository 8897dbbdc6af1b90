"""Whole prompts, against plain text files that were written by hand from Moltis's document."""

from pathlib import Path

import pytest

import overture
from overture.testing import make_state

from .moltis_states import FULL, STATES

GOLDENS = Path(__file__).parents[2] / "goldens" / "moltis"


@pytest.mark.parametrize("name", STATES)
def test_prompt_equals_its_golden(name: str) -> None:
    """Each entry point gives the text of its golden, character for character."""
    golden = (GOLDENS / f"{name}.txt").read_text(encoding="utf-8")
    assert overture.build("moltis", make_state(**STATES[name])).text + "\n" == golden


def test_every_golden_has_a_state() -> None:
    """No golden is left over from a state that nobody builds."""
    assert {path.stem for path in GOLDENS.iterdir()} == set(STATES)


@pytest.mark.parametrize("name", STATES)
def test_nothing_is_wrong_with_the_examples(name: str) -> None:
    """The three entry points and the fallback are built without a diagnostic."""
    assert overture.build("moltis", make_state(**STATES[name])).diagnostics == ()


def test_sections_stand_in_the_order_of_the_document() -> None:
    """With everything given and no native tools, all thirteen sections speak, in the document's order."""
    prompt = overture.build("moltis", make_state(**FULL, native_tools=False))
    assert [block.name for block in prompt.blocks] == [
        "introduction",
        "identity",
        "soul",
        "user",
        "project-context",
        "runtime",
        "skills",
        "workspace",
        "memory",
        "tools",
        "calling",
        "guidelines",
        "silent-replies",
    ]
    assert prompt.omitted == ()


def test_every_omission_has_a_reason() -> None:
    """Of an empty state every section but two says why it is silent."""
    prompt = overture.build("moltis", make_state())
    assert [block.name for block in prompt.blocks] == ["introduction", "guidelines"]
    assert len(prompt.omitted) == 11
    assert "it has nothing to say" not in {omission.reason for omission in prompt.omitted}


def test_sizes_are_those_of_the_document() -> None:
    """The minimal prompt has about 200 characters, and soul, identity and guidelines together about 2,000."""
    minimal = overture.build("moltis", make_state())
    persona = overture.build("moltis", make_state(agent={"name": "Molty"}))
    assert 150 < len(minimal.text) < 250
    assert 1_500 < len(persona.text) < 2_200

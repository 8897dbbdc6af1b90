import pytest

import overture
from overture import Change, RecipeError, SealedError
from overture.assemble.change_prompt import apply_change
from overture.testing import make_state

STATE = make_state(runtime={"cwd": "/p"}, context_files=[{"path": "/p/AGENTS.md", "content": "Use tabs."}])


def test_every_kind_of_change() -> None:
    """Append, prepend, replace a block, replace an omitted one, take one away, replace the whole."""
    prompt = overture.build("opal", STATE)
    names = [block.name for block in prompt.blocks]
    assert apply_change(prompt, Change.append(" End.\n"), "h").text == f"{prompt.text}\n\nEnd."
    assert apply_change(prompt, Change.prepend("Top."), "h").text == f"Top.\n\n{prompt.text}"
    assert apply_change(prompt, Change.append("  "), "h") is prompt
    assert apply_change(prompt, Change.message("Hi."), "h") is prompt
    replaced = apply_change(prompt, Change.replace("I am.", "identity"), "h")
    assert replaced.blocks[0].text == "I am."
    assert [block.name for block in replaced.blocks] == names
    assert apply_change(prompt, Change.replace("Plan.", "planning"), "h").text == f"{prompt.text}\n\nPlan."
    gone = apply_change(prompt, Change.replace("", "identity"), "h")
    assert [block.name for block in gone.blocks] == names[1:]
    assert {o.name: o.reason for o in gone.omitted}["identity"] == "hook 'h' removed it"
    whole = apply_change(prompt, Change.replace("All."), "h")
    assert whole.text == "All."
    assert {o.reason for o in whole.omitted} == {"hook 'h' replaced the whole prompt"}


def test_the_base_stays_as_it_is() -> None:
    """A change makes another prompt, and `since` never carries it over."""
    prompt = overture.build("opal", STATE)
    text = prompt.text
    changed = apply_change(prompt, Change.append("End."), "h")
    assert prompt.text == text
    assert changed.edits == ("h: append",)
    assert overture.build("opal", STATE, since=changed).text == text


def test_every_character_of_a_changed_prompt_has_its_source() -> None:
    """The spans of an edited prompt partition its text, and what a hook wrote belongs to it."""
    prompt = apply_change(overture.build("opal", STATE), Change.replace("I am.", "identity"), "audit")
    assert "".join(prompt.text[span.start : span.end] for span in prompt.spans) == prompt.text
    assert str(prompt.source_at(0)) == "hook audit"
    assert prompt.to_dict()["blocks"][0]["parts"][0]["source"]["kind"] == "hook"


def test_a_block_that_is_not_there_is_an_error_with_the_nearest() -> None:
    """Replacing an unknown block names hook, recipe and the nearest block."""
    with pytest.raises(RecipeError, match=r"'h'.*'idenity'.*'opal'.*Did you mean 'identity'"):
        apply_change(overture.build("opal", STATE), Change.replace("x", "idenity"), "h")


def test_a_sealed_recipe_refuses() -> None:
    """The error names the recipe, the hook and the way out."""
    with pytest.raises(SealedError, match=r"'nova' is sealed: hook 'h' may not append.*Change.message"):
        apply_change(overture.build("nova", STATE), Change.append("x"), "h")

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import overture
from overture.model.prompt.saved_prompt import SavedPrompt
from overture.testing import make_state
from overture.text.normalize import first_difference
from tests.contract.effort import examples

STATE = make_state(
    context_files=[{"path": "/p/AGENTS.md", "content": "Use tabs."}],
    tools=[{"name": "read_file"}, {"name": "shell"}, {"name": "use_skill"}],
    skills=[{"name": "pdf", "description": "d", "location": "/s/SKILL.md"}],
    runtime={"cwd": "/p", "timezone": "UTC"},
    session={"id": "s1"},
    now="2026-01-01T00:00:00Z",
)


def saved(prompt: overture.Prompt) -> SavedPrompt:
    """The prompt as `diff` reads it back from a file."""
    return msgspec.convert(json.loads(json.dumps(prompt.to_dict())), SavedPrompt)


@settings(max_examples=examples(100), deadline=None)
@given(st.text("ab\n", max_size=8), st.text("ab\n", max_size=8))
def test_the_first_difference_is_the_first(old: str, new: str) -> None:
    """All characters before it are the same, and the one at it is not."""
    at = first_difference(old, new)
    if at is None:
        assert old == new
    else:
        assert old[:at] == new[:at]
        assert old[at : at + 1] != new[at : at + 1]


def test_the_same_prompt_has_no_difference() -> None:
    """Two builds of one state differ in nothing."""
    patch = overture.diff(overture.build("opal", STATE), overture.build("opal", make_state(**STATE.to_dict())))
    assert patch.same
    assert patch.first is None
    assert patch.changed == ()
    assert patch.inputs == ()


def test_a_change_is_told_by_block_with_its_cause() -> None:
    """Only the blocks that changed are named, each with the first differing character and the field that caused it."""
    before = overture.build("opal", STATE)
    after = overture.build("opal", STATE.replace(tools=(STATE.tools[0], STATE.tools[2])))
    patch = overture.diff(before, after)
    assert patch.inputs == ("tools",)
    (block,) = patch.changed
    assert (block.name, block.change, block.because) == ("tool-guidelines", "changed", ("tools",))
    assert block.first == len("<tool-guidelines>\n- ")
    assert block.before is not None
    assert block.before[block.first :].startswith("Use the `read_file`")


def test_the_first_difference_of_the_whole_lies_in_the_first_changed_block() -> None:
    """`patch.first` is where the two texts part, which is where a cache breaks."""
    before = overture.build("opal", STATE)
    file = msgspec.structs.replace(STATE.context_files[0], content="Use spaces.")
    after = overture.build("opal", STATE.replace(context_files=(file,)))
    patch = overture.diff(before, after)
    assert patch.first == before.text.index("tabs")
    assert [(block.name, block.because) for block in patch.changed] == [("project-context", ("context_files",))]


def test_blocks_come_and_go_in_their_place() -> None:
    """A removed block stands between its old neighbours, an added one where it is now."""
    before, after = overture.build("opal", STATE), overture.build("opal", STATE.replace(session=None, skills=()))
    gone = overture.diff(before, after)
    assert [(block.name, block.change) for block in gone.blocks] == [
        ("identity", "same"),
        ("project-context", "same"),
        ("skills", "removed"),
        ("environment", "same"),
        ("tool-guidelines", "same"),
        ("planning", "removed"),
    ]
    assert [block.because for block in gone.changed] == [("skills",), ("session",)]
    back = overture.diff(after, before)
    assert [(block.name, block.change) for block in back.changed] == [("skills", "added"), ("planning", "added")]
    assert back.changed[0].before is None


@pytest.mark.parametrize("recipe", ["opal", "pi"])
def test_saved_prompts_are_compared_like_live_ones(recipe: str) -> None:
    """A prompt read back from its JSON gives the same difference as the prompt itself."""
    before = overture.build(recipe, STATE)
    after = overture.build(recipe, STATE.replace(runtime=None, session=None))
    live = overture.diff(before, after)
    assert overture.diff(saved(before), saved(after)) == live
    assert overture.diff(saved(before), after) == live


def test_one_state_in_two_recipes_differs_because_of_the_recipe() -> None:
    """When only the recipe differs, no field of the state is said to have changed."""
    patch = overture.diff(overture.build("opal", STATE), overture.build("pi", STATE))
    assert patch.recipes == ("opal", "pi")
    assert patch.inputs == ()
    assert {block.because for block in patch.changed} == {("the recipe",)}
    changes = {block.name: block.change for block in patch.blocks}
    assert (changes["identity"], changes["project-context"], changes["base"]) == ("removed", "changed", "added")


def test_half_a_surrogate_pair_hides_no_input() -> None:
    """A field that JSON can't represent as text is compared like any other."""
    one, two = ({**STATE.to_dict(), "memories": [f"\ud83d {word}"]} for word in ("a", "b"))
    assert overture.diff(overture.build("house", one), overture.build("house", two)).inputs == ("memories",)
    assert overture.diff(overture.build("house", one), overture.build("house", one)).inputs == ()

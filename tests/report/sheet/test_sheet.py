"""A sheet holds the very prompt, in pieces that add up, for every recipe and every agent."""

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import overture
from overture import Prompt, State
from overture.errors import OvertureError
from overture.known_agents import AGENTS
from overture.model.prompt.block import Omission
from overture.recipes import BUILTIN
from overture.report.sheet.sheet import Sheet
from tests.contract.effort import examples

from ...assemble.nasty import states
from ...recipes.test_text_everywhere import full
from .sheets import pairs, sheet_of

some = settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def check_sheet(prompt: Prompt) -> None:
    """The laws of sheets."""
    sheet = sheet_of(prompt)
    assert sheet.text == prompt.text
    assert (sheet.tokens, sheet.chars) == (prompt.tokens, len(prompt.text))
    assert sum(block.tokens for block in sheet.blocks) == sheet.tokens
    assert sum(block.share for block in sheet.blocks) <= 1 + 1e-9
    for block, shown in pairs(prompt, sheet):
        assert (shown.name, shown.text, shown.chars) == (block.name, block.text, len(block.text))
        assert sum(piece.tokens for piece in shown.pieces) == shown.tokens
        for piece in shown.pieces:
            assert 0 <= piece.source < len(sheet.sources)
            assert piece.tokens >= 0
            assert piece.text or (piece.mark and piece.mark.kind == "cut")
    check_lines(prompt, sheet)
    check_omitted(prompt, sheet)
    assert msgspec.json.decode(msgspec.json.encode(sheet), type=Sheet) == sheet


def check_lines(prompt: Prompt, sheet: Sheet) -> None:
    """A piece begins where its character comes from."""
    at = 0
    for block in sheet.blocks:
        at += len(block.before)
        for piece in block.pieces:
            source = sheet.sources[piece.source]
            if piece.text and source.pinned:
                assert piece.line == source.line
            if piece.text and not any(other.mark for other in block.pieces):
                assert piece.line == prompt.source_at(at).line
            at += len(piece.text)


def check_omitted(prompt: Prompt, sheet: Sheet) -> None:
    """What is left out stands behind the blocks that the recipe has before it."""
    names = [block.name for block in sheet.blocks]
    order = [result.name for result in prompt.results]
    assert [(left.name, left.reason) for left in sheet.omitted] == [(o.name, o.reason) for o in prompt.omitted]
    silent = {result.name for result in prompt.results if isinstance(result, Omission)}
    for left in sheet.omitted:
        assert -1 <= left.after < len(names)
        before = [name for name in names if order.index(name) < order.index(left.name)]
        assert left.after + 1 == len(before) + (left.name in names and left.name not in silent)


@pytest.mark.parametrize("recipe", [*BUILTIN, *AGENTS])
def test_a_full_state_makes_a_sheet(recipe: str) -> None:
    """Of each recipe and each agent; also of a state with nothing in it."""
    check_sheet(overture.build(recipe, State.from_dict(full())))
    check_sheet(overture.build(recipe, State()))


@some
@given(st.sampled_from([*BUILTIN, *AGENTS]), states, st.sampled_from([None, 0.9, 0.6, 0.3]))
def test_any_state_makes_a_sheet(recipe: str, state: State, share: float | None) -> None:
    """Whatever files hold, and however little room there is."""
    prompt = overture.build(recipe, state)
    if share is not None:
        try:
            prompt = overture.fit(prompt, budget=max(1, int(prompt.tokens * share)))
        except OvertureError:
            return
    check_sheet(prompt)


def test_what_a_message_leaves_out_is_told() -> None:
    """What goes into the user's message has its place in the order, too."""
    prompt = overture.build("house", State.from_dict(full()))
    sheet = sheet_of(prompt)
    assert [block.text for block in sheet.messages] == [block.text for block in prompt.messages]
    assert sheet.messages

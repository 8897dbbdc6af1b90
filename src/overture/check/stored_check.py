"""Findings that were found before: where nothing that rules look at has changed, no rule is loaded or run."""

import msgspec

from ..discover.disk.result_store import current_store
from ..discover.stored_results import recall_or_compute
from ..known_agents import AGENTS, agent
from ..model.recipe.recipe import Recipe
from ..recipes import BUILTIN, builtin
from .rule import CheckInput
from .run_rules import Checked, RuleSelection, run_rules


def check_or_recall(inputs: CheckInput, choice: RuleSelection) -> Checked:
    """What `run_rules` finds, from the store where it has it."""
    data = _encode_inputs(inputs, choice) if current_store() is not None else None
    if data is None:
        return run_rules(inputs, choice)
    return recall_or_compute("check", data, Checked, lambda: run_rules(inputs, choice))


def _encode_inputs(inputs: CheckInput, choice: RuleSelection) -> bytes | None:
    """All that the findings follow from; None where that can't be told.

    A prompt follows from its recipe and its state: of a recipe that is not our own, or a prompt that was edited or
    cut, more would have to be known. Of the clock no finding says more than the day and what blocks say that are
    meant to stay: a prompt of the next second has the same findings.
    """
    prompt, state = inputs.prompt, inputs.prompt.state
    if not _is_own(prompt.recipe) or prompt.fitted is not None or prompt.edits or prompt.held:
        return None
    clock = [block.text for block in prompt.blocks if block.pace != "turn" and "now" in block.reads]
    day = state.now and (state.now.date(), str(state.now.tzinfo))
    facts = (inputs.pages, inputs.project, inputs.looks, inputs.root, inputs.truncated, inputs.disagreement)
    values = (prompt.recipe.name, state.replace(now=None), day, clock, prompt.found, facts, choice)
    try:
        return msgspec.msgpack.encode(values, order="deterministic")
    except (TypeError, ValueError, RecursionError):  # half a surrogate pair, or a value of a user's own type
        return None


def _is_own(recipe: Recipe) -> bool:
    """Whether a recipe is one of ours, or of an agent that we know: its name then says all of it."""
    if recipe.name in BUILTIN:
        return recipe is builtin(recipe.name)
    return recipe.name in AGENTS and recipe is agent(recipe.name)

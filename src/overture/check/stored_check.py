"""Findings that were found before: where nothing that rules look at has changed, no rule is loaded or run."""

from typing import TYPE_CHECKING

import msgspec

from ..discover.configuration.values import Config
from ..discover.stored.recall_results import recall_or_compute
from ..discover.stored.recorded_questions import refuse_recording
from ..discover.stored.result_store import current_store
from ..model.prompt.prompt import Prompt
from ..project.find_recipe import is_known_recipe, stays_all_day
from ..terminal.progress import report_step
from .facts.collect_facts import collect_check_input
from .rule import CheckInput, make_saved_input
from .run_rules import CheckResult, RuleSelection, run_rules, select_rules

if TYPE_CHECKING:
    from ..terminal.gather_state import GatheredState


def check_or_recall(inputs: CheckInput, choice: RuleSelection) -> CheckResult:
    """What `run_rules` finds, from the store where it has it."""
    data = _encode_inputs(inputs, choice) if current_store() is not None else None
    if data is None or not stays_all_day(inputs.prompt):
        refuse_recording()
    if data is None:
        return run_rules(inputs, choice)
    return recall_or_compute("check", data, CheckResult, lambda: run_rules(inputs, choice))


def _encode_inputs(inputs: CheckInput, choice: RuleSelection) -> bytes | None:
    """All that the findings follow from; None where that can't be told.

    A prompt follows from its recipe and its state: of a recipe that is not our own, or a prompt that was edited or
    cut, more would have to be known. Of the clock no finding says more than the day and what blocks say that are
    meant to stay: a prompt of the next second has the same findings.
    """
    prompt, state = inputs.prompt, inputs.prompt.state
    if not is_known_recipe(prompt.recipe) or prompt.fitted is not None or prompt.edits or prompt.held:
        return None
    clock = [block.text for block in prompt.blocks if block.pace != "turn" and "now" in block.reads]
    day = state.now and (state.now.date(), str(state.now.tzinfo))
    facts = (inputs.pages, inputs.project, inputs.looks, inputs.root, inputs.truncated, inputs.disagreement)
    values = (
        prompt.recipe.name,
        inputs.is_default_recipe,
        state.replace(now=None),
        day,
        clock,
        prompt.found,
        facts,
        choice,
    )
    try:
        return msgspec.msgpack.encode(values, order="deterministic")
    except (TypeError, ValueError, RecursionError):  # half a surrogate pair, or a value of a user's own type
        return None


def check_gathered(gathered: "GatheredState", selection: RuleSelection) -> tuple[CheckInput, CheckResult]:
    """Let the rules look at a prompt, and at the files behind it where there are any."""
    prompt = gathered.build()
    report_step("checking")
    inputs, config = _make_input(gathered, prompt)
    return inputs, check_or_recall(inputs, select_rules(config, prompt.recipe.name, selection, "--"))


def _make_input(gathered: "GatheredState", prompt: Prompt) -> tuple[CheckInput, Config]:
    """Of what was saved, or given with --no-discover, nothing on this disk is known to be behind it."""
    project = gathered.project
    if project is None:
        return make_saved_input(prompt, gathered.found.looked_at), Config({})
    return collect_check_input(project, prompt, gathered.found), project.config

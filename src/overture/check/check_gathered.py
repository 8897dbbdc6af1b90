"""Runs the rules over what the options of a command name."""

from ..discover.configuration.values import Config
from ..model.prompt.prompt import Prompt
from ..terminal.gather_state import GatheredState
from ..terminal.progress import report_step
from .facts.collect_facts import collect_check_input
from .rule import CheckInput, make_saved_input
from .run_rules import Checked, RuleSelection, select_rules
from .stored_check import check_or_recall


def check_gathered(gathered: GatheredState, selection: RuleSelection) -> tuple[CheckInput, Checked]:
    """Let the rules look at a prompt, and at the files behind it where there are any."""
    prompt = gathered.build()
    report_step("checking")
    inputs, config = _make_input(gathered, prompt)
    return inputs, check_or_recall(inputs, select_rules(config, prompt.recipe.name, selection, "--"))


def _make_input(gathered: GatheredState, prompt: Prompt) -> tuple[CheckInput, Config]:
    """Of what was saved, or given with --no-discover, nothing on this disk is known to be behind it."""
    project = gathered.project
    if project is None:
        return make_saved_input(prompt, gathered.found.looked_at), Config({})
    return collect_check_input(project, prompt, gathered.found), project.config

"""Findings that were found before: where nothing that rules look at has changed, no rule is loaded or run."""

import os
import sys
from collections.abc import Iterator

import msgspec

from ..discover.disk.result_store import current_store
from ..known_agents import AGENTS, agent
from ..model.recipe.recipe import Recipe
from ..recipes import BUILTIN, builtin
from ..version import __version__
from .rule import CheckInput
from .run_rules import Checked, RuleSelection, run_rules

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INSTALLED = ("site-packages", "dist-packages")
"""Folders whose files nobody edits: they change all at once."""


def check_or_recall(inputs: CheckInput, choice: RuleSelection) -> Checked:
    """What `run_rules` finds, from the store where it has it."""
    store = current_store()
    data = _encode_inputs(inputs, choice) if store is not None else None
    if store is None or data is None:
        return run_rules(inputs, choice)
    key = store.make_key("check", data)
    if (known := store.get(key)) is not None:
        return msgspec.json.decode(known, type=Checked)
    checked = run_rules(inputs, choice)
    store.put(key, msgspec.json.encode(checked))
    return checked


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
        encoded = msgspec.msgpack.encode(values, order="deterministic")
    except (TypeError, ValueError, RecursionError):  # half a surrogate pair, or a value of a user's own type
        return None
    return b"%s %d %r " % (__version__.encode(), sys.hexversion, _stamp_code()) + encoded


def _is_own(recipe: Recipe) -> bool:
    """Whether a recipe is one of ours, or of an agent that we know: its name then says all of it."""
    if recipe.name in BUILTIN:
        return recipe is builtin(recipe.name)
    return recipe.name in AGENTS and recipe is agent(recipe.name)


def _stamp_code() -> bytes:
    """What changes when the rules do, and all that they use: in a checkout the files, elsewhere the release."""
    if any(f"{os.sep}{name}{os.sep}" in PACKAGE for name in INSTALLED):
        return repr(os.stat(os.path.join(PACKAGE, "version.py"))[6:]).encode()
    return repr(sorted(_stamp_files(PACKAGE))).encode()


def _stamp_files(folder: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith((".py", ".toml", ".md")):
                found = entry.stat()
                yield entry.path, found.st_size, found.st_mtime_ns
            elif "." not in entry.name and entry.name not in ("__pycache__", "static"):
                yield from _stamp_files(entry.path)

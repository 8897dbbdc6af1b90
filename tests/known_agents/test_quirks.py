"""What one agent alone does is Python in its folder, and nowhere else."""

import re
from inspect import getmembers, isfunction
from pathlib import Path

import pytest

from overture.errors import RecipeError
from overture.known_agents import AGENTS, agent
from overture.known_agents.quirks import apply_quirk, load_quirks

from ..sources import SOURCE, source_paths

FOLDER = Path(load_quirks("goose").__file__ or "").parents[1]
AGENTS_WITH_QUIRKS = [name for name in AGENTS if (FOLDER / name.replace("-", "_") / "quirks.py").exists()]

HOOK = re.compile(r'apply_quirk\(.*?, "([a-z_]+)", ')


def hooks(name: str) -> set[str]:
    """The functions of an agent's module that somebody calls from outside."""
    module = load_quirks(name)
    return {each for each, function in getmembers(module, isfunction) if function.__module__ == module.__name__} - {
        each for each in vars(module) if each.startswith("_")
    }


def test_each_quirk_is_a_hook_and_each_hook_is_used() -> None:
    """A function of another name would never be called, and a hook that no agent has is one too many."""
    used = {hook for name in AGENTS_WITH_QUIRKS for hook in hooks(name)}
    called = {hook for path in source_paths() for hook in HOOK.findall((SOURCE / path).read_text("utf-8"))}
    assert used == called


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_with_quirks_names_itself_and_no_other(name: str) -> None:
    """Whoever has a module uses it."""
    wants = agent(name).wants
    named = {step.quirks for step in wants.files} | ({wants.skills.quirks} if wants.skills else set())
    assert named - {""} == ({name} if name in AGENTS_WITH_QUIRKS else set())


def test_an_agent_without_quirks_is_as_all_are() -> None:
    """So is one that has others; a name that is none is refused with the nearest."""
    assert apply_quirk("", "order_names", ("b", "a")) == ("b", "a")
    assert apply_quirk("goose", "order_names", ("b", "a")) == ("b", "a")
    assert apply_quirk("gemini-cli", "order_names", ("b", "a")) == ("a", "b")
    with pytest.raises(RecipeError, match="Did you mean 'goose'"):
        apply_quirk("gose", "order_names", ())
    with pytest.raises(RecipeError, match="'zed' has no quirks"):
        apply_quirk("zed", "order_names", ())

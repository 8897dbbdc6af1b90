"""What frames something in a prompt, and in the messages around it: that is what text from outside may not write.

A recipe may have thirty sections, of which a prompt says eight. Only the tags and headings of those eight frame
anything, so only those are guarded: `<user>@<host>` stays as it is where no section stands in `<user>`.
"""

from collections.abc import Iterable
from functools import lru_cache

from ...lazy import kept
from ...model.prompt.block import Block
from ...model.prompt.cuts_and_omissions import Omission
from ...model.prompt.prompt import Prompt
from ...model.recipe.recipe import Recipe
from ...model.state.audience import Secrets
from .guard import Guard, guard_of, showing

UPDATE = "prompt-update"
UPDATED = "updated-section"
SKILL = "skill"
RESOURCES = "skill-resources"


@lru_cache(maxsize=1024)
def guard_for(recipe: Recipe, speaking: frozenset[str], secrets: Secrets = "redact") -> Guard:
    """The guard of a prompt in which these sections speak."""
    tags, headings = recipe.frames(speaking)
    guard = guard_of(tags | {UPDATE, UPDATED}, headings)
    return showing(guard) if secrets == "show" else guard


@kept
def speaking(prompt: Prompt) -> frozenset[str]:
    """The sections that a prompt holds."""
    return speaking_in(prompt.results)


def speaking_in(results: Iterable[Block | Omission]) -> frozenset[str]:
    """The names of those that say anything."""
    return frozenset([result.name for result in results if isinstance(result, Block)])


def guard_of_prompt(prompt: Prompt) -> Guard:
    """What text in this prompt may not write."""
    return guard_for(prompt.recipe, speaking(prompt), prompt.state.secrets)


def guard_of_message(prompt: Prompt | None) -> Guard:
    """What text in a message beside this prompt may not write: its frames, and those of messages."""
    guard = guard_of_prompt(prompt) if prompt is not None else guard_of(frozenset((UPDATE, UPDATED)), frozenset())
    return guard.extended((SKILL, RESOURCES))._replace(attributed=frozenset((SKILL,)))

"""What may frame something in a prompt, and in the messages around it: that is what text from outside may not write.

It is every tag and heading that the recipe can write in any state, whether or not the section speaks now. So the bytes
of a block depend on its own inputs alone, and a section that begins to speak leaves those before it as they are.
"""

from functools import lru_cache

from ...model.prompt.prompt import Prompt
from ...model.recipe.recipe import Recipe
from ...model.state.audience import Secrets
from ...text.lookalikes import as_read
from .guard import Guard, guard_of, showing

UPDATE = "prompt-update"
UPDATED = "updated-section"
SKILL = "skill"
RESOURCES = "skill-resources"


@lru_cache(maxsize=1024)
def guard_for(recipe: Recipe, secrets: Secrets = "redact") -> Guard:
    """The guard over what this recipe can write."""
    tags, headings, children = recipe.frames
    guard = guard_of(tags | {UPDATE, UPDATED}, headings, children)
    return showing(guard) if secrets == "show" else guard


def guard_of_prompt(prompt: Prompt) -> Guard:
    """What text in this prompt may not write."""
    return guard_for(prompt.recipe, prompt.state.secrets)


def guard_of_message(prompt: Prompt | None) -> Guard:
    """What text in a message beside this prompt may not write: its frames, and those of messages."""
    guard = guard_of_prompt(prompt) if prompt is not None else guard_of(frozenset((UPDATE, UPDATED)))
    return guard.extended((SKILL, RESOURCES))._replace(attributed=frozenset((as_read(SKILL),)))

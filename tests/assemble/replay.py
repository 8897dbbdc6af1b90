"""Changes of a prompt, applied one after the other: what a model that was told them goes by."""

from collections.abc import Iterable, Mapping

from overture.model.message import SectionUpdate
from overture.model.prompt.prompt import Prompt


def section_texts(prompt: Prompt) -> dict[str, str]:
    """What each section of the system prompt says, by name."""
    return {block.name: block.text for block in prompt.blocks}


def replayed(sections: Mapping[str, str], changes: Iterable[SectionUpdate]) -> dict[str, str]:
    """What counts after the changes were told: the sections as they are now."""
    now = dict(sections)
    for change in changes:
        if change.text is None:
            now.pop(change.name, None)
        else:
            now[change.name] = change.text
    return now

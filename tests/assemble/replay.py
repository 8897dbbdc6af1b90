"""Changes of a prompt, applied one after the other: what a model that was told them goes by."""

from collections.abc import Iterable, Mapping

from overture.model.message import Held


def replayed(sections: Mapping[str, str], changes: Iterable[Held]) -> dict[str, str]:
    """What counts after the changes were told: the sections as they are now."""
    now = dict(sections)
    for change in changes:
        if change.text is None:
            now.pop(change.name, None)
        else:
            now[change.name] = change.text
    return now

"""Files whose order, or whose choice among several, the agent itself leaves to the disk or to chance."""

import posixpath
from collections.abc import Iterable

from ...model.state.discovery import Look
from .seen import Seen, step_of
from .why_read import folder_of_name

ORDER = "order not fixed"
CHOICE = "which of several with its name counts is not fixed"


def not_fixed(seen: Seen, told: Iterable[Look]) -> dict[str, str]:
    """What is arbitrary about each of these files; only where there are others to be mistaken for."""
    skills = seen.wants.skills
    groups: dict[object, list[str]] = {}
    for look in told:
        if (key := _group(seen, look)) is not None:
            groups.setdefault(key, []).append(look.path)
    found = {path: ORDER for paths in groups.values() if len(paths) > 1 for path in paths}
    if skills and not skills.winner_fixed:
        losers = [look.detail for look in seen.found.looked_at if look.what == "skill" and look.outcome == "shadowed"]
        found |= {each.split(",", 1)[0].removeprefix("by "): CHOICE for each in losers}
    return found


def _group(seen: Seen, look: Look) -> object:
    """What the files have in common among which the order is arbitrary; None where it is fixed."""
    skills, step = seen.wants.skills, step_of(seen, look.step)
    if look.what == "skill" and skills:
        fixed = skills.order_fixed and skills.order != "disk"
        return None if fixed else posixpath.dirname(posixpath.dirname(look.path))
    if step is None or not step.unordered or (step.unordered == "rules" and look.what != "rule"):
        return None
    return step.step, folder_of_name(look.path, step)

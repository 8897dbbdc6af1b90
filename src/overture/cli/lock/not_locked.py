"""What the prompt here has and the lock leaves out, since others do not have it."""

import os
from collections.abc import Iterable

from ...check.paths import is_below, shown_path
from ...discover.disk.world import RealWorld
from ...errors import OvertureError
from ...report.lock.lock import LockedPrompt
from ...report.lock.lock_prompt import SETTINGS
from ..shared.gather_state import gather_silently
from .make_prompts import Key, Locking


def not_locked(locking: Locking, prompts: Iterable[LockedPrompt]) -> dict[str, str]:
    """Files that are read here and are one person's or one machine's, and why they are left out of these prompts."""
    if locking.ask.no_discover or locking.ask.state_file:
        return {}
    found: dict[str, str] = {}
    top, home = locking.place.top, os.path.realpath(locking.ask.home or RealWorld().home())
    for prompt in prompts:
        known = {os.path.join(top, file.path) for file in prompt.files}
        for path in _read_here(locking, prompt.key):
            if path not in known:
                at_home = is_below(home, top) and is_below(path, home)
                found[shown_path(path, "" if at_home else top, home)] = _why(locking, path, home)
    return dict(sorted(found.items()))


def _read_here(locking: Locking, key: Key) -> set[str]:
    """The files that the prompt is made of for whoever asks."""
    try:
        looks = gather_silently(locking.ask_here(key)).found.looked_at
    except OvertureError:  # settings of one's own: the lock does not have them
        return set()
    return {look.path for look in looks if look.outcome == "loaded" and look.what not in SETTINGS}


def _why(locking: Locking, path: str, home: str) -> str:
    top = locking.place.top
    if os.path.realpath(path) in locking.world.hidden:
        return "git ignores it"
    if is_below(path, top) and not is_below(home, top):
        return "settings of your own have it read"
    return "under home" if is_below(path, home) else "outside the project"

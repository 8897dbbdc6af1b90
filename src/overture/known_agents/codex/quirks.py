"""Quirks that only Codex has. Observed in runs of 0.166.0."""


def find_linked_skill(_: bool) -> bool:
    """A `SKILL.md` that is a symlink is skipped."""
    return False

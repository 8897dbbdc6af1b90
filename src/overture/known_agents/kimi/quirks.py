"""Quirks that only Kimi has. Observed in runs."""


def choose_skill_needs(needs: tuple[str, ...] | None, alone: bool) -> tuple[str, ...] | None:
    """A file that is a skill by itself needs only valid YAML as frontmatter."""
    return ("yaml",) if alone else needs

"""Quirks that only Qwen Code has. Observed in runs."""

from collections.abc import Mapping

MIN_AGENT_CHARS = 10


def reject_helper(hidden: str, _fields: Mapping[str, str], body: str) -> str:
    """A sub-agent needs at least 10 characters below its frontmatter."""
    short = len(body.strip()) < MIN_AGENT_CHARS
    return f"it has fewer than {MIN_AGENT_CHARS} characters below its frontmatter" if short and not hidden else hidden

"""What Qwen Code alone does. Seen in runs."""

from collections.abc import Mapping

MIN_AGENT_CHARS = 10


def reject_helper(hidden: str, _fields: Mapping[str, str], body: str) -> str:
    """At least 10 characters must stand below the frontmatter of a sub-agent."""
    short = len(body.strip()) < MIN_AGENT_CHARS
    return f"fewer than {MIN_AGENT_CHARS} characters stand below its frontmatter" if short and not hidden else hidden

"""Quirks that only Gemini CLI has. Observed in runs."""

from collections.abc import Mapping

AGENT_KEYS = (
    "kind", "name", "description", "display_name", "tools", "mcp_servers", "model", "temperature", "max_turns",
    "timeout_mins",
)  # fmt: skip


def order_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Files with different names in one folder are sorted by name."""
    return tuple(sorted(names))


def reject_helper(hidden: str, fields: Mapping[str, str], _body: str) -> str:
    """A sub-agent with an unknown key in its frontmatter, such as `color`, is not listed."""
    unknown_key = next((key for key in fields if key not in AGENT_KEYS), None)
    return (
        f"its frontmatter has the key {unknown_key!r:.60}, which this agent does not know"
        if unknown_key is not None
        else hidden
    )

"""Quirks that only Continue has. Observed in runs."""

from collections.abc import Mapping

from ...text.frontmatter import FrontmatterField, scalar_text


def skip_rule(
    _: bool, patterns: tuple[str, ...], fields: Mapping[str, FrontmatterField], keys: tuple[str, ...]
) -> bool:
    """A rule with patterns is skipped, whatever files the agent works on."""
    return bool(patterns) or any(_has_value(fields.get(key)) for key in keys)


def _has_value(field: FrontmatterField | None) -> bool:
    """Whether Continue sees a value in a field: one that is not a pattern and not empty, `0` or `false`."""
    if field is None or field.kind in ("null", "list"):
        return False
    return field.kind == "map" or scalar_text(field) not in ("", "0", "false")

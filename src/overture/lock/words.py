"""What moved, in plain lines."""

from collections.abc import Iterator

from .compare_locks import Moved

THEN = "`overture lock` writes it anew; review the difference of overture.lock."


def moved_lines(label: str, moved: tuple[Moved, ...], total: int) -> Iterator[str]:
    """A line for each thing that moved: `codex: AGENTS.md changed (+120 tokens, 1,840 in all)`."""
    for each in moved:
        yield f"{label}: {_said(each)}{_counted(each, total)}"


def _said(moved: Moved) -> str:
    why = f": {moved.why}" if moved.why else ""
    if moved.what in ("order", "record"):
        return moved.why
    if moved.what == "section":
        return f"section {moved.name} {moved.how}{f', and {moved.why}' if moved.how == 'changed' else ''}"
    if moved.what == "skill":
        return _skill(moved, why)
    words = {"added": "is read now", "removed": f"no longer read{why}", "changed": f"changed{why}", "cut": f"cut{why}"}
    return f"{moved.name} {words.get(moved.how, moved.why)}"


def _skill(moved: Moved, why: str) -> str:
    how = {"cut": "changed", "whole": "changed"}.get(moved.how, moved.how)
    return f"skills: {how} {moved.name}{why}"


def _counted(moved: Moved, total: int) -> str:
    if moved.what in ("order", "record"):
        return ""
    if moved.tokens is None:
        return f" ({total:,} tokens in all)"
    return f" ({moved.tokens:+,} token{'' if abs(moved.tokens) == 1 else 's'}, {total:,} in all)"

"""What Claude Code alone does. Seen in runs."""

WORKTREES = "/.claude/worktrees/"


def choose_touched_files(touching: tuple[str, ...], cwd: str) -> tuple[str, ...]:
    """A file in `.claude/worktrees`, where it keeps worktrees of its own, brings no instructions."""
    start = f"{cwd.rstrip('/')}/"
    return tuple(path for path in touching if WORKTREES not in f"/{path.removeprefix(start)}")


def limit_rule_links(_: str) -> str:
    """A link to a rule is followed within the project only."""
    return "inside"


def show_rule_path(_: str, real: str) -> str:
    """A rule behind a link is called by where it lies."""
    return real

"""Quirks that only Copilot CLI has. Observed in runs."""

IMPORTING_FILES = ("copilot-instructions.md", "agents.md", "claude.md")


def follow_imports_in(_: bool, path: str, _text: str, first: bool) -> bool:
    """`@path` works only in `copilot-instructions.md`, `AGENTS.md` and `CLAUDE.md`, and in files they import."""
    return not first or path.rpartition("/")[2].casefold() in IMPORTING_FILES


def follow_undecoded_import(_: bool) -> bool:
    """`@path` does not import a file that is not UTF-8."""
    return False


def rename_skill(name: str) -> str:
    """Spaces in the name of a skill become hyphens."""
    return name.replace(" ", "-")

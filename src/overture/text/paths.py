"""Paths as a person reads them: from the project on."""


def is_below(path: str, root: str) -> bool:
    """Whether a path lies in a folder."""
    return bool(root) and path.startswith(root.rstrip("/") + "/")


def shown_path(path: str, root: str, home: str = "") -> str:
    """A path of the project from its root, one under home with `~`, any other as it is."""
    if is_below(path, root):
        return path[len(root.rstrip("/")) + 1 :]
    return f"~/{path[len(home.rstrip('/')) + 1 :]}" if is_below(path, home) else path

"""Paths as a person reads them: from the project on."""


def is_inside(path: str, root: str) -> bool:
    """Whether a path lies in a folder."""
    return bool(root) and path.startswith(root.rstrip("/") + "/")


def display_path(path: str, root: str, home: str = "") -> str:
    """A path of the project from its root, one under home with `~`, any other as it is."""
    if is_inside(path, root):
        return path[len(root.rstrip("/")) + 1 :]
    return f"~/{path[len(home.rstrip('/')) + 1 :]}" if is_inside(path, home) else path

"""Folders from the root of the walk down to the working directory, and which of two lies above the other."""


def folders(cwd: str, root: str | None) -> list[str]:
    """From the outermost folder to `cwd`; `root` ends the walk where it lies above `cwd`."""
    above = [cwd]
    while above[-1] != root and (parent := above[-1].rpartition("/")[0] or "/") != above[-1]:
        above.append(parent)
    return above[::-1]


def at_or_above(top: str, path: str) -> bool:
    """Whether `path` is `top` or lies below it."""
    return path == top or path.startswith(top.rstrip("/") + "/")


def expanded(path: str, folder: str, home: str) -> str:
    """A path as a file gives it, made absolute: `~` is home, a relative one begins at `folder`."""
    if path == "~" or path.startswith("~/"):
        path = home.rstrip("/") + path[1:]
    return path if path.startswith("/") else f"{folder.rstrip('/')}/{path}"

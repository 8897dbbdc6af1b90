"""Files on a real disk, and short questions to what was found there."""

from pathlib import Path
from typing import Any

import overture
from overture import Discovery, Recipe

FRONT = "name: {name}\ndescription: Does {name}."


def put(path: Path, content: str | bytes = "") -> Path:
    """A file, with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def put_skill(folder: Path, front: str = FRONT, body: str = "Do it.\n") -> Path:
    """A SKILL.md in `folder`, its frontmatter as given."""
    text = front.replace("{name}", folder.name)
    return put(folder / "SKILL.md", f"---\n{text}\n---\n{body}")


def link(path: Path, target: str | Path) -> Path:
    """A symbolic link, with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
    return path


def find(top: Path, recipe: str | Recipe = "opal", cwd: str = "p", **more: Any) -> Discovery:
    """What `recipe` finds from `top`/p up to `top`, with `top`/home as home."""
    (top / cwd).mkdir(parents=True, exist_ok=True)
    more = {"root": top, "home": top / "home", **more}
    return overture.discover(recipe, cwd=top / cwd, **more)


def came_of(found: Discovery, path: Path | str, what: str = "context") -> tuple[str, str]:
    """Outcome and detail of a path that was looked at exactly once for this purpose."""
    [look] = [look for look in found.looked_at if look.path == str(path) and look.what == what]
    return look.outcome, look.detail


def said(found: Discovery, path: Path | str) -> str:
    """The one line on a path."""
    [line] = lines(found, path)
    return line


def lines(found: Discovery, path: Path | str) -> list[str]:
    """All lines on a path, without level and path."""
    return [str(d).replace(f"{path}: ", "", 1) for d in found.diagnostics if d.path == str(path)]


def texts(found: Discovery) -> list[str]:
    """The contents of the project files, in order."""
    return [file.content for file in found.state.context_files]


def paths(found: Discovery) -> list[str]:
    """The paths of the project files, in order."""
    return [file.path for file in found.state.context_files]


def names(found: Discovery) -> list[str]:
    """The names of the skills, in order."""
    return [skill.name for skill in found.state.skills]

"""Tiers: who gave a text, from the most trusted to the least."""

from typing import Literal, get_args

Tier = Literal["built in", "user", "project", "dependency", "remote", "data"]
"""built in: the recipe, its rules, the program · user: home, the user's settings, the caller · project: its files ·
dependency: files that others wrote and that lie in the project · remote: fetched from elsewhere · data: values"""
TIERS: tuple[Tier, ...] = get_args(Tier)


def is_below(tier: Tier, other: Tier) -> bool:
    """Whether a tier is trusted less than another."""
    return TIERS.index(tier) > TIERS.index(other)


DEPENDENCIES = frozenset(
    ("node_modules", "bower_components", "site-packages", "dist-packages", "vendor", "third_party")
)
"""Folders in which lies what others wrote and somebody installed or copied."""


def tier_of_path(path: str, project: str | None, home: str | None) -> Tier:
    """Who wrote a file, by where it lies. What lies neither in the project nor under home is nobody's own."""
    if "://" in path:
        return "remote"
    if not DEPENDENCIES.isdisjoint(path.split("/")[:-1]):
        return "dependency"
    in_project = project is not None and _lies_in(path, project)
    return "user" if home is not None and _lies_in(path, home) and not in_project else "project"


def project_beside(project: str | None, cwd: str | None, home: str | None) -> str | None:
    """The folder of a project: where home is one, as with dotfiles in git, only the folder that is worked in."""
    if project is None or home is None or not _lies_in(home, project):
        return project or cwd
    return None if cwd is None or cwd == home else cwd


def _lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")

"""Finds the repositories below some places, and opens each at its HEAD commit: nothing is checked out or run."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Literal

from msgspec.structs import replace

from ..agents.agent_project import AgentProject, open_agents
from ..discovery.configuration.config import Config
from ..discovery.globs import SKIPPED_FOLDERS
from ..discovery.place import Location, find_git_elsewhere
from ..discovery.tree_files import GitObjects, TreeFiles, parse_commit
from ..discovery.world import HOME, TOP, Machine, World
from ..errors import ConfigError
from ..known_agents import AGENTS
from ..model.struct import Frozen
from ..text.path_printer import readable_path

BARE_FLAGS = ("-c", "safe.bareRepository=all")
"""A bare repository that the user names is meant; git still refuses one of another user."""
RepositoryKind = Literal["checkout", "bare", "missing"]


class Repository(Frozen, frozen=True):
    """Where a repository is."""

    name: str
    path: str
    kind: RepositoryKind
    problem: str = ""
    """Why there is nothing to read."""


def find_repositories(words: Iterable[str]) -> list[Repository]:
    """Every repository once, sorted by name; a word that leads to none is one with a problem."""
    found: dict[str, Repository] = {}
    for word in words:
        for each in _find_below(os.path.abspath(word)):
            # Of a missing one the path may be any text, also one that no system takes.
            found.setdefault(each.path if each.problem else os.path.realpath(each.path), each)
    names = Counter(each.name for each in found.values())
    unique = (
        each if names[each.name] == 1 else replace(each, name=readable_path(each.path)) for each in found.values()
    )
    return sorted(unique, key=lambda each: (each.name, each.path))


def _find_below(top: str) -> Iterator[Repository]:
    """The repositories at and below a folder, and the folders that can't be read; repositories are not entered."""
    number, failed = 0, list[OSError]()

    def name_place(folder: str) -> str:
        below = os.path.basename(top) or "/" if folder == top else os.path.relpath(folder, top)
        return readable_path(below.removesuffix(".git") or below)

    for folder, names, files in os.walk(top, onerror=failed.append):
        is_checkout = ".git" in (*names, *files)
        if is_checkout or ("HEAD" in files and {"objects", "refs"} <= {*names}):
            names.clear()
            number += 1
            yield Repository(name_place(folder), folder, "checkout" if is_checkout else "bare")
        names[:] = sorted(name for name in names if name[0] != "." and name not in SKIPPED_FOLDERS)
    for each in failed:
        problem = f"the folder can't be read: {(each.strerror or str(each)).lower()}"
        yield Repository(name_place(each.filename), each.filename, "missing", problem)
    if not number and not failed:
        yield Repository(name_place(top), top, "missing", "no git repository is here")


def find_commit(place: Repository) -> str:
    """The commit at HEAD; empty where there is none, or it can't be read."""
    try:
        with _open_git(place) as git:
            return git.find("HEAD^{commit}")[0]
    except (OSError, ConfigError):
        return ""


@contextmanager
def open_repository(place: Repository) -> Iterator[tuple[str, TreeFiles, AgentProject]]:
    """The commit, its files, and the agents there, without a user's settings. An unreadable one is an error."""
    with _open_git(place) as git:
        try:
            commit, data = git.find("HEAD^{commit}")
            files = TreeFiles(TOP, git.tree(parse_commit(data)[0]))
            files.names(TOP)
        except OSError as problem:
            raise _explain_unreadable(git, problem) from None
        location = Location(World(files, Machine(), facts={}), TOP, HOME)
        yield commit, files, open_agents(location, AGENTS[0], Config({}))


def _open_git(place: Repository) -> GitObjects:
    if place.problem:
        raise ConfigError(place.problem)
    if place.kind == "checkout" and (elsewhere := find_git_elsewhere(World(), place.path)) is not None:
        raise ConfigError(f"its .git leads to {elsewhere[1]!r}, which does not name this folder")
    return GitObjects(place.path, BARE_FLAGS if place.kind == "bare" else (), alone=True)


def _explain_unreadable(git: GitObjects, problem: OSError) -> ConfigError:
    """Why there is no commit or no tree, in git's own words if it has any."""
    answer = git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    words = [line for line in answer.err.splitlines() if line.strip() and not line.startswith("hint:")]
    if words:
        return ConfigError(f"git can't read it: {words[0].removeprefix('fatal: ').removeprefix('error: ')}")
    return ConfigError("it has no commit at HEAD yet" if answer.code else str(problem))

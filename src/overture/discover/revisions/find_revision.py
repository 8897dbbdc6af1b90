"""Finds the commit of a revision; an unknown name is an error with the nearest branch or tag."""

import re
from typing import NamedTuple

from ...errors import ConfigError, find_similar
from ..disk.real_world import RealWorld
from ..git_and_host import find_git_elsewhere
from ..run_git import GitResult, run_git

MAX_LISTED_REFS = "5000"
"""So many branches and tags are looked through for the nearest name, at the most."""


class GitRepository(NamedTuple):
    """A working tree of git."""

    root: str
    """Its topmost folder, a real path."""
    shallow: bool


class Revision(NamedTuple):
    """A name, and the commit that it leads to."""

    name: str
    commit: str
    notes: tuple[str, ...] = ()
    """What git itself remarks, e.g. that a branch and a tag have the same name."""


def find_git_repository(folder: str) -> GitRepository:
    """The working tree that a folder lies in."""
    answer = run_git(folder, "rev-parse", "--is-shallow-repository", "--show-toplevel")
    shallow, _, root = answer.out.removesuffix("\n").partition("\n")
    if answer.code or not root:
        raise ConfigError(
            f"{folder!r} is not in a git working tree: {answer.reason}.", message="Not a git repository",
            cause="A revision names a commit, and there is no `.git` here or above.",
            hint="Run it in a checkout, or pass `--cwd DIR`.",
        )  # fmt: skip
    if (elsewhere := find_git_elsewhere(RealWorld(), root)) is not None:
        message = f"{elsewhere[0]!r} leads to {elsewhere[1]!r}, which does not name this project"
        raise ConfigError(f"{message}.", hint=f"If it is yours, run: git config core.worktree {root!r}")
    return GitRepository(root, shallow == "true")


def find_revision(repository: GitRepository, name: str) -> Revision:
    """The commit that a name leads to, in any of the ways that git knows."""
    if not name:
        raise ConfigError("The name of a revision is empty.", hint="Use a branch, a tag or a hash.")
    answer = _look_up(repository, name)
    words = answer.out.split()
    if answer.code or len(words) != 2 or words[1] != "commit":
        raise _make_unknown_error(repository, name, answer)
    notes = tuple(line.removeprefix("warning: ") for line in answer.err.splitlines() if line.startswith("warning: "))
    return Revision(name, words[0], notes)


def find_merge_base(repository: GitRepository, one: Revision, other: Revision) -> Revision:
    """The commit at which two histories parted."""
    answer = run_git(repository.root, "merge-base", one.commit, other.commit)
    if answer.code:
        raise ConfigError(
            f"{one.name[:80]!r} and {other.name[:80]!r} have no common commit.{_explain_shallow_clone(repository)} To "
            "compare them anyway, name them one by one."
        )
    return Revision(f"merge base of {one.name} and {other.name}", answer.out.strip(), (*one.notes, *other.notes))


def _look_up(repository: GitRepository, name: str) -> GitResult:
    if "\n" in name:
        return GitResult(0, "missing", "")
    # Names go in by standard input, where none is an option. A search in messages takes all that follows it.
    wanted = name if name.startswith(":/") else f"{name}^{{commit}}"
    return run_git(
        repository.root, "cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=f"{wanted}\n"
    )  # fmt: skip


def _make_unknown_error(repository: GitRepository, name: str, answer: GitResult) -> ConfigError:
    message = f"{name[:80]!r} names no commit"
    if answer.code:
        return ConfigError(f"{message}: {answer.reason}.")
    if answer.out.rstrip().endswith("ambiguous"):
        return ConfigError(f"{message}: the hash is ambiguous.", hint="Use more characters of the hash.")
    start = re.split(r"[~^:@]", name, maxsplit=1)[0]
    if start and start != name and _look_up(repository, start).out.endswith(" commit\n"):
        fault = "that is not a commit" if ":" in name else "it has no such ancestor"
        return ConfigError(f"{message}: {start} exists, but {fault}.", cause=_explain_shallow_clone(repository).strip())
    known = run_git(
        repository.root, "for-each-ref", f"--count={MAX_LISTED_REFS}", "--format=%(refname:short)"
    ).out.split()
    if not known and _look_up(repository, "HEAD").out.endswith("missing\n"):
        return ConfigError(
            f"{message}: the repository {repository.root!r} has no commits yet.", hint="Commit twice, then compare."
        )
    tip = _find_similar_ref(start or name, known)
    return ConfigError(f"{message}.", noun="revision", tip=tip, cause=_explain_shallow_clone(repository).strip())


def _find_similar_ref(name: str, known: list[str]) -> str:
    """The branch of a remote that has this very name, else what is spelled most alike."""
    remote = next((ref for ref in known if name and ref.endswith(f"/{name}")), None)
    return remote or find_similar(name[:80], known)


def _explain_shallow_clone(repository: GitRepository) -> str:
    if not repository.shallow:
        return ""
    return " This is a shallow clone: `git fetch --unshallow` fetches the rest (in GitHub Actions, use fetch-depth: 0)."

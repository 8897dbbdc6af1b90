"""The commits that a person's names for revisions lead to."""

import re
from typing import NamedTuple

from ..discovery.git import GitAnswer, Revision, run_git
from ..discovery.place import find_git_elsewhere
from ..discovery.world import World
from ..errors import ConfigError, find_similar

SHALLOW = "This is a shallow clone: `git fetch --unshallow` fetches the rest (in GitHub Actions, use fetch-depth: 0)."


class GitRepository(NamedTuple):
    """A working tree of git: its topmost folder, a real path, and why it may lack commits."""

    root: str
    gap: str


def find_git_repository(folder: str) -> GitRepository:
    """The working tree that contains a folder."""
    answer = run_git(folder, "rev-parse", "--is-shallow-repository", "--show-toplevel")
    shallow, _, root = answer.text.removesuffix("\n").partition("\n")
    if answer.code or not root:
        words = f"{folder!r} is not in a git working tree: {answer.reason}."
        raise ConfigError(words, message="Not a git repository", hint="Run it in a checkout, or pass `--cwd DIR`.")
    if (elsewhere := find_git_elsewhere(World(), root)) is not None:
        message = f"{elsewhere[0]!r} leads to {elsewhere[1]!r}, which does not name this project"
        raise ConfigError(f"{message}.", hint=f"If it is yours, run: git config core.worktree {root!r}")
    return GitRepository(root, SHALLOW if shallow == "true" else "")


def find_revision(repository: GitRepository, name: str) -> Revision:
    """The commit that a name leads to, in any of the ways that git knows."""
    if not name:
        raise ConfigError("The name of a revision is empty.", hint="Use a branch, a tag or a hash.")
    answer = _look_up(repository, name)
    words = answer.text.split()
    if not answer.code and words[1:] == ["commit"]:
        notes = (line for line in answer.err.splitlines() if line.startswith("warning: "))
        return Revision(name, words[0], tuple(line.removeprefix("warning: ") for line in notes))
    start, fault = re.split(r"[~^:@]", name, maxsplit=1)[0], answer.reason if answer.code else ""
    if words[-1:] == ["ambiguous"]:
        fault = "the hash is ambiguous"
    elif start and start != name and _look_up(repository, start).out.endswith(b" commit\n"):
        fault = f"{start} exists, but {'that is not a commit' if ':' in name else 'it has no such ancestor'}"
    listed = run_git(repository.root, "for-each-ref", "--count=5000", "--format=%(refname:short)")
    known = [] if fault else listed.text.split()
    if not fault and not known and _look_up(repository, "HEAD").out.endswith(b"missing\n"):
        fault = f"the repository {repository.root!r} has no commits yet"
    remote = next((ref for ref in known if ref.endswith(f"/{start or name}")), None)
    tip = remote or find_similar((start or name)[:80], known)
    message = f"{name[:80]!r} names no commit{': ' * bool(fault)}{fault}."
    raise ConfigError(message, noun="revision", tip=tip, cause=repository.gap)


def find_merge_base(repository: GitRepository, one: Revision, other: Revision) -> Revision:
    """The commit at which two histories parted."""
    answer = run_git(repository.root, "merge-base", one.commit, other.commit)
    if answer.code:
        message = f"{one.name[:80]!r} and {other.name[:80]!r} have no common commit."
        raise ConfigError(message, cause=repository.gap, hint="To compare them anyway, name them one by one.")
    return Revision(f"merge base of {one.name} and {other.name}", answer.text.strip(), (*one.notes, *other.notes))


def _look_up(repository: GitRepository, name: str) -> GitAnswer:
    if "\n" in name:
        return GitAnswer(0, b"missing", "")
    # Names go in by standard input, where none is an option. A search in messages takes everything after it.
    wanted = name if name.startswith(":/") else f"{name}^{{commit}}"
    return run_git(repository.root, "cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=f"{wanted}\n")

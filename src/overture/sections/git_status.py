"""Git: the branch, what is changed, and the last commits. Its words are other people's, and contained like a file's."""

from ..model.recipe.body import Body, Group, Part, Skip
from ..model.recipe.section import section, tag
from ..model.source import from_state
from ..model.state.git import COMMITS, LISTED, Git, shortened

NONE = "nobody asked git, or there is no repository: features.git.enabled = true asks"
PATHS = "[{shown} of {all} changed paths are listed: there is no room for the others.]"
LOG = "[{shown} of {all} commits are listed: there is no room for the others.]"


@section("git", pace="turn", frame=tag("git"), priority=30)
def git_status(git: Git | None) -> Body:
    """The branch, the changed paths in short, and the last commits."""
    if git is None:
        return Skip(NONE)
    return Group((_branch(git), _changed(git), _commits(git)))


def _branch(git: Git) -> Part:
    if git.branch is None:
        text, after = (git.head or "")[:10], ""
        return Part(text, from_state("git.head"), before="Branch: none, HEAD is detached at ", after=after, single=True)
    after = "" if git.head else ", without a commit yet"
    return Part(git.branch, from_state("git.branch"), before="Branch: ", after=after, single=True)


def _changed(git: Git) -> Group | str:
    lines = [
        Part(shortened(line), from_state(f"git.status[{index}]"), name=line[3:], single=True)
        for index, line in enumerate(git.status[:LISTED])
    ]
    more = git.more + max(0, len(git.status) - LISTED)
    if not lines and not more:
        return "Nothing is changed."
    listing = Group(tuple(lines), loose="fair", rest=PATHS)
    head = Part(git.root, from_state("git.root"), before="Changed paths, from ", after=":", single=True)
    return Group((head, listing, f"and {more:,} more" if more else ""))


def _commits(git: Git) -> Group:
    lines = [
        Part(
            f"{commit.id} {shortened(commit.subject)}", from_state(f"git.commits[{index}]"), name=commit.id, single=True
        )
        for index, commit in enumerate(git.commits[:COMMITS])
    ]
    return Group(tuple(lines), before="Last commits, newest first:\n", loose="fair", rest=LOG)
